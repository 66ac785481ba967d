"""The pods of a Job at one moment, and what they say: who works, who has ended, which indexes are done.

A pod carries the finalizer `batch.kubernetes.io/job-tracking` until its end is in the Job's status, so what a status
does not count yet can always be read from the pods.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from windlass.apis.batch_v1 import Job, UncountedTerminatedPods
from windlass.apis.core_v1 import Pod
from windlass.controllers.core.job_backoff import finished_at
from windlass.controllers.core.job_indexes import parse_indexes
from windlass.controllers.core.job_policies import FAIL_INDEX, ruling
from windlass.controllers.core.pod_state import is_active, is_ready, is_terminating

TRACKING = "batch.kubernetes.io/job-tracking"
FAILURE_TARGET, SUCCESS_CRITERIA_MET = "FailureTarget", "SuccessCriteriaMet"
INDEX = "batch.kubernetes.io/job-completion-index"
INDEX_FAILURES = "batch.kubernetes.io/job-index-failure-count"
INDEX_IGNORED_FAILURES = "batch.kubernetes.io/job-index-ignored-failure-count"


def is_tracked(pod: Pod) -> bool:
    return TRACKING in pod.metadata.finalizers


def is_indexed(job: Job) -> bool:
    return job.spec.completion_mode == "Indexed"


def is_suspended(job: Job) -> bool:
    return bool(job.spec.suspend)


def waits_for_the_end(job: Job) -> bool:
    """Whether a pod is replaced only when it has ended, not already when its deletion begins."""
    return job.spec.pod_replacement_policy == "Failed" or job.spec.pod_failure_policy is not None


def has_failed(pod: Pod, job: Job) -> bool:
    if pod.status.phase == "Failed":
        return True
    return not waits_for_the_end(job) and is_terminating(pod)


def number_in(pod: Pod, annotation: str) -> int:
    text = pod.metadata.annotations.get(annotation, "")
    return int(text) if text.isdecimal() else 0


@dataclass(frozen=True)
class Crew:
    """Each question is answered once, and only if it is asked."""

    job: Job
    pods: list[Pod]
    now: datetime

    # --- those who are there

    @cached_property
    def names(self) -> set[str]:
        return {pod.metadata.name for pod in self.pods}

    @cached_property
    def active(self) -> list[Pod]:
        return [pod for pod in self.pods if is_active(pod)]

    @cached_property
    def ready(self) -> int:
        return sum(1 for pod in self.pods if is_active(pod) and is_ready(pod))

    @cached_property
    def terminating(self) -> list[Pod]:
        return [pod for pod in self.pods if is_terminating(pod)]

    @cached_property
    def tracked(self) -> list[Pod]:
        """In the order of their indexes, so that indexes are recorded in order."""
        pods = [pod for pod in self.pods if is_tracked(pod)]
        return sorted(pods, key=lambda pod: number_in(pod, INDEX)) if is_indexed(self.job) else pods

    @cached_property
    def failed_pods(self) -> list[Pod]:
        return [pod for pod in self.pods if has_failed(pod, self.job)]

    @cached_property
    def succeeded_pods(self) -> list[Pod]:
        return [pod for pod in self.pods if pod.status.phase == "Succeeded"]

    # --- counts

    @cached_property
    def uncounted(self) -> UncountedTerminatedPods:
        return self.job.status.uncounted_terminated_pods or UncountedTerminatedPods()

    @cached_property
    def succeeded(self) -> int:
        if is_indexed(self.job):
            return len(self.succeeded_indexes)
        known = set(self.uncounted.succeeded)
        fresh = sum(1 for pod in self.succeeded_pods if is_tracked(pod) and pod.metadata.uid not in known)
        return self.job.status.succeeded + len(known) + fresh

    @cached_property
    def failed(self) -> int:
        known, policy = set(self.uncounted.failed), self.job.spec.pod_failure_policy
        fresh = [pod for pod in self.failed_pods if is_tracked(pod) and pod.metadata.uid not in known]
        return self.job.status.failed + len(known) + sum(1 for pod in fresh if ruling(policy, pod).counts)

    # --- indexes

    def index_of(self, pod: Pod) -> int | None:
        """None of a pod without one, or with one that the Job does not have."""
        text = pod.metadata.annotations.get(INDEX, "")
        if not text.isdecimal() or int(text) >= (self.job.spec.completions or 0):
            return None
        return int(text)

    def indexes_of(self, pods: Iterable[Pod]) -> set[int]:
        return {index for pod in pods if (index := self.index_of(pod)) is not None}

    @cached_property
    def recorded_indexes(self) -> set[int]:
        return parse_indexes(self.job.status.completed_indexes, self.job.spec.completions or 0)

    @cached_property
    def succeeded_indexes(self) -> set[int]:
        return self.recorded_indexes | self.indexes_of(filter(is_tracked, self.succeeded_pods))

    @cached_property
    def failed_indexes(self) -> set[int]:
        """Only of a Job with a back-off limit for each index."""
        if self.job.spec.backoff_limit_per_index is None:
            return set()
        recorded = parse_indexes(self.job.status.failed_indexes or "", self.job.spec.completions or 0)
        return recorded | self.indexes_of(pod for pod in self.failed_pods if is_tracked(pod) and self._fails_index(pod))

    @cached_property
    def is_decided(self) -> bool:
        """The Job is over, and its pods are being deleted."""
        conditions = self.job.status.conditions
        return any(one.type in (FAILURE_TARGET, SUCCESS_CRITERIA_MET) and one.status == "True" for one in conditions)

    def _fails_index(self, pod: Pod) -> bool:
        if self.is_decided and pod.status.phase != "Failed":
            return False
        said = ruling(self.job.spec.pod_failure_policy, pod)
        if said.action == FAIL_INDEX:
            return True
        return said.counts and number_in(pod, INDEX_FAILURES) >= (self.job.spec.backoff_limit_per_index or 0)

    @cached_property
    def awaiting_replacement(self) -> dict[int, Pod]:
        """The last failed pod of each index that will be retried: its successor continues its count of failures."""
        if self.job.spec.backoff_limit_per_index is None:
            return {}
        settled = self.succeeded_indexes | self.failed_indexes | self.indexes_of(self.active)
        last: dict[int, Pod] = {}
        for pod in sorted(filter(is_tracked, self.failed_pods), key=self._attempt):
            index = self.index_of(pod)
            if index is not None and index not in settled:
                last[index] = pod
        return last

    def _attempt(self, pod: Pod) -> tuple[int, datetime]:
        return tries(pod), finished_at(pod, self.now)


def tries(pod: Pod) -> int:
    """How many pods of its index failed before it."""
    return number_in(pod, INDEX_FAILURES) + number_in(pod, INDEX_IGNORED_FAILURES)
