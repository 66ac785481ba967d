"""Decides what a ScheduledWorkflow starts now, from its object and the Workflows of its runs. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo

from windlass.apps.pipelines.kinds.scheduled_workflow import ScheduledWorkflow
from windlass.apps.pipelines.schedules.due import clamped, due, is_once
from windlass.apps.pipelines.schedules.recurrence import (
    Progress,
    ScheduledRun,
    created_at,
    max_concurrency_of,
    read_progress,
    read_trigger,
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A time at which a run is scheduled, and the run's index."""

    index: int
    at: float
    is_recorded: bool = False
    """Whether the status records it as being started already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    starts: tuple[Slot, ...] = ()
    next_slot: float | None = None
    """The first slot that is not started now; one that has passed waits for a run to finish."""
    problem: str = ""
    """Why the spec cannot be followed."""
    is_once: bool = False


def decide(schedule: ScheduledWorkflow, runs: Sequence[ScheduledRun], now: float, zone: tzinfo = UTC) -> Decision:
    progress = read_progress(schedule)
    try:
        trigger = read_trigger(schedule, zone)
    except ValueError as bad:
        return Decision(problem=str(bad))
    interrupted = _interrupted(progress, runs) if schedule.spec.enabled else ()
    due_slots = due(
        trigger,
        created_at=created_at(schedule),
        last_trigger=progress.last_slot,
        now=now,
        is_enabled=schedule.spec.enabled,
        max_concurrency=max_concurrency_of(schedule),
        active=active_count(runs) + len(interrupted),
        no_catchup=bool(schedule.spec.no_catchup),
        zone=zone,
    )
    slots = (Slot(progress.last_index + n, at) for n, at in enumerate(due_slots.slots, start=1))
    return Decision(starts=(*interrupted, *slots), next_slot=due_slots.next_at, is_once=is_once(trigger))


def _interrupted(progress: Progress, runs: Sequence[ScheduledRun]) -> tuple[Slot, ...]:
    """The slot of which it is unknown whether its run was started."""
    if progress.last_slot is None or not is_starting(progress, runs):
        return ()
    return (Slot(progress.last_index, progress.last_slot, is_recorded=True),)


def is_starting(progress: Progress, runs: Sequence[ScheduledRun]) -> bool:
    """Whether the run of the last slot is being started: recorded as such, and without a Workflow yet."""
    return progress.is_starting and all(run.index != progress.last_index for run in runs)


def active_count(runs: Sequence[ScheduledRun]) -> int:
    return sum(not run.is_finished for run in runs)


def is_waiting(schedule: ScheduledWorkflow, runs: Sequence[ScheduledRun]) -> bool:
    """Whether as many runs are active as the schedule allows."""
    return active_count(runs) >= clamped(max_concurrency_of(schedule))
