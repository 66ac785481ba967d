"""Carries effects out: each goes into a work queue, whose worker calls a writer and gives the result to the core.

A worker that raises is tried again, ever later. Nothing here decides.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import assert_never

from windlass.apis.core_v1 import Pod
from windlass.kube.controller import Runtime
from windlass.kube.meta import Key
from windlass.kube.queue import Queue
from windlass.kube.view import typed
from windlass.scheduler.live.core import effects as wanted
from windlass.scheduler.live.core.effects import Clock, Effect, RecordEvent, WritePodCondition
from windlass.scheduler.live.core.events import Event, ExtenderAnswered, GroupReported
from windlass.scheduler.live.core.scheduler_core import SchedulerCore, TurnFailed
from windlass.scheduler.live.writers.claims import Claims
from windlass.scheduler.live.writers.evictor import Evictor
from windlass.scheduler.live.writers.gang_binder import GangBinder
from windlass.scheduler.live.writers.group_writer import GroupWriter
from windlass.scheduler.live.writers.pace import Pace
from windlass.scheduler.live.writers.pod_binder import PodBinder
from windlass.scheduler.live.writers.pod_status import PodStatusWriter
from windlass.scheduler.live.writers.queue_writer import QueueWriter
from windlass.scheduler.live.writers.usage_reader import READ_INTERVAL, read_usage
from windlass.scheduler.model.gang_tasks import GroupKey

POD_BINDERS = 64  # those that wait at the same time share a request
GANG_BINDERS, WRITERS = 8, 4
STATUSES_A_SECOND, STATUSES_AT_ONCE = 100, 1000
"""Conditions of pods without a node that are written, at most, for all namespaces together."""
STATUSES_IN_LINE = 4 * WRITERS
"""Conditions handed to the writers at once: a new one waits behind no more, even where the server is slow."""
LOOP, USAGE, STATUSES = "turn", "read", "next"
"""The only keys of their queues."""


class Executor:
    """`turns` is the queue that wakes the loop, `extender_answers` the one with late answers of extenders."""

    def __init__(self, runtime: Runtime, core: SchedulerCore, clock: Clock, extender_answers: Queue[str]) -> None:
        api, pods, snapshot = runtime.api, runtime.store(typed(Pod)), core.state.snapshot
        claims = Claims(api, core.claim_plan)
        self._runtime, self._core, self._clock = runtime, core, clock
        self._pod_binder, self._gang_binder = PodBinder(api, pods, claims), GangBinder(api, pods, claims)
        self._evictor, self._pod_status = Evictor(api), PodStatusWriter(api, pods, snapshot)
        self._status_pace = Pace(STATUSES_A_SECOND, STATUSES_AT_ONCE)
        self._group_writer, self._queue_writer = GroupWriter(runtime), QueueWriter(api)
        self.turns: Queue[str] = runtime.queue("default_scheduler")
        self._pod_bindings: Queue[str] = runtime.queue("default_scheduler_bind")
        self._gang_bindings: Queue[int] = runtime.queue("gang_bind")
        self._evictions: Queue[str] = runtime.queue("gang_evict")
        self._pod_statuses: Queue[Key] = runtime.queue("default_scheduler_report")
        self._status_turns: Queue[str] = runtime.queue("default_scheduler_report_turns")
        self._group_statuses: Queue[GroupKey] = runtime.queue("pod_groups")
        self._queue_statuses: Queue[str] = runtime.queue("queue_status")
        self._node_usage: Queue[str] = runtime.queue("node_usage")
        self._extender_answers = extender_answers

    def start(self) -> None:
        """Run the workers of all queues but `turns`."""
        work = self._runtime.work
        work("default-scheduler-bind", self._pod_bindings, self._bind_pod, POD_BINDERS, self._pod_binder.about)
        work("default-scheduler-report", self._pod_statuses, self._write_pod, WRITERS, self._pod_status.about)
        work("default-scheduler-report-turns", self._status_turns, self._write_more, 1)
        work("gang-bind", self._gang_bindings, self._bind_gang, GANG_BINDERS)
        work("gang-evict", self._evictions, self._evict, WRITERS, self._evictor.about)
        work("queue-status", self._queue_statuses, self._write_queue, 1)
        work("node-usage", self._node_usage, self._read_usage, 1)
        work("extender-answers", self._extender_answers, self._extender_answered, 1)
        work("pod-groups", self._group_statuses, self._write_group, WRITERS)
        self._node_usage.add(USAGE)

    def deliver(self, *events: Event) -> None:
        """Give events to the core and carry out what follows; raises what the core raised over them."""
        failure: BaseException | None = None
        try:
            effects = self._core.turn(events, self._clock)
        except TurnFailed as failed:
            effects, failure = failed.effects, failed.__cause__
        self._carry_out(effects)
        if failure is not None:
            raise failure

    def _carry_out(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case wanted.Wake(after):
                    self.turns.add_after(LOOP, after)
                case wanted.BindPod():
                    self._pod_bindings.add(self._pod_binder.add(effect))
                case wanted.BindGang():
                    self._gang_bindings.add(self._gang_binder.add(effect))
                case wanted.RetryBindings():
                    self._retry_bindings()
                case wanted.EvictPod():
                    self._evictions.add(self._evictor.add(effect))
                case WritePodCondition():
                    self._write_later(effect)
                case wanted.ReportGroup(key, after):
                    self._group_statuses.add_after(key, after)
                case wanted.ReportQueue(name, after):
                    self._queue_statuses.add_after(name, after)
                case wanted.RecordEvent():
                    self._record(effect)
                case _:
                    assert_never(effect)

    def _write_later(self, effect: WritePodCondition) -> None:
        """Thousands of pods without a node must not keep the server from answering others."""
        key = self._pod_status.add(effect)
        if self._pod_status.is_urgent(effect):
            self._pod_statuses.add(key)
        else:
            self._status_pace.add(key)
            self._hand_out_statuses()

    def _hand_out_statuses(self) -> None:
        """Give the writers the conditions whose turn it is, and come back for the others.

        Where the writers have enough to do, the next that is done comes back.
        """
        pace, now = self._status_pace, self._clock.monotonic()
        while len(self._pod_statuses) < STATUSES_IN_LINE:
            key = pace.take(now)
            if key is None:
                if pace:
                    self._status_turns.add_after(STATUSES, pace.delay(now))
                return
            self._pod_statuses.add(key)

    def _record(self, event: RecordEvent) -> None:
        record = self._runtime.warn if event.is_warning else self._runtime.record
        record(event.component, event.about, event.kind, event.reason, event.message)

    def _retry_bindings(self) -> None:
        for uid in self._pod_binder.waiting:
            self._pod_bindings.add(uid)
        for number in self._gang_binder.waiting:
            self._gang_bindings.add(number)

    # --- workers: each answers when to try again

    async def _bind_pod(self, uid: str) -> timedelta | None:
        result = await self._pod_binder.bind(uid)
        return result if isinstance(result, timedelta) else self._answer(result)

    async def _bind_gang(self, number: int) -> timedelta | None:
        result = await self._gang_binder.bind(number)
        return result if isinstance(result, timedelta) else self._answer(result)

    def _answer(self, event: Event | None) -> None:
        if event is not None:
            self.deliver(event)

    async def _evict(self, uid: str) -> timedelta | None:
        evicted = await self._evictor.evict(uid)
        self._carry_out(evicted.events if evicted is not None else ())

    async def _write_pod(self, key: Key) -> timedelta | None:
        try:
            await self._pod_status.write(key)
        finally:
            self._hand_out_statuses()

    async def _write_more(self, _: str) -> timedelta | None:
        self._hand_out_statuses()

    async def _write_group(self, key: GroupKey) -> timedelta | None:
        await self._group_writer.caught_up(key)
        report = self._core.group_report(key, self._clock)
        if report is not None:
            self.deliver(GroupReported(report, await self._group_writer.write(report)))

    async def _write_queue(self, name: str) -> timedelta | None:
        report = self._core.queue_report(name)
        if report is not None:
            await self._queue_writer.write(report)

    async def _extender_answered(self, _: str) -> timedelta | None:
        self.deliver(ExtenderAnswered())

    async def _read_usage(self, _: str) -> timedelta | None:
        self._answer(await read_usage(self._runtime.api) if self._core.reads_usage else None)
        return READ_INTERVAL
