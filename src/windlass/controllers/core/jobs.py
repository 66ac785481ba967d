"""Job -> pods that are run until enough of them have succeeded, or too many have failed.

One reconcile does what can be done at once: decide whether the Job is over (`job_verdict`), create or delete pods
(`job_staffing`), count those that have ended (`job_accounting`). Each status it writes triggers the next reconcile.
"""

from dataclasses import dataclass, field
from datetime import timedelta

import msgspec

from windlass.apis.batch_v1 import Job, JobCondition, JobStatus, UncountedTerminatedPods
from windlass.apis.core_v1 import Json, Pod
from windlass.controllers.core.belonging import belonging, letting_go
from windlass.controllers.core.job_accounting import Account, account, letting_finish
from windlass.controllers.core.job_crew import TRACKING, Crew, is_indexed, is_suspended, is_tracked
from windlass.controllers.core.job_indexes import format_indexes
from windlass.controllers.core.job_staffing import Staffing, staffing
from windlass.controllers.core.job_verdict import (
    COMPLETE,
    FINAL,
    SUSPENDED,
    completed,
    condition,
    deadline_in,
    is_finished,
    verdict,
)
from windlass.controllers.core.pod_state import is_active, is_ready
from windlass.controllers.core.replica_sets import event_for
from windlass.kube.conditions import find, with_condition
from windlass.kube.controller import Controller, Matching, Observed, matches
from windlass.kube.json import timestamp
from windlass.kube.meta import LabelSelector
from windlass.kube.moments import span
from windlass.kube.plan import Adopt, Create, Delete, Event, Patch, Plan
from windlass.kube.refusals import REPLICA_FAILURE

THIS_CONTROLLER = "kubernetes.io/job-controller"


def is_managed_elsewhere(job: Job) -> bool:
    return job.spec.managed_by not in (None, THIS_CONTROLLER)


@dataclass(frozen=True, slots=True)
class Course:
    """The decision of one reconcile: the verdict so far, and whose work begins or ends with it.

    `goes_on`: the Job's pods were chosen for work that is left, not ended because it is over.
    """

    decided: JobCondition | None
    staff: Staffing
    conditions: list[JobCondition]
    start_time: str | None
    goes_on: bool = True
    events: list[Event] = field(default_factory=list[Event])


def reconcile(job: Job, observed: Observed) -> Plan:
    if is_managed_elsewhere(job) or is_finished(job):
        return Plan()
    selector = job.spec.selector or LabelSelector()
    pods = belonging(job, selector, observed.owned(Pod), observed.orphans(Pod))
    crew = Crew(job, pods.ours, observed.now)
    course = _course(crew)
    dismissed = {pod.metadata.uid for pod in course.staff.dismiss}
    counted = account(crew, course.decided, dismissed)
    status, events = _settled(crew, course, counted)
    patch: list[tuple[Pod, Json]] = [(pod, _parted(pod, job)) for pod in pods.release]
    patch += [(pod, letting_finish(pod)) for pod in counted.release]
    if course.goes_on:  # whom the Job sends away because there are too many counts neither way
        patch += [(pod, letting_finish(pod)) for pod in course.staff.dismiss if is_tracked(pod)]
        kept = [pod for pod in crew.active if pod.metadata.uid not in dismissed]
        patch += [(pod, _tracked(pod)) for pod in kept if not is_tracked(pod)]
    return Plan(
        [
            *(Patch(pod, change) for pod, change in patch if pod not in pods.adopt),
            *map(Adopt, pods.adopt),
            *map(Create, course.staff.hire),
            *map(Delete, course.staff.dismiss),
        ],
        status=status,
        status_if_refused=lambda _: msgspec.structs.replace(status, active=len(crew.active)),
        events=events,
        again_in=_again_in(crew, course),
    )


def _course(crew: Crew) -> Course:
    job, now = crew.job, crew.now
    start = job.status.start_time or (None if is_suspended(job) else timestamp(now))
    conditions = job.status.conditions
    decided = verdict(crew)
    if decided is not None:
        return Course(decided, Staffing(dismiss=crew.active), _with(conditions, decided), start, goes_on=False)
    staff = staffing(crew) if job.metadata.deletion_timestamp is None else Staffing()
    if _is_done(crew, len(crew.active) + len(staff.hire) - len(staff.dismiss)):
        decided = completed(crew)
        return Course(decided, staff, _with(conditions, decided), start)
    if job.metadata.deletion_timestamp is not None:
        return Course(None, staff, conditions, start, goes_on=False)
    was = find(conditions, SUSPENDED)
    if is_suspended(job) and (was is None or was.status != "True"):
        said = condition(SUSPENDED, "JobSuspended", "Job suspended", now)
        note = Event(reason="Suspended", message="Job suspended")
        return Course(None, staff, with_condition(conditions, said, now), start, events=[note])
    if not is_suspended(job) and was is not None and was.status == "True":
        said = condition(SUSPENDED, "JobResumed", "Job resumed", now, holds=False)
        note = Event(reason="Resumed", message="Job resumed")
        return Course(None, staff, with_condition(conditions, said, now), timestamp(now), events=[note])
    return Course(None, staff, conditions, start)


def _with(conditions: list[JobCondition], new: JobCondition) -> list[JobCondition]:
    return conditions if new in conditions else [*conditions, new]


def _is_done(crew: Crew, active: int) -> bool:
    completions = crew.job.spec.completions
    enough = crew.succeeded > 0 if completions is None else crew.succeeded >= completions
    return enough and active == 0


def _settled(crew: Crew, course: Course, counted: Account) -> tuple[JobStatus, list[Event]]:
    """The new status; with the final condition, if the verdict is on record and every pod is gone or counted."""
    status = _status(crew, course, counted)
    decided = course.decided
    on_record = decided is not None and decided in crew.job.status.conditions
    open_ends = counted.size or crew.terminating or course.staff.dismiss
    if decided is None or not on_record or open_ends:
        return status, course.events
    final = condition(FINAL[decided.type], decided.reason, decided.message, crew.now)
    finished = msgspec.structs.replace(status, conditions=with_condition(status.conditions, final, crew.now))
    if final.type != COMPLETE:
        return finished, [Event(reason=final.reason, message=final.message, warning=True)]
    finished = msgspec.structs.replace(finished, completion_time=final.last_transition_time)
    return finished, [*_too_many(crew, finished), Event(reason="Completed", message="Job completed")]


def _too_many(crew: Crew, status: JobStatus) -> list[Event]:
    completions = crew.job.spec.completions
    if completions is None or status.succeeded <= completions:
        return []
    message = "Too many succeeded pods running after completion count reached"
    return [Event(reason="TooManySucceededPods", message=message, warning=True)]


def _status(crew: Crew, course: Course, counted: Account) -> JobStatus:
    old, staff = crew.job.status, course.staff
    leaving = [pod for pod in staff.dismiss if is_active(pod)]
    status = JobStatus(
        conditions=course.conditions,
        start_time=course.start_time,
        completion_time=old.completion_time,
        active=len(crew.active) - len(leaving) + len(staff.hire),
        ready=crew.ready - sum(map(is_ready, leaving)),
        terminating=len(crew.terminating) + len(leaving),
        succeeded=old.succeeded + len(crew.uncounted.succeeded),
        failed=old.failed + len(crew.uncounted.failed),
        uncounted_terminated_pods=UncountedTerminatedPods(succeeded=counted.succeeded, failed=counted.failed),
    )
    if not is_indexed(crew.job):
        return status
    done = crew.recorded_indexes | counted.indexes
    per_index = crew.job.spec.backoff_limit_per_index is not None
    return msgspec.structs.replace(
        status,
        succeeded=len(done),
        completed_indexes=format_indexes(done),
        failed_indexes=format_indexes(crew.failed_indexes) if per_index else None,
    )


def _again_in(crew: Crew, course: Course) -> timedelta | None:
    if course.decided is not None:
        return None
    left = deadline_in(crew)
    if left is None and crew.job.spec.active_deadline_seconds is not None and not is_suspended(crew.job):
        left = span(crew.job.spec.active_deadline_seconds)
    return min((wait for wait in (left, course.staff.again_in) if wait is not None), default=None)


def _parted(pod: Pod, job: Job) -> Json:
    """The patch for a pod that the selector no longer matches: neither owned nor tracked."""
    return {"metadata": {**letting_go(pod, job)["metadata"], **letting_finish(pod)["metadata"]}}


def _tracked(pod: Pod) -> Json:
    return {"metadata": {"finalizers": [*pod.metadata.finalizers, TRACKING]}}


def _selects_orphan(job: Job, pod: Pod) -> bool:
    selector = job.spec.selector
    return pod.metadata.controller is None and selector is not None and matches(selector, pod.metadata.labels)


CONTROLLER = Controller(
    "job-controller",
    Job,
    reconcile,
    owns=[Pod],
    watches=[(Pod, Matching(_selects_orphan))],
    event_for=event_for,
    refusal_condition=REPLICA_FAILURE,
    workers=5,
)
