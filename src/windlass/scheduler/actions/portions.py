"""Ever more of the jobs that could go: with thousands of them the first few will do, and are found soon."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from windlass.scheduler.model.columns import WIDTH, Vector
from windlass.scheduler.model.jobs import Job

TIMES = (2.0, 16.0)  # so much of what is needed is looked at before all there is


def portions(needs: Vector, jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """`jobs` are in the order of what they cost. Each portion has so much to spare, and so much in all."""
    for times in TIMES:
        spare, whole = _until(needs * times, jobs, share_to_spare), _until(needs * times, jobs, lambda _: 1.0)
        some = [job for at, job in enumerate(jobs[: max(spare, whole)]) if at < whole or share_to_spare(job) > 0]
        if len(some) == len(jobs):
            break
        yield some
    yield list(jobs)


def _until(wanted: Vector, jobs: Sequence[Job], share: Callable[[Job], float]) -> int:
    """How many of them have what is wanted."""
    asked, found = wanted > 0, np.zeros(WIDTH)
    for number, job in enumerate(jobs):
        part = share(job)
        if part:
            found += job.allocated * part
            if (found >= wanted)[asked].all():
                return number + 1
    return len(jobs)


def share_to_spare(job: Job) -> float:
    """Which part of what it has it does not need."""
    if job.ready <= 0:
        return 0.0
    if job.ready < job.min_member:
        return 1.0
    return (job.ready - job.min_member) / job.ready
