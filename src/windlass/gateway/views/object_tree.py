"""An object's owners and children, by `ownerReferences`. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from windlass.gateway.views.links import object_page
from windlass.gateway.views.parts import ObjectRef
from windlass.gateway.views.tree import TreeNode
from windlass.kube.kind import Kind
from windlass.kube.meta import ObjectMeta

MAX_NODES = 200
MAX_DEPTH = 12
UNOWNED = frozenset({"events", "leases", "componentstatuses", "csistoragecapacities", "podtemplates"})
"""Resources that own nothing, and that nothing a person looks at owns."""
MEASURED = "metrics.k8s.io"
"""The group of measurements, which are no objects."""


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
    children: Mapping[str, Sequence[Found]] = field(default_factory=dict[str, Sequence[Found]])


def listing_of(found: Iterable[Found]) -> Listing:
    by_uid = {one.uid: one for one in found}
    children: defaultdict[str, list[Found]] = defaultdict(list)
    for one in by_uid.values():
        for owner in one.metadata.owner_references:
            children[owner.uid].append(one)
    for owned in children.values():
        owned.sort(key=lambda one: (one.kind.name, one.metadata.creation_timestamp or "", one.metadata.name))
    return Listing(by_uid, dict(children))


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


def shown_kinds(served: Iterable[Kind], *, namespaced: bool) -> list[Kind]:
    """Kinds whose objects may own or be owned, each in its preferred version."""
    kinds: dict[tuple[str, str], Kind] = {}
    for kind in served:
        is_shown = kind.plural not in UNOWNED and kind.group != MEASURED
        if kind.namespaced == namespaced and {"list", "watch"} <= kind.verbs and is_shown:
            kinds.setdefault((kind.group, kind.plural), kind)  # the preferred version comes first
    return list(kinds.values())


def tree_node(found: Found, depth: int, status: dict[str, Any]) -> TreeNode:
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
