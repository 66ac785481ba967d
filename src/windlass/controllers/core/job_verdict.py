"""Whether a Job is over, and why: the condition FailureTarget or SuccessCriteriaMet.

That is decided once and written down. Failed or Complete follows when no pod is left that runs or is not counted.
"""

from datetime import datetime, timedelta

from windlass.apis.batch_v1 import Job, JobCondition
from windlass.controllers.core.job_crew import FAILURE_TARGET, SUCCESS_CRITERIA_MET, Crew, is_indexed, is_suspended
from windlass.controllers.core.job_policies import FAIL_JOB, ruling, success_message
from windlass.kube.conditions import find, is_true
from windlass.kube.json import timestamp
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after

FAILED, COMPLETE, SUSPENDED = "Failed", "Complete", "Suspended"
FINAL = {FAILURE_TARGET: FAILED, SUCCESS_CRITERIA_MET: COMPLETE}


def condition(type: str, reason: str, message: str, now: datetime, *, holds: bool = True) -> JobCondition:
    moment = timestamp(now)
    return JobCondition(
        type=type,
        status="True" if holds else "False",
        last_probe_time=moment,
        last_transition_time=moment,
        reason=reason,
        message=message,
    )


def is_finished(job: Job) -> bool:
    return is_true(job.status.conditions, COMPLETE) or is_true(job.status.conditions, FAILED)


def verdict(crew: Crew) -> JobCondition | None:
    """The verdict in the status already, else by the pods and the clock; None while the Job is unfinished."""
    for type in (SUCCESS_CRITERIA_MET, FAILURE_TARGET):
        found = find(crew.job.status.conditions, type)
        if found is not None and found.status == "True":
            return found
    failure = _failed_pods(crew) or _failed_job(crew) or _failed_indexes(crew)
    if failure is not None:
        return condition(FAILURE_TARGET, *failure, crew.now)
    return _success_by_policy(crew)


def completed(crew: Crew) -> JobCondition:
    message = "Reached expected number of succeeded pods"
    return condition(SUCCESS_CRITERIA_MET, "CompletionsReached", message, crew.now)


def _failed_pods(crew: Crew) -> tuple[str, str] | None:
    policy = crew.job.spec.pod_failure_policy
    if policy is not None:
        for pod in crew.failed_pods:
            said = ruling(policy, pod)
            if said.action == FAIL_JOB:
                return "PodFailurePolicy", said.message
    return None


def _failed_job(crew: Crew) -> tuple[str, str] | None:
    limit = crew.job.spec.backoff_limit
    if crew.failed > (6 if limit is None else limit) or _restarts_exceed(crew):
        return "BackoffLimitExceeded", "Job has reached the specified backoff limit"
    left = deadline_in(crew)
    if left is not None and left <= timedelta():
        return "DeadlineExceeded", "Job was active longer than specified deadline"
    return None


def _restarts_exceed(crew: Crew) -> bool:
    """Containers that are restarted in their pod count towards the limit as failed pods do."""
    spec = crew.job.spec
    if (spec.template.get("spec") or {}).get("restartPolicy") != "OnFailure":
        return False
    statuses = [
        status
        for pod in crew.pods
        if pod.status.phase in ("Running", "Pending")
        for status in (*pod.status.init_container_statuses, *pod.status.container_statuses)
    ]
    restarts = sum(status.restart_count for status in statuses)
    return restarts >= max(6 if spec.backoff_limit is None else spec.backoff_limit, 1)


def deadline_in(crew: Crew) -> timedelta | None:
    """How long the Job may still run; None where nothing limits that, and until a resumed Job has its new start."""
    seconds, started = crew.job.spec.active_deadline_seconds, crew.job.status.start_time
    resting = is_suspended(crew.job) or is_true(crew.job.status.conditions, SUSPENDED)
    if seconds is None or started is None or resting:
        return None
    return moment_after(parse_time(started), seconds) - crew.now


def _failed_indexes(crew: Crew) -> tuple[str, str] | None:
    spec, failed = crew.job.spec, len(crew.failed_indexes)
    if not is_indexed(crew.job) or not failed:
        return None
    if spec.max_failed_indexes is not None and failed > spec.max_failed_indexes:
        return "MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes"
    if failed + len(crew.succeeded_indexes) >= (spec.completions or 0):
        return "FailedIndexes", "Job has failed indexes"
    return None


def _success_by_policy(crew: Crew) -> JobCondition | None:
    if not is_indexed(crew.job):
        return None
    message = success_message(crew.job.spec, crew.succeeded_indexes)
    return condition(SUCCESS_CRITERIA_MET, "SuccessPolicy", message, crew.now) if message else None
