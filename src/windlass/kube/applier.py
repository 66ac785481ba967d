"""Carries out plans: actions become requests, and no request is sent where nothing would change.

A child is applied server-side, with an owner reference to the object it belongs to. One that has no controller yet is
adopted by that, where the controller changes such objects or it is as wanted; one that another object controls is
refused. What was applied before, or has just been created, is remembered as a hash for as long as the process runs: a
child whose wanted fields are the same as then, and all in the cached object, is left alone. (The hash notices fields
that are wanted no more; after a restart each child is applied once.) Of a child that is cached as metadata only, the
version that was applied is remembered too: at any other one, it is applied again.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, TypeAlias, cast

import msgspec

from windlass.kube import errors, meta
from windlass.kube.api import Propagation
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.json import Object as Json
from windlass.kube.json import encode
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.objects import (
    AnyObject,
    controller_of,
    is_deleting,
    key_of,
    owner_reference,
    owners_of,
    uid_of,
    version_of,
    wire,
)
from windlass.kube.plan import (
    Action,
    Adopt,
    Apply,
    Create,
    CreateUnowned,
    Delete,
    Outcome,
    Patch,
    PatchStatus,
    Plan,
    Verb,
)
from windlass.kube.refusals import NotOurs, is_refusal
from windlass.kube.view import metadata_only

CACHE_TIMEOUT_SECONDS = 5.0  # seconds; then the step continues with what the cache has
MAX_CONCURRENT_WRITES = 50  # requests under way for one object
REMEMBERED = 50_000  # children; one that is forgotten is applied once more
CREATED_REMEMBERED = 1_000  # the last that were created: most are never applied

ADDING = (CreateUnowned, Adopt, Apply, Create)  # actions that are skipped while the owner is being deleted
BATCHED = (Create, Delete)  # actions of which a run is carried out concurrently where the plan allows refusals

StoreOf: TypeAlias = Callable[[Kind], "Store[Any] | None"]
"""The cache of a kind, where the process has one."""


log = logging.getLogger(__name__)


class Failed(Exception):
    """The server answered an action of a plan with an error."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(str(outcome.error))
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class PendingWrite:
    """A write that the cache may not show yet."""

    store: Store[Any]
    key: Key
    uid: str
    version: str
    gone: bool = False

    def is_visible(self) -> bool:
        obj = self.store.get(self.key)
        replaced = obj is not None and uid_of(obj) != self.uid
        if self.gone:
            return obj is None or replaced or is_deleting(obj)
        if replaced or _at_least(self.store.version, self.version):
            return True  # the cache is past it, whatever has become of the object since
        return obj is not None and (version_of(obj) == self.version or _at_least(version_of(obj), self.version))


def _at_least(version: str, other: str) -> bool:
    """Resource versions count up on the embedded server and on etcd; elsewhere only equality is known."""
    return version.isdigit() and other.isdigit() and int(version) >= int(other)


@dataclass(frozen=True, slots=True)
class Applied:
    """What a child was last made to be."""

    fingerprint: int
    version: str

    def still_holds(self, known: AnyObject, wanted: Json) -> bool:
        if isinstance(known, meta.PartialObjectMetadata):
            return version_of(known) == self.version
        return covers(wire_of(known), wanted)


class Applier:
    """Carries out the plans of one controller."""

    def __init__(
        self,
        client: Client,
        stores: StoreOf,
        manager: str,
        *,
        owned: bool = True,
        changes_orphans: bool = True,
        on_outcome: Callable[[meta.Object, Outcome], None] | None = None,
    ) -> None:
        self._client, self._stores, self._manager, self._owned = client, stores, manager, owned
        self._changes_orphans = changes_orphans
        self._on_outcome = on_outcome
        self._applied: dict[tuple[Kind, Key], Applied] = {}
        self._created: dict[tuple[Kind, Key], Applied] = {}
        self._written: dict[Key, list[PendingWrite]] = {}

    async def caught_up(self, key: Key) -> None:
        """Wait until the caches show what was written for the object the last time."""
        awaited = self._written.pop(key, None)
        self._forget_visible()
        if awaited is None:  # nearly always; entering a timeout would be a large part of the cost of a reconcile
            return
        try:
            async with asyncio.timeout(CACHE_TIMEOUT_SECONDS):
                for written in awaited:
                    await written.store.until(written.is_visible, CACHE_TIMEOUT_SECONDS)
        except TimeoutError:
            log.info("the caches lag behind, continuing with what they hold key=%s", key)

    def _forget_visible(self) -> None:
        """Of others' writes, the oldest that are shown: an object may not be looked at again for long."""
        while self._written:
            oldest = next(iter(self._written))
            if not all(written.is_visible() for written in self._written[oldest]):
                return
            del self._written[oldest]

    async def carry_out(self, plan: Plan, owner: meta.Object, kind: Kind) -> list[Outcome]:
        """Carry out the plan; answer the failures. The first ends it, except as `Plan.status_if_refused` says."""
        try:
            return await self._carry_out(plan, owner, kind, key_of(owner))
        except Failed as failed:
            return [failed.outcome]

    async def _carry_out(self, plan: Plan, owner: meta.Object, kind: Kind, key: Key) -> list[Outcome]:
        failed: list[Outcome] = []
        for action_type, run in groupby(plan.actions, key=type):
            if issubclass(action_type, ADDING) and is_deleting(owner):
                continue
            if action_type is Adopt and not await self._still_there(owner, kind):
                continue
            steps = [partial(self._do, action, owner, kind, key) for action in run]
            if plan.status_if_refused is not None and issubclass(action_type, BATCHED):
                failed += await in_growing_batches(steps)
            else:
                for step in steps:
                    await step()
        return failed

    async def _do(self, action: Action, owner: meta.Object, kind: Kind, key: Key) -> None:
        match action:
            case Patch(obj, patch):
                await self._patch(obj, patch, owner, key)
            case PatchStatus(obj, status):
                await self._patch_status(obj, status, owner, key)
            case CreateUnowned(obj):
                await self._create_unowned(obj, owner, key)
            case Adopt(obj):
                await self._adopt(obj, owner, kind, key)
            case Apply(obj):
                await self._apply(obj, owner, kind, key)
            case Create(obj):
                await self._create(obj, owner, kind, key)
            case Delete(obj):
                await self._delete(obj, owner, key, "Foreground" if action.foreground else "Background")

    @contextmanager
    def _doing(
        self, verb: Verb, obj: AnyObject, owner: meta.Object, before: AnyObject | None = None
    ) -> Generator[None]:
        """Turn an error of the server into `Failed`, and a refusal into an event on the owner too."""
        try:
            yield
        except errors.ApiError as error:
            outcome = Outcome(verb, obj, error, before)
            if is_refusal(error):
                self._report(owner, outcome)
            raise Failed(outcome) from error

    async def _create_unowned(self, obj: AnyObject, owner: meta.Object, key: Key) -> None:
        with self._doing("create", obj, owner):
            kind = await self._client.kind_of(obj)
            if self._cached(kind, key_of(obj)) is None:
                await self._send_new(wire(obj), kind, owner, key)

    async def _patch(self, obj: AnyObject, patch: Json, owner: meta.Object, key: Key) -> None:
        with self._doing("patch", obj, owner, before=obj):
            kind = await self._client.kind_of(obj)
            metadata: Json = {**patch.get("metadata", {}), "uid": uid_of(obj), "resourceVersion": version_of(obj)}
            try:
                answer = await self._client.patch(kind, key_of(obj), {**patch, "metadata": metadata})
            except errors.NotFound:  # gone meanwhile, which the next reconcile will see
                return
            self.note(key, kind, answer)
        self._report(owner, Outcome("patch", answer, before=obj))

    async def _patch_status(self, obj: AnyObject, status: Json, owner: meta.Object, key: Key) -> None:
        with self._doing("patch", obj, owner, before=obj):
            kind = await self._client.kind_of(obj)
            try:
                answer = await self._client.set_status(kind, key_of(obj), status, resource_version=version_of(obj))
            except errors.NotFound:  # gone meanwhile, which the next reconcile will see
                return
            self.note(key, kind, answer)

    async def _create(self, child: AnyObject, owner: meta.Object, kind: Kind, key: Key) -> None:
        with self._doing("create", child, owner):
            child_kind = await self._client.kind_of(child)
            wanted = self._wanted(child, owner, kind)
            if wanted["metadata"].get("name"):
                known = self._cached(child_kind, key_of(wanted))
                if known is not None:
                    self._refuse_if_foreign(known, owner, child_kind)
                    return
            await self._send_new(wanted, child_kind, owner, key)

    async def _send_new(self, wanted: Json, kind: Kind, owner: meta.Object, key: Key) -> None:
        try:
            answer = await self._client.create(wanted, kind=kind)
        except errors.AlreadyExists:  # the cache lags, or another client created it: the next reconcile will see it
            return
        self.note(key, kind, answer)
        created = Applied(hash(encode(wanted)), version_of(answer))
        _remember(self._created, (kind, key_of(answer)), created, CREATED_REMEMBERED)
        self._report(owner, Outcome("create", answer))

    def _report(self, owner: meta.Object, outcome: Outcome) -> None:
        if self._on_outcome is not None:
            self._on_outcome(owner, outcome)

    async def _apply(self, child: AnyObject, owner: meta.Object, kind: Kind, key: Key) -> None:
        with self._doing("apply", child, owner):
            child_kind = await self._client.kind_of(child)
        wanted = self._wanted(child, owner, kind)
        known = self._cached(child_kind, key_of(wanted))
        with self._doing("apply", wanted, owner, before=known):
            await self._apply_if_changed(wanted, known, child_kind, owner, key)

    async def _apply_if_changed(
        self, wanted: Json, known: AnyObject | None, kind: Kind, owner: meta.Object, key: Key
    ) -> None:
        fingerprint, child_key = hash(encode(wanted)), (kind, key_of(wanted))
        if known is not None:
            self._refuse_if_foreign(known, owner, kind)
            self._refuse_other_orphan(known, wanted, kind)
            if is_deleting(known):  # its going is an event that brings us back
                return
            before = self._applied.get(child_key) or self._created.get(child_key)
            if before is not None and before.fingerprint == fingerprint and before.still_holds(known, wanted):
                return
        answer = await self._client.apply(wanted, manager=self._manager)
        self.note(key, kind, answer)
        _remember(self._applied, child_key, Applied(fingerprint, version_of(answer)), REMEMBERED)

    async def _still_there(self, owner: meta.Object, kind: Kind) -> bool:
        """Asked of the server: a late cache must not make one that is deleted take back the orphans it leaves."""
        try:
            live = await self._client.get(metadata_only(kind), key_of(owner).name, key_of(owner).namespace)
        except errors.NotFound:
            return False
        return uid_of(live) == uid_of(owner) and not is_deleting(live)

    async def _adopt(self, orphan: AnyObject, owner: meta.Object, kind: Kind, key: Key) -> None:
        references = [*owners_of(orphan), owner_reference(owner, kind)]
        patch: Json = {"metadata": {"uid": uid_of(orphan), "ownerReferences": msgspec.to_builtins(references)}}
        patch["metadata"]["resourceVersion"] = version_of(orphan)
        with self._doing("patch", orphan, owner, before=orphan):
            orphan_kind = await self._client.kind_of(orphan)
            self.note(key, orphan_kind, await self._client.patch(orphan_kind, key_of(orphan), patch))

    async def _delete(self, child: AnyObject, owner: meta.Object, key: Key, propagation: Propagation) -> None:
        child_key = key_of(child)
        with self._doing("delete", child, owner):
            child_kind = await self._client.kind_of(child)
            self._applied.pop((child_kind, child_key), None)
            self._created.pop((child_kind, child_key), None)
            known = self._cached(child_kind, child_key)
            uid = uid_of(child) or (uid_of(known) if known is not None else "")
            if known is not None and is_deleting(known):
                return
            try:
                await self._client.delete(child_kind, child_key, uid=uid, propagation=propagation)
            except (errors.NotFound, errors.Conflict):  # gone already, or replaced by another of its name
                return
        self._report(owner, Outcome("delete", child))
        store = self._stores(child_kind)
        if store is not None and uid and not store.partial:
            self._written.setdefault(key, []).append(PendingWrite(store, child_key, uid, "", gone=True))

    def _wanted(self, child: AnyObject, owner: meta.Object, kind: Kind) -> Json:
        """The child as it will be sent: in the owner's namespace, belonging to the owner."""
        wanted = dict(wire(child))
        wanted.pop("status", None)
        metadata: Json = dict(wanted.get("metadata") or {})
        if kind.namespaced:
            metadata.setdefault("namespace", owner.metadata.namespace)
        if self._owned:
            metadata["ownerReferences"] = [msgspec.to_builtins(owner_reference(owner, kind))]
        wanted["metadata"] = metadata
        return wanted

    def _refuse_if_foreign(self, known: AnyObject, owner: meta.Object, kind: Kind) -> None:
        controller = controller_of(known)
        if self._owned and controller is not None and controller.uid != uid_of(owner):
            other = f'{controller.kind} "{controller.name}"'
            raise NotOurs(f'{kind.name} "{key_of(known)}" already exists and is controlled by {other}')

    def _refuse_other_orphan(self, known: AnyObject, wanted: Json, kind: Kind) -> None:
        if self._changes_orphans or controller_of(known) is not None:
            return
        fields = {key: value for key, value in wanted["metadata"].items() if key != "ownerReferences"}
        if isinstance(known, meta.PartialObjectMetadata) or not covers(wire_of(known), {**wanted, "metadata": fields}):
            raise NotOurs(
                f'{kind.name} "{key_of(known)}" already exists and belongs to nothing: delete it, or rename it'
            )

    def _cached(self, kind: Kind, key: Key) -> AnyObject | None:
        store = self._stores(kind)
        return store.get(key) if store is not None else None

    def note(self, key: Key, kind: Kind, answer: AnyObject) -> None:
        """Remember a write that was made for the object `key`, for `caught_up`."""
        store = self._stores(kind)
        if store is not None and not store.partial:
            written = PendingWrite(store, key_of(answer), uid_of(answer), version_of(answer))
            self._written.setdefault(key, []).append(written)


def _remember(children: dict[tuple[Kind, Key], Applied], child: tuple[Kind, Key], applied: Applied, limit: int) -> None:
    children[child] = applied
    if len(children) > limit:  # deleted owners are not reported; the oldest entries are most likely theirs
        del children[next(iter(children))]


Step: TypeAlias = Callable[[], Awaitable[None]]


async def in_growing_batches(steps: Sequence[Step]) -> list[Outcome]:
    """One, then two, then four at once and so on; a batch in which something failed is the last.

    So what will be refused every time, by a quota for example, is not asked for five hundred times.
    """
    at, together = 0, 1
    while at < len(steps):
        batch = steps[at : at + together]
        outcomes = await asyncio.gather(*(step() for step in batch), return_exceptions=True)
        failures = [outcome for outcome in outcomes if outcome is not None]
        failed = [failure.outcome for failure in failures if isinstance(failure, Failed)]
        if len(failed) < len(failures):
            raise next(failure for failure in failures if not isinstance(failure, Failed))
        if failed:
            return failed
        at, together = at + len(batch), min(2 * together, MAX_CONCURRENT_WRITES)
    return []


def wire_of(obj: AnyObject) -> Json:
    return obj if isinstance(obj, dict) else msgspec.to_builtins(obj)


def covers(live: Any, wanted: Any) -> bool:
    """Whether applying `wanted` would leave `live` as it is: every field wanted is there with that value.

    Lists of named things (containers, ports, env) are matched by name and `live` may have more of them, since
    admission adds its own; other lists must be equal in length. Absent and empty are the same.
    """
    if isinstance(wanted, dict):
        fields = cast(Json, wanted)
        if not isinstance(live, dict):
            return not fields and live is None
        found = cast(Json, live)
        return all(key in ("apiVersion", "kind") or covers(found.get(key), value) for key, value in fields.items())
    if isinstance(wanted, list):
        return _covers_list(live, cast(list[Any], wanted))
    return wanted == live or (not wanted and live is None)


def _covers_list(live: Any, wanted: list[Any]) -> bool:
    items = cast(list[Any], live) if isinstance(live, list) else []
    named = _by_name(items)
    if named is not None and wanted and (wanted_by_name := _by_name(wanted)) is not None:
        return all(name in named and covers(named[name], item) for name, item in wanted_by_name.items())
    return len(items) == len(wanted) and all(map(covers, items, wanted))


def _by_name(items: list[Any]) -> Json | None:
    """The items by their identifying member, if all have one and no two the same."""
    for identifier in ("uid", "name"):
        found: Json = {
            str(cast(Json, item)[identifier]): item for item in items if isinstance(item, dict) and identifier in item
        }
        if len(found) == len(items):
            return found
    return None


def merge_difference(old: Json, new: Json) -> Json:
    """The merge patch that turns `old` into `new`; empty when they are equal."""
    patch: Json = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            inner = merge_difference(cast(Json, before), cast(Json, value))
            if inner:
                patch[key] = inner
        elif value != before or key not in old:
            patch[key] = value
    return patch
