"""The loop that runs every controller: take a key, read the caches, reconcile, carry the plan out, release the key."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import msgspec

from windlass.kube import errors, meta, refusals
from windlass.kube.api import About
from windlass.kube.applier import Applier, StoreOf, merge_difference
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.controller import Acted, Acting, Controller, Observed
from windlass.kube.events import Recorder
from windlass.kube.faults import RETRIED, Faults
from windlass.kube.json import Object as Json
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.metrics import Metrics
from windlass.kube.objects import key_of, version_of
from windlass.kube.plan import Event, Outcome, Plan
from windlass.kube.queue import Queue
from windlass.kube.view import View, view

Q = TypeVar("Q", bound=Hashable)
Step = Callable[[Q], Awaitable[timedelta | None]]

TURN_SECONDS = 0.01  # of work without an await, after which other tasks get a turn
MAX_REFUSAL_DELAY_SECONDS = 300.0  # seconds until a refused write is tried again, if nothing changes before

log = logging.getLogger(__name__)


async def work(
    name: str,
    queue: Queue[Q],
    step: Step[Q],
    metrics: Metrics,
    faults: Faults | None = None,
    about: Callable[[Q], About | None] = lambda key: None,
) -> None:
    """Run until the queue is shut down. A step that fails is run again later, ever later.

    A defect is reported to `faults` on the object that the key is `about`.
    """
    faults = faults or Faults()
    errors_seen, active = metrics.errors.labels(name), metrics.active.labels(name)
    took = metrics.time.labels(name)
    turn = time.perf_counter()
    async for key in queue:
        began = time.perf_counter()
        if began - turn > TURN_SECONDS:  # no-op steps never await: a long queue would starve the event loop
            await asyncio.sleep(0)
            turn = began = time.perf_counter()
        active.inc()
        try:
            again_in = await step(key)
        except Exception as error:  # noqa: BLE001 - the loop outlives any one reconcile
            refused = refusals.is_refusal(error)
            repeated = refused and queue.repeats(key, _without_names(error, key))
            attempt = queue.failures(key) + 1
            delay = queue.retry(key, longest=MAX_REFUSAL_DELAY_SECONDS if refused else None)
            culprit = None if isinstance(error, errors.ApiError) else about(key)
            if culprit is not None:
                faults.report(name, error, *culprit, RETRIED)
            else:
                _log_failure(name, key, attempt, delay, error, repeated=repeated)
            errors_seen.inc()
            metrics.reconciles.labels(name, "error").inc()
        else:
            queue.done(key, again_in.total_seconds() if again_in is not None else None)
            metrics.reconciles.labels(name, "requeue_after" if again_in is not None else "success").inc()
        finally:
            active.dec()
            took.observe(time.perf_counter() - began)


def _log_failure(name: str, key: object, attempt: int, delay: float, error: Exception, *, repeated: bool) -> None:
    """A conflict is the price of not locking, and is resolved by a retry; a defect comes with its traceback, once.

    A refusal is logged in one line, and once: it is on the object too, and the same answer comes at every attempt.
    """
    is_known = isinstance(error, errors.ApiError)
    mends_itself = isinstance(error, errors.Conflict) and not refusals.is_refusal(error) and attempt < 5
    repeated = repeated or (not is_known and attempt > 1)
    log.log(
        logging.DEBUG if mends_itself or repeated else logging.WARNING,
        "reconcile failed controller=%s key=%s attempt=%d again_in=%.3fs error=%s: %s",
        name,
        key,
        attempt,
        delay,
        type(error).__name__,
        "; ".join(str(error).splitlines()),
        exc_info=None if isinstance(error, errors.ApiError) else error,
    )


def _without_names(error: Exception, key: object) -> str:
    """The message without the generated names of the object's children, which differ at every attempt."""
    return refusals.without_names(str(error), key.name) if isinstance(key, Key) else str(error)


class Declared:
    """The caches that a controller may read: those it has declared, which are synced before it starts."""

    def __init__(self, name: str, stores: Mapping[View[Any], Store[Any]]) -> None:
        self._name, self._stores = name, stores

    def __call__(self, of: View[Any]) -> Store[Any]:
        found = self._stores.get(of)
        if found is None:
            raise LookupError(f"the controller {self._name} reads {of} and declares it in neither owns nor watches")
        return found


def _own_stores_first(stores: Mapping[View[Any], Store[Any]], others: StoreOf) -> StoreOf:
    """Children are looked for where their changes come from: another cache of the kind may be ahead or behind."""
    own = {form.kind: stores[form] for form in sorted(stores, key=lambda form: form.lacks, reverse=True)}
    return lambda kind: own[kind] if kind in own else others(kind)


class Reconciler:
    """The step of a pure controller."""

    def __init__(
        self,
        controller: Controller[Any],
        client: Client,
        stores: Mapping[View[Any], Store[Any]],
        children: StoreOf,
        recorder: Recorder,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._controller, self._client, self._recorder, self._clock = controller, client, recorder, clock
        self._component = controller.component or controller.name
        self._kind = KINDS.of(controller.kind)
        self._stores = Declared(controller.name, stores)
        self._store = stores[view(controller.kind)]
        child_stores = _own_stores_first(stores, children)
        self._applier = Applier(
            client,
            child_stores,
            controller.name,
            owned=controller.children_owned,
            changes_orphans=controller.changes_orphans,
            on_outcome=self._record_outcome,
        )

    def about(self, key: Key) -> About | None:
        obj = self._store.get(key)
        return None if obj is None else (obj, self._kind)

    async def step(self, key: Key) -> timedelta | None:
        """Make one object's plan true. Safe to repeat, and to stop half-way: the next step starts over."""
        await self._applier.caught_up(key)
        obj = self._store.get(key)
        if obj is None:  # deleted; the garbage collector follows the owner references
            return None
        now = self._clock()
        plan = self._controller.reconcile(obj, Observed(self._stores, obj, now))
        failed = await self._applier.carry_out(plan, obj, self._kind)
        if failed:
            await self._report(obj, plan, failed, now)
            assert failed[0].error is not None
            raise failed[0].error
        await self._set_status(obj, self._settled(obj, plan))
        self._record(obj, plan.events)  # not sooner: a refused write is retried, and would repeat the events
        return plan.again_in

    async def _report(self, obj: meta.Object, plan: Plan, failed: Sequence[Outcome], now: datetime) -> None:
        """Write the status of an object of which a child was refused; the event is recorded already."""
        refused = refusals.reportable(failed)
        condition = self._controller.refusal_condition
        if not refused or (plan.status_if_refused is None and not condition):
            return
        status = _json(plan.status_if_refused(refused)) if plan.status_if_refused is not None else _status_of(obj)
        if condition:
            status = refusals.with_condition(status, condition, refused[0], obj.metadata.name, now)
        await self._set_status(obj, status)
        if plan.status_if_refused is not None:
            self._record(obj, plan.events)

    def _settled(self, obj: meta.Object, plan: Plan) -> Json | None:
        """The status of an object whose plan was carried out: nothing of it is refused any more."""
        condition = self._controller.refusal_condition
        if not condition or not refusals.has_condition(_status_of(obj), condition):
            return _json(plan.status) if plan.status is not None else None
        status = _json(plan.status) if plan.status is not None else _status_of(obj)
        return refusals.without_condition(status, condition)

    def _record(self, obj: meta.Object, notes: Sequence[Event]) -> None:
        for note in notes:
            self._recorder.record(self._component, obj, self._kind, note.reason, note.message, warning=note.warning)

    def _record_outcome(self, obj: meta.Object, outcome: Outcome) -> None:
        worded = self._controller.event_for(obj, outcome) if self._controller.event_for is not None else None
        note = worded or refusals.note(outcome)
        self._record(obj, [note] if note is not None else [])

    async def _set_status(self, obj: meta.Object, status: Json | None) -> None:
        if status is None:
            return
        difference = merge_difference(_status_of(obj), status)
        if difference:
            answer = await self._client.set_status(
                self._kind, key_of(obj), difference, resource_version=version_of(obj)
            )
            self._applier.note(key_of(obj), self._kind, answer)


def _json(status: meta.Struct) -> Json:
    return msgspec.to_builtins(status)


def _status_of(obj: meta.Object) -> Json:
    return msgspec.to_builtins(getattr(obj, "status", None) or {})


class Actor:
    """The step of an `Acting` controller."""

    def __init__(
        self,
        controller: Acting[Any],
        client: Client,
        stores: Mapping[View[Any], Store[Any]],
        recorder: Recorder,
    ) -> None:
        self._controller, self._client, self._recorder = controller, client, recorder
        self._stores = Declared(controller.name, stores)
        self._store, self._kind = stores[view(controller.kind)], KINDS.of(controller.kind)

    def about(self, key: Key) -> About | None:
        obj = self._store.get(key)
        return None if obj is None else (obj, self._kind)

    async def step(self, key: Key) -> timedelta | None:
        obj = self._store.get(key)
        if obj is None:
            return None
        try:
            done = await self._controller.act(obj, Observed(self._stores, obj, datetime.now(UTC)), self._client)
        except errors.ApiError as error:
            if refusals.is_reportable(error) and not isinstance(error, errors.NotFound):  # its object may be gone
                self._record(obj, Event(reason="FailedSync", message=f"Error syncing: {error.message}", warning=True))
            raise
        if not isinstance(done, Acted):
            return done
        for note in done.events:
            self._record(obj, note)
        return done.again_in

    def _record(self, obj: meta.Object, note: Event) -> None:
        name = self._controller.component or self._controller.name
        self._recorder.record(name, obj, self._kind, note.reason, note.message, warning=note.warning)
