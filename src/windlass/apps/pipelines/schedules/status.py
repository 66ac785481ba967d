"""The status of a ScheduledWorkflow: progress, conditions, and the runs that are active and completed. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from windlass.apps.pipelines.kinds.scheduled_workflow import ScheduledWorkflow, ScheduledWorkflowStatus
from windlass.apps.pipelines.schedules.decision import Decision, active_count, is_waiting
from windlass.apps.pipelines.schedules.recurrence import Progress, ScheduledRun, time_text
from windlass.kube import conditions
from windlass.kube.json import Object
from windlass.kube.meta import Condition

ENABLED, DISABLED, RUNNING, SUCCEEDED, ERROR = "Enabled", "Disabled", "Running", "Succeeded", "Error"
DEFAULT_HISTORY, MAX_HISTORY = 10, 100


def observed_status(
    schedule: ScheduledWorkflow,
    decision: Decision,
    runs: Sequence[ScheduledRun],
    progress: Progress,
    problem: str,
    now: datetime,
) -> ScheduledWorkflowStatus:
    """The status once nothing is left to start, or nothing can be started because of a `problem`."""
    return ScheduledWorkflowStatus(
        conditions=_conditions(schedule, _state(schedule, decision, runs, progress, now), problem, now),
        trigger=progress.to_json(),
        workflow_history=_history(schedule, runs),
    )


def _state(
    schedule: ScheduledWorkflow, decision: Decision, runs: Sequence[ScheduledRun], progress: Progress, now: datetime
) -> Condition:
    if not schedule.spec.enabled:
        return _condition(DISABLED, "Disabled", "No runs are started; active runs continue.")
    if decision.is_once and progress.last_slot is not None and not progress.is_starting:
        if active_count(runs):
            return _condition(RUNNING, "Running", "The only run is active.")
        return _condition(SUCCEEDED, "Finished", "The only run has finished.")
    if decision.problem:
        return _condition(ENABLED, "Enabled", "No runs are started: the trigger cannot be followed.")
    if decision.next_slot is None:
        return _condition(ENABLED, "Enabled", "The trigger has no further times.")
    if decision.next_slot <= now.timestamp() and is_waiting(schedule, runs):
        slot, count = time_text(decision.next_slot), active_count(runs)
        message = f"The run of {slot} waits: {count} runs are active, as many as spec.maxConcurrency allows."
        return _condition(ENABLED, "MaxConcurrencyReached", message)
    return _condition(ENABLED, "Enabled", "Runs are started at the times of the trigger.")


def _condition(type: str, reason: str, message: str) -> Condition:
    return Condition(type=type, status="True", reason=reason, message=message)


def _conditions(schedule: ScheduledWorkflow, state: Condition, problem: str, now: datetime) -> list[Object]:
    """The state, and an error if there is one; each keeps the time since when it holds."""
    wanted = [state, *([_condition(ERROR, "CannotStart", problem)] if problem else [])]
    known = [condition for each in schedule.status.conditions if (condition := _known(each)) is not None]
    kept = [condition for condition in known if condition.type in {each.type for each in wanted}]
    for condition in wanted:
        kept = conditions.with_condition(kept, condition, now)
    return [msgspec.to_builtins(condition) for each in wanted if (condition := conditions.find(kept, each.type))]


def _known(written: Any) -> Condition | None:
    try:
        return msgspec.convert(written, Condition)
    except msgspec.ValidationError:
        return None


def problem_of(schedule: ScheduledWorkflow) -> str:
    """The error that the status reports."""
    known = [condition for each in schedule.status.conditions if (condition := _known(each)) is not None]
    error = conditions.find(known, ERROR)
    return error.message if error is not None else ""


def _history(schedule: ScheduledWorkflow, runs: Sequence[ScheduledRun]) -> Object:
    """Active runs from the oldest, completed ones from the newest, of which `spec.maxHistory` are kept."""
    limit = schedule.spec.max_history
    limit = DEFAULT_HISTORY if limit is None else max(0, min(limit, MAX_HISTORY))
    active = [_entry(run) for run in runs if not run.is_finished]
    completed = [_entry(run) for run in reversed(runs) if run.is_finished][:limit]
    return ({"active": active} if active else {}) | ({"completed": completed} if completed else {})


def _entry(run: ScheduledRun) -> Object:
    entry: Object = {
        "name": run.name,
        "namespace": run.namespace,
        "uid": run.uid,
        "index": run.index,
        "createdAt": run.created_at,
        "scheduledAt": time_text(run.scheduled_at),
    }
    return entry | ({"phase": run.phase} if run.phase else {})
