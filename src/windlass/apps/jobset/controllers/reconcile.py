"""What should be done about a JobSet now.

Whatever it decides is written before it is done: an end before Jobs are cleaned up, a new attempt before those of the
last one go. So a reconcile after a kill continues where the last one was, and a restart is counted once.
"""

from datetime import timedelta

import msgspec

from windlass.apis.batch_v1 import Job
from windlass.apis.core_v1 import PersistentVolumeClaim, Service
from windlass.apps.jobset.controllers import children, status
from windlass.apps.jobset.controllers.jobset_state import JobSetState, observe
from windlass.apps.jobset.controllers.outcome_policies import after_failure, has_succeeded
from windlass.apps.jobset.controllers.resuming import going_on, resting
from windlass.apps.jobset.controllers.startup import Turn, is_in_order, turn_of
from windlass.apps.jobset.controllers.status import Word, counted, is_finished, with_conditions
from windlass.apps.jobset.kinds import JobSet, JobSetStatus
from windlass.apps.jobset.names import CONTROLLER, job_name, subdomain
from windlass.kube.controller import Observed
from windlass.kube.json import Object
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after
from windlass.kube.objects import key_of
from windlass.kube.plan import Create, CreateUnowned, Delete, Event, Plan, delete_foreground
from windlass.kube.view import metadata_only

CLAIMS = metadata_only(PersistentVolumeClaim)
AGAIN_WHEN_TAKEN = timedelta(minutes=2)
"""A Job of another owner that occupies a name: no event triggers a reconcile when it is deleted."""


def is_managed_elsewhere(jobset: JobSet) -> bool:
    return jobset.spec.managed_by not in (None, CONTROLLER)


def reconcile(jobset: JobSet, observed: Observed) -> Plan:
    if jobset.metadata.deletion_timestamp is not None or is_managed_elsewhere(jobset):
        return Plan()
    current = observe(jobset, observed)
    now = counted(current)
    if is_finished(jobset.status):
        return _after(current, now)
    if current.failed:
        changed, notes = after_failure(current, now)
        return Plan([*map(delete_foreground, current.previous)], status=changed, events=notes)
    if current.succeeded and has_succeeded(current):
        done, notes = with_conditions(current, now, [status.COMPLETION])
        done = msgspec.structs.replace(done, terminal_state=status.COMPLETED)
        return Plan([*map(delete_foreground, current.previous)], status=done, events=notes)
    return _at_work(current, now, observed)


def _after(current: JobSetState, now: JobSetStatus) -> Plan:
    """A set that is over: Jobs that still run go, and in the end it goes itself."""
    left = _left(current.jobset, current)
    if left is not None and left <= timedelta():
        return Plan([Delete(current.jobset, foreground=True)])
    return Plan([*map(delete_foreground, [*current.active, *current.previous])], status=now, again_in=left)


def _left(jobset: JobSet, current: JobSetState) -> timedelta | None:
    """How long it may still be there; None for ever."""
    ttl = jobset.spec.ttl_seconds_after_finished
    ended = [
        one.last_transition_time
        for one in jobset.status.conditions
        if one.type in (status.COMPLETED, status.FAILED) and one.status == "True"
    ]
    return moment_after(parse_time(ended[0]), ttl) - current.now if ttl is not None and ended else None


def _at_work(current: JobSetState, now: JobSetStatus, observed: Observed) -> Plan:
    turn = turn_of(current.jobset, now)
    jobs = _jobs_to_make(current, turn)
    taken = [job for job in jobs if observed.one(Job, key_of(job).name) is not None]
    changes = resting(current) if current.suspended else going_on(current, turn.open)
    with_it, kept = children.claims(current.jobset)
    changed, notes = with_conditions(current, now, _words(current, turn))
    return Plan(
        [
            *changes,
            *map(CreateUnowned, _not_there(kept, observed)),
            *map(Create, _services(current.jobset, observed)),
            *map(Create, _not_there(with_it, observed)),
            *(Create(job) for job in jobs if job not in taken),
            *map(delete_foreground, current.previous),
        ],
        status=changed,
        status_if_refused=lambda errors: changed,
        events=[*notes, *map(_is_taken, taken)],
        again_in=AGAIN_WHEN_TAKEN if taken else None,
    )


def _words(current: JobSetState, turn: Turn) -> list[Word]:
    if current.suspended:
        return [status.REST]
    if not is_in_order(current.jobset):
        return [status.RESUMPTION]
    return [status.STARTUP_DONE, status.RESUMPTION] if turn.is_through else [status.START]


def _jobs_to_make(current: JobSetState, turn: Turn) -> list[Object]:
    """What is missing of the Jobs whose turn it is. A name is free when the Job of the last attempt has gone."""
    jobset = current.jobset
    policy = jobset.spec.failure_policy
    if current.previous and policy is not None and policy.restart_strategy == "BlockingRecreate":
        return []
    there = current.there
    return [
        children.job(jobset, replicated, index, current.own_restarts(replicated.name, index))
        for replicated in turn.open
        for index in range(replicated.replicas)
        if job_name(jobset.metadata.name, replicated.name, index) not in there
    ]


def _services(jobset: JobSet, observed: Observed) -> list[Object]:
    if not children.has_hostnames(jobset) or observed.one(Service, subdomain(jobset)) is not None:
        return []
    return [children.service(jobset)]


def _not_there(claims: list[Object], observed: Observed) -> list[Object]:
    return [claim for claim in claims if observed.one(CLAIMS, key_of(claim).name) is None]


def _is_taken(job: Object) -> Event:
    name = key_of(job).name
    why = f'job "{name}" creation failed with error: jobs.batch "{name}" already exists'
    return Event(reason="JobCreationFailed", message=why, warning=True)
