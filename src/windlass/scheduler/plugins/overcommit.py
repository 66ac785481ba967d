"""`overcommit`: admits a little more than the nodes have, so that the next job is ready when one ends."""

from math import ceil, floor

import numpy as np

from windlass.apis.reasons import Overcommit as OvercommitCount
from windlass.scheduler.framework import admission
from windlass.scheduler.framework.admission import written
from windlass.scheduler.framework.extension_points import Vote
from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import TOLERANCE, WIDTH, Vector, column, short
from windlass.scheduler.model.jobs import Job

FACTOR = 1.2


class Overcommit(Plugin):
    NAME = "overcommit"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        factor = arguments.number("overcommit-factor", FACTOR)
        if factor < 1:
            arguments.warnings.append(f"overcommit: overcommit-factor: {factor:g} is less than 1; {FACTOR} is used")
            factor = FACTOR
        self._factor = factor

    def open(self, session: Session) -> None:
        self._session = session
        self._room = session.total * self._factor - session.cluster.snapshot.table.used.sum(axis=1)
        self._inqueue = sum((queue.inqueue for queue in session.cluster.queues.values()), np.zeros(WIDTH))

    def job_enqueueable(self, job: Job) -> Vote:
        asked, victims = job.unallocated, admission.lawful_victims(self._session, job)
        room = self._room + victims
        lacking = short(self._inqueue + asked, asked, room)
        if not lacking:
            return Vote.PERMIT
        admission.cluster_is_short(
            self._session, job, lacking, asked, room - self._inqueue, lambda name: self._count(name, victims)
        )
        return Vote.REJECT

    def _count(self, name: str, victims: Vector) -> OvercommitCount:
        """How what is left is counted, as it is more than what is free."""
        number, total = column(name), self._session.total
        in_use = total * self._factor - self._room
        parts = (float(amount[number]) for amount in (in_use, self._inqueue, victims))
        amounts = (written(name, amount, ceil) if amount > TOLERANCE else "" for amount in parts)
        return OvercommitCount(self._factor, written(name, float(total[number]), floor), *amounts)

    def job_enqueued(self, job: Job) -> None:
        self._inqueue = self._inqueue + job.unallocated
