"""Binds the pods of a gang together: all of them, or none.

Windlass' own server does it in one transaction (GangBinding). Any other is sent the bindings side by side, and if one
of them fails, those pods that were bound in the same attempt are deleted again: a pod cannot be taken off its node.

Pods that have nothing to do with each other can share requests too (`bind_each`): sixteen in one request cost the
server less than half of what sixteen requests do, and this process an eighth.

A call may be made again after it raised, as often as it takes: pods that are where they should be count as bound.
"""

import asyncio
import logging
import re
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from windlass.apis.core_v1 import Pod
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.json import Object as Json
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.view import typed

PODS = KINDS.of(Pod)
API_VERSION, KIND, PLURAL = "scheduling.windlass.dev/v1", "GangBinding", "gangbindings"
IN_FLIGHT = 16  # requests at once where the pods are bound one by one

HELD_BACK = "another pod of its gang could not be bound"
UNDONE = f"was bound and has been deleted: {HELD_BACK}"

T = TypeVar("T")

_ENTRY = re.compile(r"bindings\[(\d+)\]")

log = logging.getLogger(__name__)


class Bind(NamedTuple):
    """What is wanted of one pod. Its claims are bound already."""

    key: Key
    uid: str
    node: str
    notes: tuple[tuple[str, str], ...] = ()
    """Annotations that the pod gets with its node."""


State = Literal["bound", "refused", "held back", "undone"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a pod: `refused` is for a reason of its own, `held back` and `undone` for the others' sake."""

    state: State
    why: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of each pod of an attempt."""

    outcomes: Mapping[Key, Outcome]

    @property
    def whole(self) -> bool:
        return all(outcome.state == "bound" for outcome in self.outcomes.values())

    @property
    def bound(self) -> tuple[Key, ...]:
        return self._in("bound")

    @property
    def undone(self) -> tuple[Key, ...]:
        """Pods that are being deleted: their owners create others."""
        return self._in("undone")

    @property
    def failed(self) -> dict[Key, str]:
        """Why, for each pod that is not bound."""
        return {key: outcome.why for key, outcome in self.outcomes.items() if outcome.state != "bound"}

    def _in(self, state: State) -> tuple[Key, ...]:
        return tuple(key for key, outcome in self.outcomes.items() if outcome.state == state)


class BindingClient:
    """One for a server: it asks once whether that has GangBindings.

    `together=False` goes the way that works on any server, whatever this one has.
    """

    def __init__(self, api: Api, *, together: bool = True) -> None:
        self._api = api
        self._kind: Kind | None = None
        self._asked = not together

    async def bind_together(self, namespace: str, binds: Sequence[Bind | tuple[Key, str, str]]) -> Result:
        """Bind all of these pods of a namespace, or see that none of them stays bound.

        Raises `ApiError` only where the server does not say how things stand: then nothing is known, and the call is
        to be made again.
        """
        wanted = [_as_bind(bind) for bind in binds]
        kind = await self._served()
        if kind is not None:
            try:
                return await self._in_one_transaction(kind, namespace, wanted)
            except _NotServed:
                self._kind = None
        return await self._side_by_side(wanted)

    async def bind_each(self, namespace: str, binds: Sequence[Bind | tuple[Key, str, str]]) -> Result:
        """Bind pods that do not depend on each other, with as few requests as the server allows.

        Those that it refuses are left out and the others sent again. Raises as `bind_together` does.
        """
        wanted = [_as_bind(bind) for bind in binds]
        outcomes: dict[Key, Outcome] = {}
        kind = await self._served()
        while kind is not None and wanted:
            try:
                result = await self._in_one_transaction(kind, namespace, wanted)
            except _NotServed:
                kind = self._kind = None
                break
            outcomes |= {key: outcome for key, outcome in result.outcomes.items() if outcome.state != "held back"}
            wanted = [bind for bind in wanted if bind.key not in outcomes]
        if wanted:
            _, refused = await self._one_by_one(wanted)
            outcomes |= {bind.key: refused.get(bind.key) or Outcome("bound") for bind in wanted}
        return Result(outcomes)

    async def _served(self) -> Kind | None:
        if not self._asked:
            try:
                self._kind = await self._api.find_kind(API_VERSION, KIND)
            except errors.NotFound:
                self._kind = None
            self._asked = True
        return self._kind

    # --- by one GangBinding

    async def _in_one_transaction(self, kind: Kind, namespace: str, wanted: list[Bind]) -> Result:
        bindings = [_binding(bind) for bind in wanted]
        body: Json = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"namespace": namespace}}
        try:
            await self._api.create({**body, "bindings": bindings}, kind=kind)
        except errors.ApiError as error:
            return await self._not_bound(wanted, error)
        return Result({bind.key: Outcome("bound") for bind in wanted})

    async def _not_bound(self, wanted: list[Bind], error: errors.ApiError) -> Result:
        """Why not. An earlier attempt without an answer may have bound them: then all is well."""
        log.info("binding a gang failed pods=%d error=%s", len(wanted), error)
        if _is_not_served(error):
            raise _NotServed from error
        refused = _refused(wanted, error)
        if _is_in_doubt(error) or len(refused) == len(wanted):
            there = await self._bound_among(wanted)
            if len(there) == len(wanted):
                return Result({bind.key: Outcome("bound") for bind in wanted})
        return Result({bind.key: refused.get(bind.key) or Outcome("held back", HELD_BACK) for bind in wanted})

    # --- by a Binding each

    async def _side_by_side(self, wanted: list[Bind]) -> Result:
        bound, refused = await self._one_by_one(wanted)
        if not refused:
            return Result({bind.key: Outcome("bound") for bind in wanted})
        log.info("deleting bound pods of a gang that could not be bound whole pods=%s", [str(b.key) for b in bound])
        await _some_at_once(self._undo(bind) for bind in bound)
        return Result({bind.key: refused.get(bind.key) or Outcome("undone", UNDONE) for bind in wanted})

    async def _one_by_one(self, wanted: list[Bind]) -> tuple[list[Bind], dict[Key, Outcome]]:
        """Those that are bound now, and why the others are not."""
        answers = await _some_at_once(self._bind(bind) for bind in wanted)
        failed = {bind: answer for bind, answer in zip(wanted, answers, strict=True) if answer.state != "bound"}
        there = await self._bound_among(failed)
        refused = {bind.key: outcome for bind, outcome in failed.items() if bind not in there}
        return [bind for bind in wanted if bind.key not in refused], refused

    async def _bind(self, bind: Bind) -> Outcome:
        body: Json = {"apiVersion": "v1", "kind": "Binding", **_binding(bind)}
        try:
            await self._api.create_under(PODS, bind.key, "binding", body)
        except errors.ApiError as error:
            return Outcome("refused", str(error))
        return Outcome("bound")

    async def _undo(self, bind: Bind) -> None:
        try:
            await self._api.delete(PODS, bind.key, uid=bind.uid)
        except (errors.NotFound, errors.Conflict):
            return  # that pod is gone already

    # --- what the server knows

    async def _bound_among(self, binds: Iterable[Bind]) -> list[Bind]:
        """Those that are on the node they should be on."""
        asked = list(binds)
        found = await _some_at_once(self._is_there(bind) for bind in asked)
        return [bind for bind, there in zip(asked, found, strict=True) if there]

    async def _is_there(self, bind: Bind) -> bool:
        try:
            pod = await self._api.get(typed(Pod), bind.key.name, bind.key.namespace)
        except errors.NotFound:
            return False
        return pod.metadata.uid == bind.uid and pod.spec.node_name == bind.node


def _is_not_served(error: errors.ApiError) -> bool:
    """Whether the server has no GangBindings for us; a namespace that is gone or going, or a pod, is another matter."""
    if isinstance(error, errors.Forbidden):
        return error.kind == PLURAL and not error.causes  # a namespace that is being terminated is a cause
    is_unknown = isinstance(error, errors.NotFound | errors.MethodNotAllowed) and not error.causes
    return is_unknown and error.kind in ("", PLURAL)


class _NotServed(Exception):
    """The server has no GangBindings (any more), or none for this scheduler."""


async def bind_together(api: Api, namespace: str, binds: Sequence[Bind | tuple[Key, str, str]]) -> Result:
    """`BindingClient.bind_together` for a single time."""
    return await BindingClient(api).bind_together(namespace, binds)


def _as_bind(given: Bind | tuple[Key, str, str]) -> Bind:
    return given if isinstance(given, Bind) else Bind(*given)


def _binding(bind: Bind) -> Json:
    notes: Json = {"annotations": dict(bind.notes)} if bind.notes else {}
    return {
        "metadata": {"name": bind.key.name, "namespace": bind.key.namespace, "uid": bind.uid, **notes},
        "target": {"apiVersion": "v1", "kind": "Node", "name": bind.node},
    }


def _is_in_doubt(error: errors.ApiError) -> bool:
    """Whether the server may have done it all the same."""
    return error.code >= 500 or isinstance(error, errors.TooManyRequests)


def _refused(wanted: list[Bind], error: errors.ApiError) -> dict[Key, Outcome]:
    """Which pods the server names as those that cannot be bound; all where it names none."""
    refused: dict[Key, Outcome] = {}
    for cause in error.causes:
        entry = _ENTRY.match(cause.field)
        if entry is not None and int(entry[1]) < len(wanted):
            refused[wanted[int(entry[1])].key] = Outcome("refused", cause.message)
    return refused or {bind.key: Outcome("refused", str(error)) for bind in wanted}


async def _some_at_once(jobs: Iterable[Coroutine[None, None, T]]) -> list[T]:
    """Their answers in order; a few of them run at a time. What one raises is raised when all are over."""
    turns = asyncio.Semaphore(IN_FLIGHT)

    async def in_turn(job: Coroutine[None, None, T]) -> T:
        async with turns:
            return await job

    answers = await asyncio.gather(*[in_turn(job) for job in jobs], return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]
