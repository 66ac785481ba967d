"""Which pods an unfinished Job needs, and which are too many."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from windlass.apis.core_v1 import Json, Pod
from windlass.controllers.core import job_backoff
from windlass.controllers.core.job_crew import Crew, is_indexed, is_suspended, is_tracked, tries, waits_for_the_end
from windlass.controllers.core.job_pods import indexed_pod, plain_pods
from windlass.controllers.core.pod_deletion_order import first_to_go

MAX_CHANGED_PODS = 500  # pods made or removed in one go; Kubernetes' number


@dataclass(frozen=True, slots=True)
class Staffing:
    hire: list[Json] = field(default_factory=list[Json])
    dismiss: list[Pod] = field(default_factory=list[Pod])
    again_in: timedelta | None = None


def staffing(crew: Crew) -> Staffing:
    """Pods are either removed or created, never both at once: the reconcile after the removal creates them."""
    active = crew.active
    if is_suspended(crew.job):
        return Staffing(dismiss=active[:MAX_CHANGED_PODS])
    wanted = _wanted(crew)
    surplus = _dismissed(crew, len(active) - wanted)
    if surplus:
        return Staffing(dismiss=surplus[:MAX_CHANGED_PODS])
    leaving = len(crew.terminating) if waits_for_the_end(crew.job) else 0
    missing = min(wanted - len(active) - leaving, MAX_CHANGED_PODS)
    if missing <= 0:
        return Staffing()
    return _indexed(crew, missing) if is_indexed(crew.job) else _plain(crew, missing)


def _wanted(crew: Crew) -> int:
    spec = crew.job.spec
    parallelism = 1 if spec.parallelism is None else spec.parallelism
    if spec.completions is None:  # a work queue: the first success means that there is no more to do
        return len(crew.active) if crew.succeeded else parallelism
    return max(min(spec.completions - crew.succeeded, parallelism), 0)


def _dismissed(crew: Crew, at_least: int) -> list[Pod]:
    going = _misplaced(crew) if is_indexed(crew.job) else []
    if len(going) >= at_least:
        return going
    gone = {pod.metadata.uid for pod in going}
    rest = [pod for pod in crew.active if pod.metadata.uid not in gone]
    return going + first_to_go(rest, [], at_least - len(going), crew.now)


def _misplaced(crew: Crew) -> list[Pod]:
    """Pods without an index that the Job has, and all but one of those that share an index."""
    by_index: dict[int | None, list[Pod]] = {}
    for pod in crew.active:
        by_index.setdefault(crew.index_of(pod), []).append(pod)
    going = by_index.pop(None, [])
    for pods in by_index.values():
        if len(pods) > 1:
            going += first_to_go(pods, [], len(pods) - 1, crew.now)
    return going


def _plain(crew: Crew, missing: int) -> Staffing:
    wait = _job_wait(crew)
    if wait:
        return Staffing(again_in=wait)
    return Staffing(hire=plain_pods(crew.job, missing, crew.names))


def _job_wait(crew: Crew) -> timedelta:
    failed = [pod for pod in crew.failed_pods if pod.status.phase == "Failed" or is_tracked(pod)]
    return job_backoff.remaining_after(crew.succeeded_pods, failed, crew.now)


def _indexed(crew: Crew, missing: int) -> Staffing:
    per_index = crew.job.spec.backoff_limit_per_index is not None
    if not per_index and (wait := _job_wait(crew)):
        return Staffing(again_in=wait)
    failed = crew.awaiting_replacement
    due: list[int] = []
    waits: list[timedelta] = []
    for index in islice(_pending(crew), missing):
        wait = _index_wait(failed.get(index), crew.now)
        if wait:
            waits.append(wait)
        else:
            due.append(index)
    hire = [indexed_pod(crew.job, index, failed.get(index), crew.names) for index in due]
    return Staffing(hire=hire, again_in=min(waits, default=None))


def _index_wait(failed: Pod | None, now: datetime) -> timedelta:
    if failed is None:
        return job_backoff.NONE
    return job_backoff.remaining(tries(failed) + 1, job_backoff.finished_at(failed, now), now)


def _pending(crew: Crew) -> Iterable[int]:
    busy = crew.succeeded_indexes | crew.failed_indexes | crew.indexes_of(crew.active)
    if waits_for_the_end(crew.job):
        busy |= crew.indexes_of(crew.terminating)
    return (index for index in range(crew.job.spec.completions or 0) if index not in busy)
