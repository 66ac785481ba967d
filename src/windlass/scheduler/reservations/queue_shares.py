"""When a queue may have what a gang of it needs: plugins are asked what they would allow if others had ended."""

from collections.abc import Sequence

import numpy as np

from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import Mask, Vector
from windlass.scheduler.model.jobs import Queue, Task
from windlass.scheduler.reservations.completion_times import Running


class Share:
    """`needs` are tasks and how many of each kind."""

    def __init__(self, session: Session, queue: Queue, needs: Sequence[tuple[Task, int]]) -> None:
        self._session, self._queue, self._needs = session, queue, needs

    @property
    def _asked(self) -> Vector:
        return sum((task.request * number for task, number in self._needs), np.zeros_like(self._queue.allocated))

    def allows(self, allocated: Vector) -> bool:
        """Whether the queue might have all of it, if it had so much."""
        queue, session = self._queue, self._session
        before = queue.allocated.copy()
        queue.allocated[:] = allocated
        found = True
        for task, number in self._needs:
            found = found and session.allocatable(queue, task.request, number) >= number
            queue.allocated += task.request * number
        queue.allocated[:] = before
        return found

    def could_be(self) -> bool:
        """With nobody else in the queue."""
        return self.allows(np.zeros_like(self._queue.allocated))

    def when(self, running: Running) -> float | None:
        """When enough of the queue have ended; None: that is not known."""
        mine = np.flatnonzero(running.of_queue(self._queue.name)[: running.known])
        low, high = 0, len(mine)
        if not self.allows(self._queue.allocated - running.total(mine)):
            return None
        while low < high:  # the fewest that must have ended
            middle = (low + high) // 2
            if self.allows(self._queue.allocated - running.total(mine[:middle])):
                high = middle
            else:
                low = middle + 1
        return float(running.ends[mine[high - 1]]) if high else self._session.now

    def then(self, running: Running, at: float | None, nodes: Mask) -> Vector:
        """What the queue will have with the gang: those are gone that end before, or are on the gang's nodes."""
        gone = running.of_queue(self._queue.name) & (nodes[running.rows] if at is None else running.ends <= at)
        return self._queue.allocated - running.total(np.flatnonzero(gone)) + self._asked
