"""The phases of a job: what an action makes of each, and what follows from the counts of its pods."""

from dataclasses import dataclass, field

from windlass.apps.volcano.controllers.job import tasks
from windlass.apps.volcano.kinds.batch import Job

PENDING, RUNNING, RESTARTING = "Pending", "Running", "Restarting"
ABORTING, ABORTED = "Aborting", "Aborted"
TERMINATING, TERMINATED = "Terminating", "Terminated"
COMPLETING, COMPLETED, FAILED = "Completing", "Completed", "Failed"
AT_WORK = (PENDING, RUNNING)
FINISHED = (COMPLETED, FAILED, TERMINATED)
ENDS = {ABORTING: ABORTED, TERMINATING: TERMINATED, COMPLETING: COMPLETED}
"""What a job that is being stopped becomes."""

RESTART_JOB, RESUME = "RestartJob", "ResumeJob"
TARGETED = ("RestartTask", "RestartPod", "RestartPartition")
STOPS = {"AbortJob": ABORTING, "TerminateJob": TERMINATING, "CompleteJob": COMPLETING}


@dataclass(frozen=True, slots=True)
class Move:
    """`whole`: all pods are killed, and with them goes everything that was made for the job but its claims."""

    phase: str
    retries: bool = False
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Counts:
    """Pods by what they do; `tasks` has them by task and phase, those that leave excepted."""

    pending: int = 0
    running: int = 0
    succeeded: int = 0
    failed: int = 0
    unknown: int = 0
    terminating: int = 0
    tasks: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])


def moved(phase: str, action: str) -> Move | None:
    """What an action does to a job in a phase; None where it has no effect of its own."""
    if phase in AT_WORK:
        if action in STOPS:
            return Move(STOPS[action])
        if action == RESTART_JOB or action in TARGETED:
            return Move(RESTARTING, retries=True, whole=action == RESTART_JOB)
    if phase == RESTARTING and (action == RESTART_JOB or action in TARGETED):
        return Move(RESTARTING, whole=action == RESTART_JOB)
    if phase in (ABORTING, ABORTED) and action == RESUME:
        return Move(RESTARTING, retries=True)
    return None


def settled(job: Job, counts: Counts) -> str:
    """The phase that follows from the counts, without any action."""
    phase = job.status.state.phase or PENDING
    match phase:
        case "Pending":
            begun = counts.running + counts.succeeded + counts.failed
            return RUNNING if begun >= tasks.min_available(job) else PENDING
        case "Running":
            return _after_running(job, counts)
        case "Restarting":
            if job.status.retry_count >= tasks.max_retry(job):
                return FAILED
            return PENDING if tasks.replicas(job) - counts.terminating >= tasks.min_available(job) else RESTARTING
        case "Aborting" | "Terminating" | "Completing":
            busy = counts.pending + counts.running + counts.unknown + counts.terminating
            return phase if busy else ENDS[phase]
        case _:
            return phase


def _after_running(job: Job, counts: Counts) -> str:
    total, least, wanted = tasks.replicas(job), tasks.min_available(job), job.spec.min_success
    if total == 0:
        return RUNNING
    if wanted is not None and counts.succeeded >= wanted:
        return COMPLETED
    if counts.succeeded + counts.failed == total:
        if _task_fell_short(job, counts) or counts.succeeded < (least if wanted is None else wanted):
            return FAILED
        return COMPLETED
    return PENDING if counts.pending > total - least else RUNNING


def _task_fell_short(job: Job, counts: Counts) -> bool:
    """Whether a task has fewer successes than its minimum, where the job's own minimum does not say less."""
    all_tasks = tasks.tasks_of(job)
    if tasks.min_available(job) < sum(task.min_available for task in all_tasks):
        return False
    return any(counts.tasks.get(task.name, {}).get("Succeeded", 0) < task.min_available for task in all_tasks)
