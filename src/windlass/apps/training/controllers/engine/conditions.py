"""The conditions of a training job: the newest is last, and of Succeeded and Failed at most one is ever true."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from windlass.apps.training.kinds.common import JobCondition
from windlass.kube.conditions import find, is_true
from windlass.kube.json import timestamp

CREATED, RUNNING, RESTARTING, SUSPENDED = "Created", "Running", "Restarting", "Suspended"
SUCCEEDED, FAILED = "Succeeded", "Failed"
EXCLUDED = {RUNNING: RESTARTING, RESTARTING: RUNNING}


def is_finished(conditions: Sequence[JobCondition]) -> bool:
    return is_true(conditions, SUCCEEDED) or is_true(conditions, FAILED)


def newest(conditions: Sequence[JobCondition]) -> str:
    """What the job is now, as the State column shows it."""
    return conditions[-1].type if conditions else ""


def with_condition(
    conditions: Sequence[JobCondition], type: str, reason: str, message: str, now: datetime, *, status: str = "True"
) -> list[JobCondition]:
    """`conditions` with this one as the newest, unless it says nothing new or the job has ended."""
    old = find(conditions, type)
    if is_finished(conditions) or (old is not None and (old.status, old.reason) == (status, reason)):
        return list(conditions)
    moment = timestamp(now)
    since = old.last_transition_time if old is not None and old.status == status else moment
    new = JobCondition(
        type=type, status=status, reason=reason, message=message, last_update_time=moment, last_transition_time=since
    )
    kept = [one for one in conditions if one.type not in (type, EXCLUDED.get(type))]
    if type in (SUCCEEDED, FAILED):
        kept = [_ended(one, moment) for one in kept if one.type != RESTARTING]
    return [*kept, new]


def with_message(conditions: Sequence[JobCondition], type: str, message: str, now: datetime) -> list[JobCondition]:
    """The condition `type`, if there is one, says this now; it stays where it is."""
    return [
        msgspec.structs.replace(one, message=message, last_update_time=timestamp(now))
        if one.type == type and one.message != message
        else one
        for one in conditions
    ]


def _ended(condition: JobCondition, moment: str) -> JobCondition:
    if condition.type != RUNNING or condition.status == "False":
        return condition
    return msgspec.structs.replace(condition, status="False", last_update_time=moment, last_transition_time=moment)
