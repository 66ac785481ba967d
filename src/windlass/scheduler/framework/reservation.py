"""What is kept for one gang that waits. Plain data."""

from dataclasses import dataclass

from windlass.scheduler.model.columns import Vector
from windlass.scheduler.model.jobs import Job

PART = 0.5  # of the time that a gang has waited: for so much longer others wait for what is not certain


@dataclass(slots=True, eq=False)
class Reservation:
    """`at` is when the gang can start, None where nobody knows."""

    job: Job
    at: float | None
    nodes: tuple[str, ...]
    since: float
    share: Vector | None = None
    """Where its queue's share lacks: what the queue will have then, with the gang. Others must leave it that."""
    closed: bool = False
    """It had to wait longer than was thought: nobody behind it may use the nodes, however soon he ends."""
    review: float = 0.0
    version: int = -1

    def leaves_time(self, seconds: float | None, now: float) -> bool:
        """A job that takes so long and starts now has ended when the gang can start."""
        return self.at is not None and not self.closed and seconds is not None and now + seconds <= self.at

    def is_in_force(self, now: float, starvation: float) -> bool:
        """Where nobody knows when others end, the gang must have waited for a while.

        Where it had to wait longer than was thought, or waits for its queue's share alone, what others leave idle may
        be for nothing: they do so only when the gang has waited for long beside what it still has to.
        """
        waited = now - self.since
        if self.at is None:
            return waited >= starvation
        if self.closed or (self.share is not None and not self.nodes):
            return self.at - now <= max(starvation, PART * waited)
        return True
