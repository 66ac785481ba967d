"""TrainJob -> its JobSet, the gang of its pods and what its policy needs besides; and back, its status.

Children are rebuilt only while the job is, or was, suspended: a running training is never changed.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from windlass.apis.core_v1 import ConfigMap, Pod, Secret
from windlass.apis.gang_waits import gang_wait
from windlass.apis.scheduling_volcano_v1beta1 import Queue
from windlass.apps.jobset.kinds import JobSet
from windlass.apps.trainer.blueprint import Blueprint
from windlass.apps.trainer.building import CannotBuild, blueprint, job_set
from windlass.apps.trainer.controllers import waiting_pods
from windlass.apps.trainer.controllers.runtimes import SNAPSHOTS, VIEWS, is_supported, runtime_of
from windlass.apps.trainer.controllers.status import (
    CREATION_FAILED,
    DEADLINE,
    SCHEDULED,
    UNSUPPORTED,
    failed,
    is_finished,
    not_created,
    not_scheduled,
    status_of,
    time_left,
)
from windlass.apps.trainer.gang import ALL_GANGS, GROUP_KINDS, Gangs, join
from windlass.apps.trainer.kinds import THIS_CONTROLLER, Runtime, TrainJob, TrainJobStatus
from windlass.apps.trainer.policies import mpi, policy_for
from windlass.controllers.opaque_kinds import form, one
from windlass.controllers.waiting_gangs import EVENT_REASON
from windlass.kube.conditions import find
from windlass.kube.controller import Concerns, Controller, Failing, Matching, Observed, Source
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject, controller_of
from windlass.kube.plan import Apply, Delete, Event, Outcome, Plan
from windlass.kube.view import untyped

MANAGER = "trainer"
"""Whose fields the children's are."""
COMPONENT = "trainjob-controller"
GROUPS = {KINDS.of(kind).api_version: untyped(KINDS.of(kind)) for kind in GROUP_KINDS}
LONGEST = 950


def is_ours(job: TrainJob) -> bool:
    return job.spec.managed_by in ("", THIS_CONTROLLER) and job.metadata.deletion_timestamp is None


def reconcile(job: TrainJob, observed: Observed, gangs: Gangs = ALL_GANGS) -> Plan:
    if not is_ours(job):
        return Plan()
    known = next(iter(observed.owned(JobSet)), None)
    if is_finished(job) and is_supported(job):
        return Plan(status=waiting_pods.without(status_of(job, known, observed.now)))
    if not is_supported(job):
        ref = job.spec.runtime_ref
        failure = failed(UNSUPPORTED, f"unsupported runtime: {ref.kind}.{ref.api_group}")
        return Plan(status=status_of(job, known, observed.now, failure))
    left = time_left(job, observed.now)
    if left is not None and left <= timedelta():
        failure = failed(DEADLINE, "TrainJob exceeded its active deadline")
        gone = [known] if known is not None else []
        return Plan([*map(Delete, gone)], status=status_of(job, known, observed.now, failure))
    return _at_work(job, known, observed, gangs, left)


def _at_work(job: TrainJob, known: JobSet | None, observed: Observed, gangs: Gangs, left: timedelta | None) -> Plan:
    status, pod_notes = waiting_pods.explained(job, status_of(job, known, observed.now), observed)
    try:
        children = _children(job, known, observed, gangs)
    except CannotBuild as error:
        note = _not_built(str(error))
        return Plan(
            status=not_created(job, status, note.message, observed.now), events=[*pod_notes, note], again_in=left
        )

    def refused(why: Sequence[Outcome]) -> TrainJobStatus:
        return not_created(job, status, _not_built(why[0].server_message).message, observed.now)

    waiting, notes = _scheduling(job, status, observed, gangs)
    return Plan(
        [*map(Apply, children)],
        status=waiting,
        status_if_refused=refused,
        events=[*pod_notes, *notes],
        again_in=left,
    )


def _scheduling(
    job: TrainJob, status: TrainJobStatus, observed: Observed, gangs: Gangs
) -> tuple[TrainJobStatus, list[Event]]:
    """The status with why the job's gang waits, if it does, and the event where that is new."""
    groups = (observed.one(GROUPS[version], job.metadata.name) for version in sorted(gangs.served))
    own = [group for group in groups if group is not None and _is_of(job, group)]
    wait = gang_wait(own[0]) if own and not job.spec.suspend else None
    if wait is None:
        return status, []
    waiting = not_scheduled(job, status, wait, observed.now)
    is_new = find(waiting.conditions, SCHEDULED) != find(job.status.conditions, SCHEDULED)
    note = Event(reason=EVENT_REASON, message=wait.about(job.metadata.name), warning=True)
    return waiting, [note] if is_new else []


def _is_of(job: TrainJob, group: Object) -> bool:
    owner = controller_of(group)
    return owner is not None and owner.uid == job.metadata.uid


def _children(job: TrainJob, known: JobSet | None, observed: Observed, gangs: Gangs) -> list[AnyObject]:
    """What is to be made or changed, in the order in which it is needed."""
    if known is not None and not job.spec.suspend and not known.spec.suspend:
        return []
    runtime, snapshot = runtime_of(job, observed)
    first: list[AnyObject] = [snapshot] if snapshot is not None else []
    if awaits_keys(runtime) and one(Secret, mpi.secret_name(job), observed) is None:
        return first  # whose coming brings us back
    plan = blueprint(job, runtime.spec)
    return [*first, *plan.beside, *_gang(plan, observed, gangs), job_set(plan)]


def awaits_keys(runtime: Runtime) -> bool:
    return policy_for(runtime.spec) is mpi.POLICY


def _gang(plan: Blueprint, observed: Observed, gangs: Gangs) -> list[Object]:
    """The PodGroup; one that is there stays as it is while the job runs."""
    group = join(plan, gangs)
    if group is None:
        return []
    known = observed.one(GROUPS[group["apiVersion"]], plan.job.metadata.name)
    return [group] if known is None or plan.job.spec.suspend else []


def _not_built(why: str) -> Event:
    message = f"TrainJob resources reconciliation failed: {why[:LONGEST]}{' ...' if len(why) > LONGEST else ''}"
    return Event(reason=CREATION_FAILED, message=message, warning=True)


def event_for(_: TrainJob, outcome: Outcome) -> Event | None:
    return _not_built(outcome.error.message) if outcome.error is not None and outcome.verb == "apply" else None


# --- what triggers another reconcile


def _refers_to(kind: str, job: TrainJob, runtime: Object) -> bool:
    ref = job.spec.runtime_ref
    return ref.kind == kind and ref.name == dig(runtime, "metadata", "name")


def _waits(job: TrainJob) -> bool:
    """Whether it may need its runtime yet."""
    return not job.status.jobs_status and not is_finished(job)


def job_of(snapshot: ConfigMap) -> Key | None:
    owner = snapshot.metadata.controller
    return Key(snapshot.metadata.namespace, owner.name) if owner is not None and owner.kind == "TrainJob" else None


RUNTIMES = tuple((view, Matching(partial(_refers_to, kind), among=_waits)) for kind, view in VIEWS.items())


def _admitting(gangs: Gangs) -> list[tuple[Source, Concerns]]:
    """What may lift the refusal of a PodGroup."""
    is_served = KINDS.of(Queue).api_version in gangs.served
    return [(Queue, Failing(lambda queue: queue.status.state))] if is_served else []


def controller(gangs: Gangs = ALL_GANGS) -> Controller[TrainJob]:
    return Controller(
        MANAGER,
        TrainJob,
        partial(reconcile, gangs=gangs),
        owns=[JobSet, form(ConfigMap), form(Secret), *(GROUPS[version] for version in sorted(gangs.served))],
        watches=[(SNAPSHOTS, job_of), (Pod, waiting_pods.job_of), *RUNTIMES, *_admitting(gangs)],
        event_for=event_for,
        workers=4,
        component=COMPONENT,
    )
