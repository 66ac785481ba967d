"""The tree of an object's owners and children, by `ownerReferences`, with the user's rights.

No index of owners exists at an API server, so the metadata of all kinds of the namespace is listed, once for all pages
that one user opens within some seconds. The status is then read of the objects in the tree alone.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Identity
from windlass.gateway.views.inputs import served_kinds
from windlass.gateway.views.links import object_page
from windlass.gateway.views.parts import ObjectRef
from windlass.gateway.views.tree import ObjectTree, TreeNode
from windlass.kube.client import Client
from windlass.kube.errors import ApiError, Forbidden, NotFound
from windlass.kube.json import dig_object
from windlass.kube.kind import Kind
from windlass.kube.meta import ObjectMeta, PartialObjectMetadata
from windlass.kube.view import View

T = TypeVar("T")
LISTS_AGE = timedelta(seconds=5)
PARALLEL_REQUESTS = 8
MAX_NODES = 200
MAX_DEPTH = 12
MAX_LISTINGS = 32
STATUS_FIELDS = (
    "phase", "reason", "message", "conditions", "replicas", "readyReplicas", "desiredNumberScheduled", "numberReady",
    "containerStatuses", "initContainerStatuses",
)  # fmt: skip
UNOWNED = frozenset({"events", "leases", "componentstatuses", "csistoragecapacities", "podtemplates"})
"""Resources that own nothing, and that nothing a person looks at owns."""
MEASURED = "metrics.k8s.io"
"""The group of measurements, which are no objects."""
STATELESS = frozenset(
    {"configmaps", "controllerrevisions", "endpoints", "endpointslices", "networkpolicies", "rolebindings", "roles",
     "secrets", "serviceaccounts", "services", "virtualservices"}
)  # fmt: skip
"""Resources without a status that says how they are: it is not read."""


@dataclass(frozen=True, slots=True)
class Found:
    kind: Kind
    metadata: ObjectMeta

    @property
    def uid(self) -> str:
        return self.metadata.uid


@dataclass(frozen=True)
class Listing:
    """The metadata of all objects of a namespace, as far as a user may list them."""

    by_uid: Mapping[str, Found]
    refused: tuple[str, ...]
    """Resources that the user may not list."""
    children: Mapping[str, Sequence[Found]] = field(default_factory=dict[str, Sequence[Found]])


def listing_of(found: Iterable[Found], refused: Iterable[str] = ()) -> Listing:
    by_uid = {one.uid: one for one in found}
    children: defaultdict[str, list[Found]] = defaultdict(list)
    for one in by_uid.values():
        for owner in one.metadata.owner_references:
            children[owner.uid].append(one)
    for owned in children.values():
        owned.sort(key=lambda one: (one.kind.name, one.metadata.creation_timestamp or "", one.metadata.name))
    return Listing(by_uid, tuple(sorted(refused)), dict(children))


def owners_of(root: Found, listing: Listing) -> list[Found]:
    """The chain of controllers above an object, the topmost first. One that is not listed ends it."""
    chain: list[Found] = []
    seen, current = {root.uid}, root
    while len(chain) < MAX_DEPTH:
        references = sorted(current.metadata.owner_references, key=lambda owner: not owner.controller)
        above = next((listing.by_uid[one.uid] for one in references if one.uid in listing.by_uid), None)
        if above is None or above.uid in seen:
            break
        seen.add(above.uid)
        chain.insert(0, above)
        current = above
    return chain


def descendants(root: Found, listing: Listing) -> tuple[list[tuple[Found, int]], int]:
    """The object and all below it with their depths, children after their owner; and how many were left out."""
    shown: list[tuple[Found, int]] = []
    seen: set[str] = set()
    waiting = [(root, 0)]
    while waiting:
        one, depth = waiting.pop()
        if one.uid in seen:
            continue  # owned by two objects of the tree, or by itself
        seen.add(one.uid)
        shown.append((one, depth))
        if depth < MAX_DEPTH:
            waiting += [(child, depth + 1) for child in reversed(listing.children.get(one.uid, ()))]
    return shown[:MAX_NODES], max(0, len(shown) - MAX_NODES)


class TreeReader:
    def __init__(self, context: GatewayContext, clock: Callable[[], float] = time.monotonic) -> None:
        self._context, self._clock = context, clock
        self._listings: dict[tuple[str, tuple[str, ...], str], tuple[float, asyncio.Future[Listing]]] = {}

    async def read(self, identity: Identity, kind: Kind, namespace: str, name: str) -> ObjectTree:
        """Raises NotFound and Forbidden of the object itself; what else may not be read is left out."""
        client = self._context.client_of(identity)
        where = namespace if kind.namespaced else ""
        metadata = (await client.get(View(kind, PartialObjectMetadata), name, where)).metadata
        root = Found(kind, metadata)
        listing = await self._listing(identity, client, where)
        owners = owners_of(root, listing)
        below, hidden = descendants(root, listing)
        placed = [(one, at - len(owners)) for at, one in enumerate(owners)] + below
        statuses = await _statuses(client, [one for one, _ in placed])
        nodes = [_node(one, depth, statuses.get(one.uid, {})) for one, depth in placed]
        notes = [f"You may not list {', '.join(listing.refused)}: such children are not shown"] * bool(listing.refused)
        return ObjectTree(
            owners=tuple(nodes[: len(owners)]), nodes=tuple(nodes[len(owners) :]), hidden=hidden, notes=tuple(notes)
        )

    async def _listing(self, identity: Identity, client: Client, namespace: str) -> Listing:
        """Shared by requests of one user for one namespace, for some seconds."""
        key = (identity.user, identity.groups, namespace)
        now = self._clock()
        self._listings = {one: known for one, known in self._listings.items() if known[0] > now}
        known = self._listings.get(key)
        if known is None:
            if len(self._listings) >= MAX_LISTINGS:
                self._listings.clear()
            known = (now + LISTS_AGE.total_seconds(), asyncio.ensure_future(self._list_all(client, namespace)))
            self._listings[key] = known
        try:
            return await asyncio.shield(known[1])
        except ApiError:
            self._listings.pop(key, None)
            raise

    async def _list_all(self, client: Client, namespace: str) -> Listing:
        kinds: dict[tuple[str, str], Kind] = {}
        for kind in await served_kinds(self._context):
            is_shown = kind.plural not in UNOWNED and kind.group != MEASURED
            if kind.namespaced == bool(namespace) and "list" in kind.verbs and is_shown:
                kinds.setdefault((kind.group, kind.plural), kind)  # the preferred version comes first
        lists = await _bounded([_list(client, kind, namespace) for kind in kinds.values()])
        refused = [kind.group_resource for kind, items in zip(kinds.values(), lists, strict=True) if items is None]
        return listing_of((one for items in lists for one in items or ()), refused)


async def _list(client: Client, kind: Kind, namespace: str) -> list[Found] | None:
    """None: the user may not. What is not served any more, or not in this way, is empty."""
    try:
        items = (await client.list(View(kind, PartialObjectMetadata), namespace)).items
    except Forbidden:
        return None
    except ApiError:
        return []
    return [Found(kind, item.metadata) for item in items]


async def _statuses(client: Client, found: Sequence[Found]) -> dict[str, dict[str, Any]]:
    wanted = [one for one in found if one.kind.plural not in STATELESS]
    read = await _bounded([_status(client, one) for one in wanted])
    return {one.uid: status for one, status in zip(wanted, read, strict=True)}


async def _status(client: Client, one: Found) -> dict[str, Any]:
    try:
        obj = await client.get(one.kind, one.metadata.name, one.metadata.namespace)
    except (NotFound, Forbidden):
        return {}
    status = dig_object(obj, "status")
    return {name: status[name] for name in STATUS_FIELDS if name in status}


async def _bounded(work: Sequence[Awaitable[T]]) -> list[T]:
    """Await all, some at a time."""
    turn = asyncio.Semaphore(PARALLEL_REQUESTS)

    async def one(each: Awaitable[T]) -> T:
        async with turn:
            return await each

    return await asyncio.gather(*(one(each) for each in work))


def _node(found: Found, depth: int, status: dict[str, Any]) -> TreeNode:
    kind, metadata = found.kind, found.metadata
    reference = ObjectRef(
        api_version=kind.api_version,
        kind=kind.name,
        namespace=metadata.namespace,
        name=metadata.name,
        uid=metadata.uid,
    )
    return TreeNode(
        object=reference,
        link=object_page(kind.api_version, kind.name, metadata.namespace, metadata.name, kind.plural),
        depth=depth,
        created=metadata.creation_timestamp,
        is_deleting=metadata.deletion_timestamp is not None,
        status=status,
    )
