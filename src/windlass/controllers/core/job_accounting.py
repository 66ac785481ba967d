"""How a Job counts its finished pods: none lost, none twice, wherever the manager is killed.

A pod that has ended is first written into the status, by uid or by index. Only when it is there does the pod lose its
finalizer, and only with that, or after it, does it move from the uids to the counters.
"""

from dataclasses import dataclass, field

from windlass.apis.batch_v1 import JobCondition
from windlass.apis.core_v1 import Json, Pod
from windlass.controllers.core.job_crew import FAILURE_TARGET, TRACKING, Crew, has_failed, is_indexed
from windlass.controllers.core.job_policies import ruling

MAX_UNCOUNTED = 500  # uids in a status at once; Kubernetes' number


@dataclass(slots=True)
class Account:
    """What becomes of each pod that has ended."""

    release: list[Pod] = field(default_factory=list[Pod])
    succeeded: list[str] = field(default_factory=list[str])
    failed: list[str] = field(default_factory=list[str])
    indexes: set[int] = field(default_factory=set[int])

    @property
    def size(self) -> int:
        return len(self.succeeded) + len(self.failed) + len(self.indexes)


def account(crew: Crew, decided: JobCondition | None, dismissed: set[str]) -> Account:
    """`dismissed` are the uids of pods that are deleted only now: they are counted once they are gone."""
    result = Account()
    stored = {*crew.uncounted.succeeded, *crew.uncounted.failed}
    for pod in crew.tracked:
        uid = pod.metadata.uid
        if uid in dismissed or not _may_go(crew, pod, decided):
            continue
        if uid in stored:
            result.release.append(pod)
        elif pod.status.phase == "Succeeded":
            _succeeded(crew, pod, result)
        elif has_failed(pod, crew.job) or (decided is not None and decided.type == FAILURE_TARGET):
            _failed(crew, pod, result)
        else:
            result.release.append(pod)
        if result.size >= MAX_UNCOUNTED:
            break
    return result


def _may_go(crew: Crew, pod: Pod, decided: JobCondition | None) -> bool:
    job = crew.job
    if job.metadata.deletion_timestamp is not None or decided is not None or pod.status.phase == "Succeeded":
        return True
    if not has_failed(pod, job):
        return False
    index = crew.index_of(pod)
    kept = crew.awaiting_replacement.get(index) if index is not None else None
    return kept is None or kept.metadata.uid != pod.metadata.uid


def _succeeded(crew: Crew, pod: Pod, result: Account) -> None:
    if not is_indexed(crew.job):
        result.succeeded.append(pod.metadata.uid)
        return
    index = crew.index_of(pod)
    if index is None or index in crew.recorded_indexes:
        result.release.append(pod)
    else:
        result.indexes.add(index)


def _failed(crew: Crew, pod: Pod, result: Account) -> None:
    has_place = not is_indexed(crew.job) or crew.index_of(pod) is not None
    if has_place and ruling(crew.job.spec.pod_failure_policy, pod).counts:
        result.failed.append(pod.metadata.uid)
    else:
        result.release.append(pod)


def letting_finish(pod: Pod) -> Json:
    """The merge patch that takes the tracking finalizer off."""
    kept = [other for other in pod.metadata.finalizers if other != TRACKING]
    return {"metadata": {"finalizers": kept or None}}
