"""Whose turn it is: queues by their order, and within each its jobs by theirs. An order counts when it is asked for."""

import heapq
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from windlass.scheduler.framework import holds
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.jobs import Job, Queue


class Turns:
    """Gives (queue, job) pairs. A queue is out until `again` puts it back; a job until `put` does."""

    def __init__(self, session: Session, jobs: Iterable[Job]) -> None:
        self._session = session
        self._jobs: dict[str, list[tuple[tuple[Any, ...], Job]]] = {}
        self._queues: list[tuple[tuple[Any, ...], Queue]] = []
        for job in jobs:
            queue = session.cluster.queue_of(job)
            if queue is not None:
                self._jobs.setdefault(queue.name, []).append((session.job_key(job), job))
        for name, waiting in self._jobs.items():
            heapq.heapify(waiting)
            self.again(session.cluster.queues[name])

    def __iter__(self) -> Iterator[tuple[Queue, Job]]:
        while self._queues:
            _, queue = heapq.heappop(self._queues)
            waiting = self._jobs[queue.name]
            if waiting:
                yield queue, heapq.heappop(waiting)[1]

    def again(self, queue: Queue) -> None:
        """The queue may have another turn, by what it has now."""
        if self._jobs[queue.name]:
            heapq.heappush(self._queues, (self._session.queue_key(queue), queue))

    def put(self, job: Job) -> None:
        """The job may have another turn within its queue."""
        heapq.heappush(self._jobs[job.queue], (self._session.job_key(job), job))

    def empty(self, queue: Queue) -> list[Job]:
        """No more turns for the queue's jobs; answers who waited."""
        left = [job for _, job in self._jobs[queue.name]]
        self._jobs[queue.name] = []
        return left


@contextmanager
def turn_of(session: Session, job: Job) -> Iterator[None]:
    """A job's turn: what is held for it, or for less important jobs, is free for it as long as the block lasts."""
    cluster = session.cluster
    cluster.preemptions.lift(job)
    holds.lift(cluster, job)
    try:
        yield
    finally:
        cluster.preemptions.restore(cluster.jobs)
        holds.restore(cluster)
