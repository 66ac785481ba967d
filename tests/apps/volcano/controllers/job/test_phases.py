"""The table of phases: what each action makes of each phase, and what follows from counts."""

from typing import Any

import msgspec
import pytest

from windlass.apps.volcano.controllers.job.phases import Counts, Move, moved, settled
from windlass.apps.volcano.kinds.batch import Job
from windlass.apps.volcano.kinds.bus import USER_ACTIONS

RESTART, PART = Move("Restarting", retries=True), Move("Restarting", retries=True, whole=False)
AGAIN, PART_AGAIN = Move("Restarting"), Move("Restarting", whole=False)
WORKING = {
    "RestartJob": RESTART,
    "RestartTask": PART,
    "RestartPod": PART,
    "RestartPartition": PART,
    "AbortJob": Move("Aborting"),
    "TerminateJob": Move("Terminating"),
    "CompleteJob": Move("Completing"),
}
RESTARTING = {
    "RestartJob": AGAIN,
    "RestartTask": PART_AGAIN,
    "RestartPod": PART_AGAIN,
    "RestartPartition": PART_AGAIN,
}
RESUMED = {"ResumeJob": RESTART}
TABLE: dict[str, dict[str, Move]] = {
    "Pending": WORKING,
    "Running": WORKING,
    "Restarting": RESTARTING,
    "Aborting": RESUMED,
    "Aborted": RESUMED,
    "Terminating": {},
    "Terminated": {},
    "Completing": {},
    "Completed": {},
    "Failed": {},
}


@pytest.mark.parametrize("action", USER_ACTIONS)
@pytest.mark.parametrize("phase", TABLE)
def test_an_action_moves_a_job_as_the_table_says(phase: str, action: str) -> None:
    assert moved(phase, action) == TABLE[phase].get(action)


def a_job(phase: str, *replicas: int, minima: tuple[int, ...] = (), retries: int = 0, **spec: Any) -> Job:
    tasks = [{"name": f"t{index}", "replicas": count} for index, count in enumerate(replicas)]
    for task, least in zip(tasks, minima, strict=False):
        task["minAvailable"] = least
    value = {"spec": {"tasks": tasks, **spec}, "status": {"state": {"phase": phase}, "retryCount": retries}}
    return msgspec.convert(value, Job)


def ended(*succeeded: int, failed: int = 0) -> Counts:
    tasks = {f"t{index}": {"Succeeded": count} for index, count in enumerate(succeeded)}
    return Counts(succeeded=sum(succeeded), failed=failed, tasks=tasks)


@pytest.mark.parametrize(
    ("job", "counts", "phase"),
    [
        (a_job("Pending", 3), Counts(running=2, pending=1), "Pending"),
        (a_job("Pending", 3), Counts(running=3), "Running"),
        (a_job("Pending", 3, minAvailable=2), Counts(running=1, succeeded=1), "Running"),
        (a_job("Pending", 3, minAvailable=2), Counts(running=1, failed=1), "Running"),
        (a_job("Running", 3), Counts(running=3), "Running"),
        (a_job("Running", 0), Counts(), "Running"),
        (a_job("Running", 3), ended(3), "Completed"),
        (a_job("Running", 3), ended(2, failed=1), "Failed"),
        (a_job("Running", 3, minAvailable=2), ended(2, failed=1), "Completed"),
        (a_job("Running", 3, minAvailable=2), ended(1, failed=2), "Failed"),
        (a_job("Running", 1, 2, minima=(1, 1)), ended(1, 1, failed=1), "Completed"),
        (a_job("Running", 1, 2, minima=(1, 1)), ended(0, 2, failed=1), "Failed"),
        (a_job("Running", 1, 2, minima=(1, 1), minAvailable=1), ended(0, 2, failed=1), "Completed"),
        (a_job("Running", 3, minSuccess=1), Counts(succeeded=1, running=2), "Completed"),
        (a_job("Running", 3, minSuccess=2), ended(1, failed=2), "Failed"),
        (a_job("Running", 3), Counts(pending=1, running=2), "Pending"),
        (a_job("Running", 3, minAvailable=2), Counts(pending=1, running=2), "Running"),
        (a_job("Running", 3, minAvailable=2), Counts(pending=2, running=1), "Pending"),
        (a_job("Restarting", 3), Counts(terminating=1), "Restarting"),
        (a_job("Restarting", 3), Counts(), "Pending"),
        (a_job("Restarting", 3, minAvailable=2), Counts(terminating=1), "Pending"),
        (a_job("Restarting", 3, retries=2), Counts(), "Pending"),
        (a_job("Restarting", 3, retries=3), Counts(), "Failed"),
        (a_job("Restarting", 3, retries=1, maxRetry=1), Counts(), "Failed"),
        *(
            (a_job(now, 2), counts, then)
            for now, end in (("Aborting", "Aborted"), ("Terminating", "Terminated"), ("Completing", "Completed"))
            for counts, then in (
                (Counts(pending=1), now),
                (Counts(running=1), now),
                (Counts(unknown=1), now),
                (Counts(terminating=1), now),
                (ended(1, failed=1), end),
            )
        ),
        *((a_job(now, 2), Counts(running=2), now) for now in ("Aborted", "Completed", "Failed", "Terminated")),
    ],
)
def test_a_phase_follows_from_counts(job: Job, counts: Counts, phase: str) -> None:
    assert settled(job, counts) == phase
