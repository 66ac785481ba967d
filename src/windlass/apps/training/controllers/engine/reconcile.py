"""What should be done about a training job now.

Each reconcile does one thing that must be on record before the next: a failure is counted before its pod is replaced,
an end is written before anything is cleaned up. So a controller may be killed between any two writes.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import msgspec

from windlass.apis.bounds import MAX_CREATED
from windlass.apis.core_v1 import Pod, Service
from windlass.apps.training import job as jobs
from windlass.apps.training.controllers.engine import completion, messages, restarts
from windlass.apps.training.controllers.engine.children import pod_for, service_for
from windlass.apps.training.controllers.engine.conditions import (
    CREATED,
    RESTARTING,
    RUNNING,
    SUSPENDED,
    is_finished,
    newest,
    with_condition,
)
from windlass.apps.training.controllers.engine.gang import Gang, gang_for, odd_schedulers
from windlass.apps.training.controllers.engine.members import Member, places, roster_of
from windlass.apps.training.controllers.engine.suspension import resumed, suspended
from windlass.apps.training.controllers.engine.training_state import TrainingState, names_of
from windlass.apps.training.controllers.engine.waiting import explained, gang_note, refused
from windlass.apps.training.framework import Framework
from windlass.apps.training.kinds.common import JobStatus, TrainingJob
from windlass.apps.training.options import DEFAULTS, Options
from windlass.controllers.opaque_kinds import form
from windlass.kube.conditions import is_true
from windlass.kube.controller import Controller, Observed
from windlass.kube.json import dig, timestamp
from windlass.kube.objects import AnyObject
from windlass.kube.plan import Apply, Create, Delete, Event, Outcome, Patch, Plan

MANAGER = "kubeflow.org/training-operator"
AT_A_TIME = 8
"""Pods that are made before their services: starting takes them longer than a few services take."""
EventForChild: TypeAlias = Callable[[TrainingJob, Outcome], Event | None]


def controller(
    framework: Framework, options: Options = DEFAULTS, event_for: EventForChild = messages.event_for_child
) -> Controller[TrainingJob]:
    """The controller of one framework's jobs."""
    gang = gang_for(options.used_gang_scheduler)
    services = (Service,) if framework.services else ()
    return Controller(
        framework.operator_name,
        framework.kind,
        partial(reconcile, framework, options, gang),
        owns=[Pod, *services, *map(form, framework.extra_kinds), *([gang.groups] if gang is not None else [])],
        watches=gang.watches if gang is not None else [],
        event_for=event_for,
    )


def reconcile(framework: Framework, options: Options, gang: Gang | None, obj: TrainingJob, observed: Observed) -> Plan:
    managed_by = obj.spec.run_policy.managed_by or MANAGER
    if obj.metadata.deletion_timestamp is not None or managed_by != MANAGER or not framework.runs(obj):
        return Plan()
    job = jobs.read(framework, obj, options)
    roster = roster_of(job, observed)
    current = TrainingState(job=job, roster=roster, restarts=restarts.read(job), gang=gang, observed=observed)
    if is_finished(obj.status.conditions):
        return completion.after(current)
    if job.policy.suspend:
        return suspended(current)
    if is_true(obj.status.conditions, SUSPENDED):  # its active deadline starts again
        return _at_work(current)
    end = completion.end_of(current)
    if end is not None:
        return completion.ending(current, end)
    again = restarts.to_replace(job, current.restarts, roster)
    if again:
        return _counting(current, again)
    return _at_work(current)


def _counting(current: TrainingState, again: list[Member]) -> Plan:
    count = restarts.counted(current.job, current.restarts, current.roster, again)
    failed = [member for member in again if member.state == "failed"]
    message = messages.restarting(current.job, failed)
    exits = [messages.exited(current.job, m) for m in failed if m.replica.restart_policy == "ExitCode" and m.end]
    told = Event(reason=current.reason(RESTARTING), message=message, warning=True)
    return Plan([Patch(current.job.obj, restarts.as_patch(count))], events=[*exits, told])


def _at_work(current: TrainingState) -> Plan:
    job = current.job
    status, events = resumed(current)
    created = with_condition(status.conditions, CREATED, current.reason(CREATED), messages.created(job), current.now)
    status = msgspec.structs.replace(status, conditions=created)
    groups = [current.gang.group(job, current.observed)] if current.gang is not None else []
    requests = (
        current.gang.requested_again(job, current.observed)
        if current.gang is not None and not current.roster.members
        else []
    )
    if current.gang is not None and (requests or not current.gang.lets_start(job, current.observed)):
        waited_since = status.last_reconcile_time or timestamp(current.now)
        status, waits = _explained(current, msgspec.structs.replace(status, last_reconcile_time=waited_since))
        return Plan(
            [*requests, *map(Apply, groups)],
            status=status,
            status_if_refused=partial(_refused, current, status),
            events=[*events, *waits],
            again_in=completion.next_deadline(current),
        )
    missing = _missing(current)
    if missing and status.start_time is None:
        status = msgspec.structs.replace(status, start_time=timestamp(current.now))
        events += _template_warnings(current)
    status, told = _progressed(current, status)
    extras = job.framework.extras(job, current.roster.pods)
    return Plan(
        [
            *map(Apply, groups),
            *map(Apply, extras),
            *map(Create, missing),
            *map(Delete, _leaving(current)),
            *map(Delete, _unwanted(current, names_of(extras))),
        ],
        status=status,
        status_if_refused=partial(_refused, current, status),
        events=[*events, *told],
        again_in=completion.next_deadline(current),
    )


def _missing(current: TrainingState) -> list[AnyObject]:
    """Services and pods that are not there and may be made now."""
    job, roster = current.job, current.roster
    waits_for_all = restarts.restarts_whole_job(job) and bool(current.being_replaced())
    held = {replica.type for replica in job.replicas.values() if job.framework.holds(job, replica, roster.pods)}
    made: list[AnyObject] = []
    free = [(name, *place) for name, place in places(job).items() if name not in roster.taken]
    for start in range(0, len(free), AT_A_TIME):
        if len(made) >= MAX_CREATED:
            break
        some = free[start : start + AT_A_TIME]
        made += [
            pod_for(job, job.replicas[role], index, current.gang)
            for _, role, index in some
            if (role, index) not in roster.members and role not in held and not waits_for_all
        ]
        if job.framework.services:
            made += [service_for(job, job.replicas[r], index) for name, r, index in some if name not in roster.services]
    return made


def _leaving(current: TrainingState) -> list[AnyObject]:
    """Pods that are replaced, and those of places that are no more, with their services."""
    replaced = [member.pod for member in current.being_replaced() if not member.deleting]
    surplus = [pod for pod in current.roster.surplus if pod.metadata.deletion_timestamp is None]
    wanted = places(current.job)
    services = [service for name, service in current.roster.services.items() if name not in wanted]
    return [*replaced, *surplus, *services]


def _unwanted(current: TrainingState, wanted: set[str]) -> list[AnyObject]:
    return [obj for obj in current.extras() if not names_of([obj]) & wanted]


def _progressed(current: TrainingState, status: JobStatus) -> tuple[JobStatus, list[Event]]:
    """The status as the pods now have it, and the events about what keeps the job from running."""
    job, now = current.job, current.now
    conditions = status.conditions
    replaced = current.being_replaced()
    if replaced:
        failed = [member for member in replaced if member.state == "failed"]
        message = messages.restarting(job, failed)
        conditions = with_condition(conditions, RESTARTING, current.reason(RESTARTING), message, now)
    elif _is_running(current, newest(conditions)):
        conditions = with_condition(conditions, RUNNING, current.reason(RUNNING), messages.running(job), now)
    return _explained(
        current, msgspec.structs.replace(status, conditions=conditions, replica_statuses=current.counts())
    )


def _explained(current: TrainingState, status: JobStatus) -> tuple[JobStatus, list[Event]]:
    """The status with why the job waits, if it does, and the events about that."""
    job, state = current.job, newest(status.conditions)
    pod = messages.pod_waits(messages.first_wait(current.roster))
    said: dict[str, tuple[str, Event | None]] = {CREATED: (messages.created(job), None)}
    if state == RUNNING:
        said[RUNNING] = messages.running(job), pod
    else:
        gang = gang_note(current.gang, job, current.observed)
        said[CREATED] = messages.created(job), gang or (pod if state == CREATED else None)
    conditions, events = explained(status.conditions, said, current.now)
    return msgspec.structs.replace(status, conditions=conditions), events


def _refused(current: TrainingState, status: JobStatus, why: Sequence[Outcome]) -> JobStatus:
    conditions = refused(current.status.conditions, status.conditions, messages.created(current.job), why, current.now)
    return msgspec.structs.replace(status, conditions=conditions)


def _is_running(current: TrainingState, state: str) -> bool:
    """Its leading role runs; after a restart, all that was replaced runs too."""
    leading = current.job.framework.leading(current.job).type
    if not any(member.state == "running" for member in current.roster.of(leading)):
        return False
    everywhere = len(current.roster.members) == current.job.total
    return state != RESTARTING or (everywhere and all(member.state != "waiting" for member in current.roster))


def _template_warnings(current: TrainingState) -> list[Event]:
    """What a template says and the job overrules, or the gang will not know."""
    job = current.job
    notes: list[Event] = []
    if any(dig(replica.template, "spec", "restartPolicy") for replica in job.replicas.values()):
        message = "Restart policy in pod template will be overwritten by restart policy in replica spec"
        notes.append(Event(reason="SetPodTemplateRestartPolicy", message=message, warning=True))
    if current.gang is not None and (odd := odd_schedulers(job, current.gang)):
        message = f"gang-scheduling is enabled, but the pod templates name another scheduler: {', '.join(odd)}"
        notes.append(Event(reason="SetPodTemplateSchedulerName", message=message, warning=True))
    return notes
