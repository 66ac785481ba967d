"""ScheduledWorkflow -> a run at each slot of its trigger, as far as the limit of active runs allows.

The order of writes makes it safe to be killed at any point. For each slot:

1. The status records the slot and the index of its run as being started; if the object has changed since it was
   read, this write is refused and the decision is made again.
2. The run is started, under a name and an id that follow from the schedule and the index.
3. The status records the slot that follows.

Killed before 1, the slot is still due. Killed between 1 and 3, the run is started again unless its Workflow exists, and
`Start` makes nothing twice. After 3 the run is never started again, even if a user deletes it.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol, TypeAlias

import msgspec

from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.kinds.scheduled_workflow import ScheduledWorkflow, ScheduledWorkflowStatus
from windlass.apps.pipelines.schedules.decision import Decision, Slot, decide, is_starting
from windlass.apps.pipelines.schedules.naming import run_id, run_name, schedule_label
from windlass.apps.pipelines.schedules.recurrence import Progress, ScheduledRun, read_progress, runs_of, time_text
from windlass.apps.pipelines.schedules.status import observed_status, problem_of
from windlass.kube import errors, refusals
from windlass.kube.applier import merge_difference
from windlass.kube.controller import Acted, Acting, Api, Observed, Selecting
from windlass.kube.json import encode
from windlass.kube.kind import KINDS
from windlass.kube.moments import span
from windlass.kube.objects import is_deleting
from windlass.kube.plan import Event
from windlass.kube.view import metadata_only, typed

WORKFLOWS = metadata_only(Workflow)
RETRY_INTERVAL = timedelta(minutes=1)
"""Until a run that could not be started is tried again; a change of the schedule does so at once."""

RECORD_RETRY_INTERVAL = timedelta(seconds=5)
"""Until a schedule that could not be recorded is tried again: its pipeline may have been applied with it."""

REPORT_INTERVAL = timedelta(seconds=10)
"""Until a new schedule is compared with its record again."""


class Start(Protocol):
    """Starts a run: makes its record and its Workflow, with `naming.workflow_labels`, unless they exist.

    Nothing is made twice: a run whose record exists and whose Workflow is gone has ended, or was deleted. Returns once
    the Workflow exists. Raises ValueError, with a message for the user, if the run cannot be made, such as for a
    pipeline that was deleted.
    """

    def __call__(
        self,
        scheduled_workflow: ScheduledWorkflow,
        api: Api,
        /,
        *,
        name: str,
        run_id: str,
        index: int,
        scheduled_at: float,
    ) -> Awaitable[None]: ...


class Records(Protocol):
    """Records schedules that users wrote as recurring runs, so that the API shows them and their runs start."""

    async def record(self, schedule: ScheduledWorkflow, api: Api, /) -> bool:
        """Bring the record up to date; False if the object was changed first, which will be observed.

        Raises ValueError, with a message for the user, if the schedule cannot be recorded.
        """
        ...

    async def report(self, schedule: ScheduledWorkflow, problem: str, /) -> bool:
        """Write to the record whether the schedule is enabled, and why no run can be started; empty if one can.

        False if the schedule is so new that this is to be asked again.
        """
        ...

    async def forget(self, schedule: ScheduledWorkflow, api: Api, /) -> None:
        """Remove the record of a schedule that is being deleted."""
        ...


Clock: TypeAlias = Callable[[], float]


def controller(
    start: Start, zone: tzinfo = UTC, clock: Clock = time.time, records: Records | None = None
) -> Acting[ScheduledWorkflow]:
    """The controller for a manager; cron expressions are read in `zone`."""
    starter = Starter(start, zone, clock, records)
    return Acting(
        "scheduled-workflow",
        ScheduledWorkflow,
        starter.act,
        watches=[(WORKFLOWS, Selecting(lambda schedule: schedule_label(schedule.metadata.name)))],
        workers=4,
    )


@dataclass(slots=True)
class Attempt:
    """How far the starts of one decision have come."""

    schedule: ScheduledWorkflow
    """As it is after the last write."""
    problem: str = ""
    """Why a run could not be started; those after it were not tried."""
    retry_interval: timedelta = RETRY_INTERVAL
    events: list[Event] = field(default_factory=list[Event])


@dataclass(frozen=True, slots=True)
class Starter:
    """Starts the runs of schedules; remembers nothing from one to the next."""

    start: Start
    zone: tzinfo
    clock: Clock
    records: Records | None = None

    async def act(self, schedule: ScheduledWorkflow, observed: Observed, api: Api) -> Acted | None:
        if is_deleting(schedule):
            if self.records is not None:
                await self.records.forget(schedule, api)
            return None
        now = self.clock()
        runs = runs_of(schedule, observed.labelled(WORKFLOWS, schedule_label(schedule.metadata.name)))
        decision = decide(schedule, runs, now, self.zone)
        try:
            if self.records is not None and not await self.records.record(schedule, api):
                return None
        except ValueError as bad:
            attempt = Attempt(schedule, problem=str(bad), retry_interval=RECORD_RETRY_INTERVAL)
            return await self._finish(attempt, replace(decision, starts=()), runs, now, api)
        if not decision.starts:
            return await self._finish(Attempt(schedule), decision, runs, now, api)
        # The caches may not show the latest writes; only the server knows how many runs are active.
        current = await _current(schedule, api)
        if current is None:
            return None
        decision = decide(current, await _runs(current, api), now, self.zone)
        attempt = await self._start_all(current, decision, api)
        return await self._finish(attempt, decision, await _runs(current, api), now, api)

    async def _start_all(self, schedule: ScheduledWorkflow, decision: Decision, api: Api) -> Attempt:
        attempt = Attempt(schedule)
        for slot in decision.starts:
            if not slot.is_recorded:
                progress = Progress(last_slot=slot.at, next_slot=slot.at, last_index=slot.index)
                status = msgspec.structs.replace(attempt.schedule.status, trigger=progress.to_json())
                attempt.schedule = await _write(attempt.schedule, status, api)
            attempt.problem = await self._start(attempt.schedule, slot, api)
            if attempt.problem:
                break
            message = f"Started run {_name(schedule, slot)} of {time_text(slot.at)}"
            attempt.events.append(Event(reason="RunStarted", message=message))
        return attempt

    async def _start(self, schedule: ScheduledWorkflow, slot: Slot, api: Api) -> str:
        """Start the run of a slot; answers why it cannot be started."""
        name = _name(schedule, slot)
        identifier = run_id(schedule.metadata.uid, name)
        try:
            await self.start(schedule, api, name=name, run_id=identifier, index=slot.index, scheduled_at=slot.at)
        except ValueError as bad:
            return str(bad) or type(bad).__name__
        except errors.ApiError as refused:
            if not refusals.is_reportable(refused):
                raise
            return refused.message
        return ""

    async def _finish(
        self, attempt: Attempt, decision: Decision, runs: list[ScheduledRun], now: float, api: Api
    ) -> Acted:
        """Write the status, and answer when to act again."""
        schedule, problem = attempt.schedule, attempt.problem or decision.problem
        progress = read_progress(schedule)
        if not is_starting(progress, runs) or (decision.starts and not attempt.problem):
            progress = replace(progress, next_slot=decision.next_slot)
        status = observed_status(schedule, decision, runs, progress, problem, datetime.fromtimestamp(now, UTC))
        events = list(attempt.events)
        if problem and problem != problem_of(schedule):
            events.append(Event(reason="CannotStart", message=problem, warning=True))
        await _write(schedule, status, api)
        again_in = self._again_in(attempt, decision, now)
        if self.records is not None and not await self.records.report(schedule, problem):
            again_in = min(again_in or REPORT_INTERVAL, REPORT_INTERVAL)
        return Acted(again_in=again_in, events=events)

    def _again_in(self, attempt: Attempt, decision: Decision, now: float) -> timedelta | None:
        """Until the next slot. A slot that waits for a run to finish is started when that run's Workflow changes."""
        if attempt.problem:
            return attempt.retry_interval
        if decision.next_slot is None or decision.next_slot <= now:
            return None
        return span(max(0.0, decision.next_slot - self.clock()))


def _name(schedule: ScheduledWorkflow, slot: Slot) -> str:
    return run_name(schedule.metadata.name, schedule.metadata.uid, slot.index)


async def _current(schedule: ScheduledWorkflow, api: Api) -> ScheduledWorkflow | None:
    """The object as the server has it; None if it is gone, or another has its name."""
    key, uid = schedule.metadata.key, schedule.metadata.uid
    try:
        current = await api.get(typed(ScheduledWorkflow), key.name, key.namespace)
    except errors.NotFound:
        return None
    return current if current.metadata.uid == uid and not is_deleting(current) else None


async def _runs(schedule: ScheduledWorkflow, api: Api) -> list[ScheduledRun]:
    labels = ",".join(f"{label}={value}" for label, value in schedule_label(schedule.metadata.name).items())
    return runs_of(schedule, (await api.list(WORKFLOWS, schedule.metadata.namespace, labels=labels)).items)


async def _write(schedule: ScheduledWorkflow, status: ScheduledWorkflowStatus, api: Api) -> ScheduledWorkflow:
    """Write the status unless the object has changed since it was read; answers the object as it is then."""
    difference = merge_difference(msgspec.to_builtins(schedule.status), msgspec.to_builtins(status))
    if not difference:
        return schedule
    version = schedule.metadata.resource_version
    kind = KINDS.of(ScheduledWorkflow)
    written = await api.set_status(kind, schedule.metadata.key, difference, resource_version=version)
    return typed(ScheduledWorkflow).decode(encode(written))
