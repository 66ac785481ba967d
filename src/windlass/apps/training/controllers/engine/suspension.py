"""Suspension of a job: everything it holds is given back, and it can be resumed."""

import msgspec

from windlass.apps.training.controllers.engine import messages, restarts
from windlass.apps.training.controllers.engine.conditions import (
    CREATED,
    RUNNING,
    SUSPENDED,
    with_condition,
    with_message,
)
from windlass.apps.training.controllers.engine.training_state import TrainingState
from windlass.apps.training.kinds.common import JobStatus
from windlass.kube.conditions import is_true
from windlass.kube.json import timestamp
from windlass.kube.objects import AnyObject, is_deleting
from windlass.kube.plan import Delete, Event, Patch, Plan

RESUMED = "Resumed"


def suspended(current: TrainingState) -> Plan:
    """Nothing of it runs. What its pods had been restarted is counted before they go."""
    restarted = [m for m in current.roster if m.restarts and m.uid not in current.restarts.pods]
    if restarted:
        count = restarts.counted(current.job, current.restarts, current.roster, restarted, recreated=0)
        return Plan([Patch(current.job.obj, restarts.as_patch(count))])
    job, now = current.job, current.now
    message = f"{job.kind} {job.name} is suspended."
    reason = current.reason(SUSPENDED)
    conditions = with_condition(current.status.conditions, CREATED, current.reason(CREATED), messages.created(job), now)
    conditions = with_message(conditions, CREATED, messages.created(job), now)
    if is_true(conditions, RUNNING):
        conditions = with_condition(conditions, RUNNING, reason, message, now, status="False")
    is_new = not is_true(conditions, SUSPENDED)
    conditions = with_condition(conditions, SUSPENDED, reason, message, now)
    counts = {name: msgspec.structs.replace(count, active=0) for name, count in current.counts().items()}
    status = msgspec.structs.replace(current.status, conditions=conditions, replica_statuses=counts)
    held: list[AnyObject] = [
        *current.roster.pods,
        *current.roster.services.values(),
        *current.pod_groups(),
        *current.extras(),
    ]
    return Plan(
        [*(Delete(obj) for obj in held if not is_deleting(obj))],
        status=status,
        events=[Event(reason=reason, message=message)] if is_new else (),
    )


def resumed(current: TrainingState) -> tuple[JobStatus, list[Event]]:
    """The status of a job that may run, and the event if it could not until now: its clock restarts."""
    status = current.status
    if not is_true(status.conditions, SUSPENDED):
        return status, []
    message = f"{current.job.kind} {current.job.name} is resumed."
    conditions = with_condition(
        status.conditions, SUSPENDED, current.reason(RESUMED), message, current.now, status="False"
    )
    note = Event(reason=current.reason(RESUMED), message=message)
    return msgspec.structs.replace(status, conditions=conditions, start_time=timestamp(current.now)), [note]
