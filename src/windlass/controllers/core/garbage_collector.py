"""Deletes what belongs to something that is gone: owner references, in the background, foreground or orphaning.

It follows the metadata of every kind that can be listed, watched and deleted, custom ones as they come, and keeps the
graph of `garbage_graph`. Before anything is deleted, object and owners are asked for by name: a graph that lags behind
can delay a deletion but not cause one.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

import msgspec

from windlass.controllers.core.garbage_graph import (
    FOREGROUND,
    ORPHAN,
    Delete,
    DropOwners,
    Graph,
    Identity,
    Node,
    OwnerState,
    Work,
    decide,
)
from windlass.kube import errors
from windlass.kube.api import Propagation
from windlass.kube.controller import Key, Runtime, Service
from windlass.kube.json import Object as Json
from windlass.kube.kind import Kind
from windlass.kube.meta import ObjectMeta, OwnerReference, PartialObjectMetadata
from windlass.kube.view import metadata_only

WORKERS = 8
REFRESH = timedelta(seconds=30)  # kube-controller-manager's period for new kinds
SOON = timedelta(milliseconds=200)
FIRST_READ_WITHIN = timedelta(seconds=30)  # a kind that cannot be read must not stop all others
KNOWN_ABSENT = 500
IGNORED = {("", "events"), ("events.k8s.io", "events")}
CRD_PLACE = ("apiextensions.k8s.io", "customresourcedefinitions")
NEEDED_VERBS = {"list", "watch", "delete"}


def collectable(served: Iterable[Kind]) -> dict[tuple[str, str], Kind]:
    """One version of each resource to follow, by group and plural: the first, which is the preferred."""
    chosen: dict[tuple[str, str], Kind] = {}
    for kind in served:
        place = (kind.group, kind.plural)
        if place not in IGNORED and kind.verbs >= NEEDED_VERBS:
            chosen.setdefault(place, kind)
    return chosen


class Monitor:
    """Feeds the graph with the objects of one kind."""

    def __init__(self, collector: "Collector", kind: Kind, since: datetime) -> None:
        self._collector, self._kind = collector, kind
        self._uids: dict[Key, str] = {}
        self.since = since
        self.synced = False
        self.stop: Callable[[], None] = lambda: None

    def replace(self, objects: Iterable[PartialObjectMetadata], /) -> None:
        fresh = list(objects)
        for key in self._uids.keys() - {obj.metadata.key for obj in fresh}:
            self.remove(key)
        for obj in fresh:
            with self._collector.faults.contain("garbage-collector", obj, self._kind):
                self.put(obj)
        self.synced = True

    def put(self, obj: PartialObjectMetadata, /) -> None:
        metadata = obj.metadata
        before = self._uids.get(metadata.key)
        if before not in (None, metadata.uid):
            self.remove(metadata.key)
        self._uids[metadata.key] = metadata.uid
        self._collector.observe(self._kind, metadata)

    def remove(self, key: Key, /) -> None:
        uid = self._uids.pop(key, None)
        if uid is not None:
            self._collector.forget(uid)

    def reached(self, version: str, /) -> None:
        """Nothing waits for a version here."""

    def close(self) -> None:
        """The kind is served no more."""
        self.stop()
        for key in list(self._uids):
            self.remove(key)


class Collector:
    """The graph, its queues and its hands."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime, self._api, self.faults = runtime, runtime.api, runtime.faults
        self._graph = Graph()
        self._monitors: dict[tuple[str, str], Monitor] = {}
        self._absent: OrderedDict[Identity, None] = OrderedDict()
        self._to_delete = runtime.queue("garbage_collector_attempt_to_delete")
        self._to_orphan = runtime.queue("garbage_collector_attempt_to_orphan")
        self._refreshes = runtime.queue("garbage_collector_refresh")

    def start(self) -> None:
        work = self._runtime.work
        work("garbage-collector", self._to_delete, self.attempt_to_delete, WORKERS)
        work("garbage-collector-orphan", self._to_orphan, self.attempt_to_orphan, WORKERS)
        work("garbage-collector-refresh", self._refreshes, self.refresh, 1)
        self._refreshes.add("kinds")

    # --- what is seen

    def observe(self, kind: Kind, metadata: ObjectMeta) -> None:
        identity = Identity(kind.api_version, kind.name, metadata.namespace, metadata.name, metadata.uid)
        deleting = metadata.deletion_timestamp is not None
        self._enqueue(
            self._graph.observe(identity, metadata.owner_references, deleting=deleting, finalizers=metadata.finalizers)
        )
        if (kind.group, kind.plural) == CRD_PLACE:
            self._refreshes.add_after("kinds", SOON.total_seconds())

    def forget(self, uid: str) -> None:
        node = self._graph.get(uid)
        if node is not None and node.dependents:
            self._absent[node.identity] = None
            if len(self._absent) > KNOWN_ABSENT:
                self._absent.popitem(last=False)
        self._enqueue(self._graph.forget(uid))

    def _enqueue(self, work: Work) -> None:
        for uid in work.delete:
            self._to_delete.add(uid)
        for uid in work.orphan:
            self._to_orphan.add(uid)

    async def refresh(self, _: str) -> timedelta:
        """Follow the kinds that are served now, and no others."""
        wanted = collectable(await self._api.served(refresh=True))
        failed = {name.rpartition("/")[0] for name in self._api.failed_groups()}
        for place in [place for place in self._monitors if place not in wanted and place[0] not in failed]:
            self._monitors.pop(place).close()
        for place, kind in wanted.items():
            if place not in self._monitors:
                monitor = self._monitors[place] = Monitor(self, kind, self._runtime.now())
                monitor.stop = self._runtime.follow(metadata_only(kind), monitor)
        return REFRESH

    def _is_complete(self) -> bool:
        """Whether the graph has every object, so that "no dependents" can be believed."""
        oldest = self._runtime.now() - FIRST_READ_WITHIN
        return bool(self._monitors) and all(m.synced or m.since < oldest for m in self._monitors.values())

    # --- what is done

    async def attempt_to_delete(self, uid: str) -> timedelta | None:
        node = self._graph.get(uid)
        if node is None or (node.deleting and not node.foreground):
            return None
        kind = await self._api.find_kind(node.identity.api_version, node.identity.kind)
        latest = await self._live(kind, node.identity)
        if latest is None:
            self.forget(uid)
            return None
        if latest.deletion_timestamp and FOREGROUND in latest.finalizers:
            return await self._in_foreground(node, kind, latest)
        if latest.deletion_timestamp or not latest.owner_references:
            return None
        await self._by_owners(node, kind, latest)
        return None

    async def _in_foreground(self, node: Node, kind: Kind, latest: ObjectMeta) -> timedelta | None:
        """Its dependents go first; when none that blocks is left, so does the finalizer that holds it."""
        if not self._is_complete():
            return SOON
        blocking = [dependent for dependent in self._graph.dependents(node) if dependent.blocks(node)]
        for dependent in blocking:
            if not dependent.foreground:
                self._to_delete.add(dependent.identity.uid)
        if not blocking:
            await self._drop_finalizer(kind, latest, FOREGROUND)
        return None

    async def _by_owners(self, node: Node, kind: Kind, latest: ObjectMeta) -> None:
        self._warn_of_owners_elsewhere(kind, latest)
        states = {ref.uid: await self._state(ref, latest.namespace) for ref in latest.owner_references}
        dependents = self._graph.dependents(node)
        match decide(latest.owner_references, states, latest.finalizers, dependents):
            case DropOwners(uids):
                await self._set_owners(kind, latest, [r for r in latest.owner_references if r.uid not in uids])
            case Delete(propagation, unblock):
                if unblock:
                    latest = await self._unblock(kind, latest)
                await self._delete(kind, latest, propagation)
            case _:
                pass

    async def _delete(self, kind: Kind, latest: ObjectMeta, propagation: Propagation) -> None:
        try:
            await self._api.delete(
                kind,
                latest.key,
                propagation=propagation,
                uid=latest.uid,
                resource_version=latest.resource_version,
            )
        except errors.NotFound:
            self.forget(latest.uid)

    async def _state(self, ref: OwnerReference, namespace: str) -> OwnerState:
        identity = Identity(ref.api_version, ref.kind, namespace, ref.name, ref.uid)
        if identity in self._absent:
            return OwnerState.ABSENT
        kind = await self._api.find_kind(ref.api_version, ref.kind)
        if kind.namespaced and not namespace:  # cannot be true, so nothing follows from it
            return OwnerState.SOLID
        owner = await self._live(kind, identity)
        if owner is None:
            return OwnerState.ABSENT
        waiting = owner.deletion_timestamp and FOREGROUND in owner.finalizers
        return OwnerState.WAITING if waiting else OwnerState.SOLID

    def _warn_of_owners_elsewhere(self, kind: Kind, latest: ObjectMeta) -> None:
        """Warn about a reference into another namespace, which cannot work, as upstream does."""
        for ref in latest.owner_references:
            owner = self._graph.get(ref.uid)
            if owner is None or owner.virtual or owner.identity.namespace in ("", latest.namespace):
                continue
            said = f"{ref.api_version}/{ref.kind}, namespace: {latest.namespace}, name: {ref.name}, uid: {ref.uid}"
            message = f'ownerRef [{said}] does not exist in namespace "{latest.namespace}"'
            about = PartialObjectMetadata(metadata=latest)
            self._runtime.warn("garbage-collector-controller", about, kind, "OwnerRefInvalidNamespace", message)

    async def attempt_to_orphan(self, uid: str) -> timedelta | None:
        """Let go of all dependents, then of the finalizer."""
        node = self._graph.get(uid)
        if node is None:
            return None
        if not self._is_complete():
            return SOON
        await self._runtime.together(self._disown(dependent, uid) for dependent in self._graph.dependents(node))
        kind = await self._api.find_kind(node.identity.api_version, node.identity.kind)
        latest = await self._live(kind, node.identity)
        if latest is not None:
            await self._drop_finalizer(kind, latest, ORPHAN)
        return None

    async def _disown(self, dependent: Node, owner_uid: str) -> None:
        kind = await self._api.find_kind(dependent.identity.api_version, dependent.identity.kind)
        latest = await self._live(kind, dependent.identity)
        if latest is not None and any(ref.uid == owner_uid for ref in latest.owner_references):
            await self._set_owners(kind, latest, [ref for ref in latest.owner_references if ref.uid != owner_uid])

    async def _live(self, kind: Kind, identity: Identity) -> ObjectMeta | None:
        """The object's metadata as the server has it now; None when it, or rather this very one, is gone."""
        if kind.namespaced and not identity.namespace:
            return None
        try:
            found = await self._api.get(metadata_only(kind), identity.name, identity.namespace)
        except errors.NotFound:
            return None
        return found.metadata if found.metadata.uid == identity.uid else None

    async def _unblock(self, kind: Kind, latest: ObjectMeta) -> ObjectMeta:
        freed = [msgspec.structs.replace(ref, block_owner_deletion=False) for ref in latest.owner_references]
        return msgspec.structs.replace(latest, resource_version=await self._set_owners(kind, latest, freed))

    async def _set_owners(self, kind: Kind, latest: ObjectMeta, owners: list[OwnerReference]) -> str:
        return await self._patch(kind, latest, {"ownerReferences": msgspec.to_builtins(owners)})

    async def _drop_finalizer(self, kind: Kind, latest: ObjectMeta, finalizer: str) -> None:
        if finalizer in latest.finalizers:
            await self._patch(kind, latest, {"finalizers": [f for f in latest.finalizers if f != finalizer]})

    async def _patch(self, kind: Kind, latest: ObjectMeta, change: Json) -> str:
        """Change metadata of just this object in just this version; answers its new version."""
        metadata = {"uid": latest.uid, "resourceVersion": latest.resource_version, **change}
        try:
            answer = await self._api.patch(kind, latest.key, {"metadata": metadata})
        except errors.NotFound:
            return latest.resource_version
        return str(answer["metadata"].get("resourceVersion") or "")


def start(runtime: Runtime) -> None:
    Collector(runtime).start()


CONTROLLER = Service("garbage-collector", start)
