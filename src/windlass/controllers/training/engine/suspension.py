"""A job that is told to rest: everything it holds is given back, and it can be resumed."""

import msgspec

from windlass.apis.training.common import JobStatus
from windlass.controllers.training.engine import restarts, words
from windlass.controllers.training.engine.conditions import CREATED, RUNNING, SUSPENDED, with_condition, with_message
from windlass.controllers.training.engine.look import Look
from windlass.kube.conditions import is_true
from windlass.kube.json import timestamp
from windlass.kube.objects import AnyObject, is_deleting
from windlass.kube.plan import Delete, Note, Patch, Plan

RESUMED = "Resumed"


def suspended(look: Look) -> Plan:
    """Nothing of it runs. What its pods had been restarted is counted before they go."""
    restarted = [m for m in look.roster if m.restarts and m.uid not in look.restarts.pods]
    if restarted:
        count = restarts.counted(look.job, look.restarts, look.roster, restarted, recreated=0)
        return Plan([Patch(look.job.obj, restarts.as_patch(count))])
    job, now = look.job, look.now
    message = f"{job.kind} {job.name} is suspended."
    reason = look.reason(SUSPENDED)
    conditions = with_condition(look.status.conditions, CREATED, look.reason(CREATED), words.created(job), now)
    conditions = with_message(conditions, CREATED, words.created(job), now)
    if is_true(conditions, RUNNING):
        conditions = with_condition(conditions, RUNNING, reason, message, now, status="False")
    is_new = not is_true(conditions, SUSPENDED)
    conditions = with_condition(conditions, SUSPENDED, reason, message, now)
    counts = {name: msgspec.structs.replace(count, active=0) for name, count in look.counts().items()}
    status = msgspec.structs.replace(look.status, conditions=conditions, replica_statuses=counts)
    held: list[AnyObject] = [*look.roster.pods, *look.roster.services.values(), *look.pod_groups(), *look.extras()]
    return Plan(
        [*(Delete(obj) for obj in held if not is_deleting(obj))],
        status=status,
        events=[Note(reason=reason, message=message)] if is_new else (),
    )


def resumed(look: Look) -> tuple[JobStatus, list[Note]]:
    """The status of a job that may run, and what is told if it could not until now: its clock starts anew."""
    status = look.status
    if not is_true(status.conditions, SUSPENDED):
        return status, []
    message = f"{look.job.kind} {look.job.name} is resumed."
    conditions = with_condition(status.conditions, SUSPENDED, look.reason(RESUMED), message, look.now, status="False")
    note = Note(reason=look.reason(RESUMED), message=message)
    return msgspec.structs.replace(status, conditions=conditions, start_time=timestamp(look.now)), [note]
