"""What should be done about a training job now.

Each look does one thing that must be on record before the next: a failure is counted before its pod is replaced, an
end is written before anything is cleaned up. So a controller may be killed between any two writes.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import msgspec

from windlass.apis.bounds import MAX_CREATED
from windlass.apis.core_v1 import Pod, Service
from windlass.apis.training import job as jobs
from windlass.apis.training.common import JobStatus, TrainingJob
from windlass.apis.training.framework import Framework
from windlass.apis.training.options import DEFAULTS, Options
from windlass.controllers.training.engine import ends, restarts, words
from windlass.controllers.training.engine.children import pod_for, service_for
from windlass.controllers.training.engine.conditions import (
    CREATED,
    RESTARTING,
    RUNNING,
    SUSPENDED,
    is_finished,
    newest,
    with_condition,
)
from windlass.controllers.training.engine.gang import Gang, gang_for, odd_schedulers
from windlass.controllers.training.engine.look import Look, names_of
from windlass.controllers.training.engine.members import Member, places, roster_of
from windlass.controllers.training.engine.suspension import resumed, suspended
from windlass.controllers.training.engine.waiting import explained, gang_note, refused
from windlass.controllers.unread import form
from windlass.kube.conditions import is_true
from windlass.kube.controller import Controller, Seen
from windlass.kube.json import dig, timestamp
from windlass.kube.objects import AnyObject
from windlass.kube.plan import Apply, Create, Deed, Delete, Note, Patch, Plan

MANAGER = "kubeflow.org/training-operator"
AT_A_TIME = 8
"""Pods that are made before their services: starting takes them longer than a few services take."""
Tell: TypeAlias = Callable[[TrainingJob, Deed], Note | None]


def controller(
    framework: Framework, options: Options = DEFAULTS, tell: Tell = words.told_of
) -> Controller[TrainingJob]:
    """The controller of one framework's jobs."""
    gang = gang_for(options.gang_scheduler)
    services = (Service,) if framework.services else ()
    return Controller(
        framework.operator_name,
        framework.kind,
        partial(reconcile, framework, options, gang),
        owns=[Pod, *services, *map(form, framework.extra_kinds), *([gang.groups] if gang is not None else [])],
        watches=gang.watches if gang is not None else [],
        tell=tell,
    )


def reconcile(framework: Framework, options: Options, gang: Gang | None, obj: TrainingJob, seen: Seen) -> Plan:
    managed_by = obj.spec.run_policy.managed_by or MANAGER
    if obj.metadata.deletion_timestamp is not None or managed_by != MANAGER or not framework.runs(obj):
        return Plan()
    job = jobs.read(framework, obj, options)
    roster = roster_of(job, seen)
    look = Look(job=job, roster=roster, restarts=restarts.read(job), gang=gang, seen=seen)
    if is_finished(obj.status.conditions):
        return ends.after(look)
    if job.policy.suspend:
        return suspended(look)
    if is_true(obj.status.conditions, SUSPENDED):  # its clock starts anew
        return _at_work(look)
    end = ends.end_of(look)
    if end is not None:
        return ends.ending(look, end)
    again = restarts.to_replace(job, look.restarts, roster)
    if again:
        return _counting(look, again)
    return _at_work(look)


def _counting(look: Look, again: list[Member]) -> Plan:
    count = restarts.counted(look.job, look.restarts, look.roster, again)
    failed = [member for member in again if member.state == "failed"]
    message = words.restarting(look.job, failed)
    exits = [words.exited(look.job, m) for m in failed if m.replica.restart_policy == "ExitCode" and m.end]
    told = Note(reason=look.reason(RESTARTING), message=message, warning=True)
    return Plan([Patch(look.job.obj, restarts.as_patch(count))], events=[*exits, told])


def _at_work(look: Look) -> Plan:
    job = look.job
    status, events = resumed(look)
    created = with_condition(status.conditions, CREATED, look.reason(CREATED), words.created(job), look.now)
    status = msgspec.structs.replace(status, conditions=created)
    groups = [look.gang.group(job, look.seen)] if look.gang is not None else []
    anew = look.gang.asked_anew(job, look.seen) if look.gang is not None and not look.roster.members else []
    if look.gang is not None and (anew or not look.gang.lets_start(job, look.seen)):
        waited_since = status.last_reconcile_time or timestamp(look.now)
        status, waits = _explained(look, msgspec.structs.replace(status, last_reconcile_time=waited_since))
        return Plan(
            [*anew, *map(Apply, groups)],
            status=status,
            status_if_refused=partial(_refused, look, status),
            events=[*events, *waits],
            again_in=ends.next_deadline(look),
        )
    missing = _missing(look)
    if missing and status.start_time is None:
        status = msgspec.structs.replace(status, start_time=timestamp(look.now))
        events += _template_warnings(look)
    status, told = _progressed(look, status)
    extras = job.framework.extras(job, look.roster.pods)
    return Plan(
        [
            *map(Apply, groups),
            *map(Apply, extras),
            *map(Create, missing),
            *map(Delete, _leaving(look)),
            *map(Delete, _unwanted(look, names_of(extras))),
        ],
        status=status,
        status_if_refused=partial(_refused, look, status),
        events=[*events, *told],
        again_in=ends.next_deadline(look),
    )


def _missing(look: Look) -> list[AnyObject]:
    """Services and pods that are not there and may be made now."""
    job, roster = look.job, look.roster
    waits_for_all = restarts.restarts_whole_job(job) and bool(look.being_replaced())
    held = {replica.type for replica in job.replicas.values() if job.framework.holds(job, replica, roster.pods)}
    made: list[AnyObject] = []
    free = [(name, *place) for name, place in places(job).items() if name not in roster.taken]
    for start in range(0, len(free), AT_A_TIME):
        if len(made) >= MAX_CREATED:
            break
        some = free[start : start + AT_A_TIME]
        made += [
            pod_for(job, job.replicas[role], index, look.gang)
            for _, role, index in some
            if (role, index) not in roster.members and role not in held and not waits_for_all
        ]
        if job.framework.services:
            made += [service_for(job, job.replicas[r], index) for name, r, index in some if name not in roster.services]
    return made


def _leaving(look: Look) -> list[AnyObject]:
    """Pods that are replaced, and those of places that are no more, with their services."""
    replaced = [member.pod for member in look.being_replaced() if not member.deleting]
    surplus = [pod for pod in look.roster.surplus if pod.metadata.deletion_timestamp is None]
    wanted = places(look.job)
    services = [service for name, service in look.roster.services.items() if name not in wanted]
    return [*replaced, *surplus, *services]


def _unwanted(look: Look, wanted: set[str]) -> list[AnyObject]:
    return [obj for obj in look.extras() if not names_of([obj]) & wanted]


def _progressed(look: Look, status: JobStatus) -> tuple[JobStatus, list[Note]]:
    """The status as the pods now have it, and the events about what keeps the job from running."""
    job, now = look.job, look.now
    conditions = status.conditions
    replaced = look.being_replaced()
    if replaced:
        failed = [member for member in replaced if member.state == "failed"]
        message = words.restarting(job, failed)
        conditions = with_condition(conditions, RESTARTING, look.reason(RESTARTING), message, now)
    elif _is_running(look, newest(conditions)):
        conditions = with_condition(conditions, RUNNING, look.reason(RUNNING), words.running(job), now)
    return _explained(look, msgspec.structs.replace(status, conditions=conditions, replica_statuses=look.counts()))


def _explained(look: Look, status: JobStatus) -> tuple[JobStatus, list[Note]]:
    """The status with why the job waits, if it does, and the events about that."""
    job, state = look.job, newest(status.conditions)
    pod = words.pod_waits(words.first_wait(look.roster))
    said: dict[str, tuple[str, Note | None]] = {CREATED: (words.created(job), None)}
    if state == RUNNING:
        said[RUNNING] = words.running(job), pod
    else:
        gang = gang_note(look.gang, job, look.seen)
        said[CREATED] = words.created(job), gang or (pod if state == CREATED else None)
    conditions, events = explained(status.conditions, said, look.now)
    return msgspec.structs.replace(status, conditions=conditions), events


def _refused(look: Look, status: JobStatus, why: Sequence[Deed]) -> JobStatus:
    conditions = refused(look.status.conditions, status.conditions, words.created(look.job), why, look.now)
    return msgspec.structs.replace(status, conditions=conditions)


def _is_running(look: Look, state: str) -> bool:
    """Its leading role runs; after a restart, all that was replaced runs too."""
    leading = look.job.framework.leading(look.job).type
    if not any(member.state == "running" for member in look.roster.of(leading)):
        return False
    everywhere = len(look.roster.members) == look.job.total
    return state != RESTARTING or (everywhere and all(member.state != "waiting" for member in look.roster))


def _template_warnings(look: Look) -> list[Note]:
    """What a template says and the job overrules, or the gang will not know."""
    job = look.job
    notes: list[Note] = []
    if any(dig(replica.template, "spec", "restartPolicy") for replica in job.replicas.values()):
        message = "Restart policy in pod template will be overwritten by restart policy in replica spec"
        notes.append(Note(reason="SetPodTemplateRestartPolicy", message=message, warning=True))
    if look.gang is not None and (odd := odd_schedulers(job, look.gang)):
        message = f"gang-scheduling is enabled, but the pod templates name another scheduler: {', '.join(odd)}"
        notes.append(Note(reason="SetPodTemplateSchedulerName", message=message, warning=True))
    return notes
