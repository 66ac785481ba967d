"""A job's turn: what is kept for it, or for less important ones, is there for it as long as it lasts."""

from collections.abc import Iterator
from contextlib import contextmanager

from windlass.scheduler.framework import holds
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.jobs import Job


@contextmanager
def turn_of(session: Session, job: Job) -> Iterator[None]:
    cluster = session.cluster
    cluster.preemptions.lift(job)
    holds.lift(cluster, job)
    try:
        yield
    finally:
        cluster.preemptions.restore(cluster.jobs)
        holds.restore(cluster)
