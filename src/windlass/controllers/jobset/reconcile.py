"""What should be done about a JobSet now.

Whatever it decides is written before it is done: an end before Jobs are cleaned up, a new attempt before those of the
last one go. So a look after a kill goes on where the last one was, and a restart is counted once.
"""

from datetime import timedelta

import msgspec

from windlass.apis.batch_v1 import Job
from windlass.apis.core_v1 import PersistentVolumeClaim, Service
from windlass.apis.jobset.names import CONTROLLER, job_name, subdomain
from windlass.apis.jobset_v1alpha2 import JobSet, JobSetStatus
from windlass.controllers.jobset import children, status
from windlass.controllers.jobset.ends import after_failure, has_succeeded
from windlass.controllers.jobset.look import Look, look_at
from windlass.controllers.jobset.resuming import going_on, resting
from windlass.controllers.jobset.startup import Turn, is_in_order, turn_of
from windlass.controllers.jobset.status import Word, counted, is_finished, told
from windlass.kube.controller import Seen
from windlass.kube.json import Object
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after
from windlass.kube.objects import key_of
from windlass.kube.plan import Create, CreateUnowned, Delete, Note, Plan, delete_foreground
from windlass.kube.view import metadata_only

CLAIMS = metadata_only(PersistentVolumeClaim)
AGAIN_WHEN_TAKEN = timedelta(minutes=2)
"""Of a Job that is no set's, and has the name of one that is to be made, nothing tells when it goes."""


def is_managed_elsewhere(jobset: JobSet) -> bool:
    return jobset.spec.managed_by not in (None, CONTROLLER)


def reconcile(jobset: JobSet, seen: Seen) -> Plan:
    if jobset.metadata.deletion_timestamp is not None or is_managed_elsewhere(jobset):
        return Plan()
    look = look_at(jobset, seen)
    now = counted(look)
    if is_finished(jobset.status):
        return _after(look, now)
    if look.failed:
        changed, notes = after_failure(look, now)
        return Plan([*map(delete_foreground, look.previous)], status=changed, events=notes)
    if look.succeeded and has_succeeded(look):
        done, notes = told(look, now, [status.COMPLETION])
        done = msgspec.structs.replace(done, terminal_state=status.COMPLETED)
        return Plan([*map(delete_foreground, look.previous)], status=done, events=notes)
    return _at_work(look, now, seen)


def _after(look: Look, now: JobSetStatus) -> Plan:
    """A set that is over: Jobs that still run go, and in the end it goes itself."""
    left = _left(look.jobset, look)
    if left is not None and left <= timedelta():
        return Plan([Delete(look.jobset, foreground=True)])
    return Plan([*map(delete_foreground, [*look.active, *look.previous])], status=now, again_in=left)


def _left(jobset: JobSet, look: Look) -> timedelta | None:
    """How long it may still be there; None for ever."""
    ttl = jobset.spec.ttl_seconds_after_finished
    ended = [
        one.last_transition_time
        for one in jobset.status.conditions
        if one.type in (status.COMPLETED, status.FAILED) and one.status == "True"
    ]
    return moment_after(parse_time(ended[0]), ttl) - look.now if ttl is not None and ended else None


def _at_work(look: Look, now: JobSetStatus, seen: Seen) -> Plan:
    turn = turn_of(look.jobset, now)
    jobs = _jobs_to_make(look, turn)
    taken = [job for job in jobs if seen.one(Job, key_of(job).name) is not None]
    changes = resting(look) if look.suspended else going_on(look, turn.open)
    with_it, kept = children.claims(look.jobset)
    changed, notes = told(look, now, _words(look, turn))
    return Plan(
        [
            *changes,
            *map(CreateUnowned, _not_there(kept, seen)),
            *map(Create, _services(look.jobset, seen)),
            *map(Create, _not_there(with_it, seen)),
            *(Create(job) for job in jobs if job not in taken),
            *map(delete_foreground, look.previous),
        ],
        status=changed,
        status_if_refused=lambda errors: changed,
        events=[*notes, *map(_is_taken, taken)],
        again_in=AGAIN_WHEN_TAKEN if taken else None,
    )


def _words(look: Look, turn: Turn) -> list[Word]:
    if look.suspended:
        return [status.REST]
    if not is_in_order(look.jobset):
        return [status.RESUMPTION]
    return [status.STARTUP_DONE, status.RESUMPTION] if turn.is_through else [status.START]


def _jobs_to_make(look: Look, turn: Turn) -> list[Object]:
    """What is missing of the Jobs whose turn it is. A name is free when the Job of the last attempt has gone."""
    jobset = look.jobset
    policy = jobset.spec.failure_policy
    if look.previous and policy is not None and policy.restart_strategy == "BlockingRecreate":
        return []
    there = look.there
    return [
        children.job(jobset, replicated, index, look.own_restarts(replicated.name, index))
        for replicated in turn.open
        for index in range(replicated.replicas)
        if job_name(jobset.metadata.name, replicated.name, index) not in there
    ]


def _services(jobset: JobSet, seen: Seen) -> list[Object]:
    if not children.has_hostnames(jobset) or seen.one(Service, subdomain(jobset)) is not None:
        return []
    return [children.service(jobset)]


def _not_there(claims: list[Object], seen: Seen) -> list[Object]:
    return [claim for claim in claims if seen.one(CLAIMS, key_of(claim).name) is None]


def _is_taken(job: Object) -> Note:
    name = key_of(job).name
    why = f'job "{name}" creation failed with error: jobs.batch "{name}" already exists'
    return Note(reason="JobCreationFailed", message=why, warning=True)
