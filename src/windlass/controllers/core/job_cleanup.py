"""After a Job: it is deleted when its time to live is over, and pods that no Job counts any more are let go."""

from datetime import datetime, timedelta

from windlass.apis.batch_v1 import Job
from windlass.apis.core_v1 import Pod
from windlass.controllers.core.job_accounting import letting_finish
from windlass.controllers.core.job_crew import is_tracked
from windlass.controllers.core.job_verdict import COMPLETE, FAILED, is_finished
from windlass.controllers.core.jobs import is_managed_elsewhere
from windlass.kube.controller import Controller, Matching, Observed
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after
from windlass.kube.plan import Delete, Patch, Plan


def expire(job: Job, observed: Observed) -> Plan:
    """Delete a finished Job `ttlSecondsAfterFinished` after its end."""
    ttl, ended = job.spec.ttl_seconds_after_finished, finished_at(job)
    if ttl is None or ended is None or job.metadata.deletion_timestamp is not None:
        return Plan()
    left = moment_after(ended, ttl) - observed.now
    return Plan(again_in=left) if left > timedelta() else Plan([Delete(job)])


def finished_at(job: Job) -> datetime | None:
    for condition in job.status.conditions:
        if condition.type in (COMPLETE, FAILED) and condition.status == "True" and condition.last_transition_time:
            return parse_time(condition.last_transition_time)
    return None


def let_go(pod: Pod, observed: Observed) -> Plan:
    """Take the tracking finalizer off a pod whose Job is gone or finished, so that it can be deleted."""
    if not is_tracked(pod):
        return Plan()
    owner = pod.metadata.controller
    if owner is not None:
        if owner.kind != "Job" or not owner.api_version.startswith("batch/"):
            return Plan()
        job = observed.one(Job, owner.name)
        if job is not None and job.metadata.uid == owner.uid and (is_managed_elsewhere(job) or not is_finished(job)):
            return Plan()
    return Plan([Patch(pod, letting_finish(pod))])


def _is_of(pod: Pod, job: Job) -> bool:
    owner = pod.metadata.controller
    return owner is not None and owner.uid == job.metadata.uid and is_tracked(pod)


EXPIRY = Controller("ttl-after-finished-controller", Job, expire)
RELEASE = Controller("job-pod-release", Pod, let_go, watches=[(Job, Matching(_is_of))], workers=5, only=is_tracked)
