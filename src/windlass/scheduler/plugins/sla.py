"""`sla`: a job that says how long it is willing to wait comes before others as that time draws near."""

import math

from windlass.scheduler.framework.extension_points import Vote
from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.jobs import Job
from windlass.scheduler.model.parsing import duration_of

WAITING = "sla-waiting-time"
NAMES = (f"volcano.sh/{WAITING}", WAITING)
"""Annotations of a job, the first that is there counts; as `1h30m`."""


class Sla(Plugin):
    NAME = "sla"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        given = arguments.text(WAITING)
        self._default = duration_of(given)
        if given and self._default is None:
            arguments.warnings.append(f"sla: {WAITING}: {given!r} is not a time such as 1h30m")

    def open(self, session: Session) -> None:
        self._now = session.now

    def deadline(self, job: Job) -> float:
        """When the job should have been admitted, in seconds; infinity where no waiting time is set."""
        told = next((job.annotations[name] for name in NAMES if name in job.annotations), "")
        waits = duration_of(told)
        waits = self._default if waits is None else waits
        return job.created + waits if waits is not None else math.inf

    def job_order(self, job: Job) -> float:
        return self.deadline(job)

    def job_enqueueable(self, job: Job) -> Vote:
        return self._vote(job)

    def job_pipelined(self, job: Job) -> Vote:
        return self._vote(job)

    def _vote(self, job: Job) -> Vote:
        return Vote.PERMIT if self.deadline(job) < self._now else Vote.ABSTAIN
