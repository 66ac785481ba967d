"""`cdp`: pods that have just started have some time for themselves (`volcano.sh/cooldown-time`)."""

from collections.abc import Sequence

from windlass.scheduler.batch.evictable import is_cooling_down
from windlass.scheduler.batch.model import Task
from windlass.scheduler.batch.plugin import Plugin
from windlass.scheduler.batch.session import Session


class Cdp(Plugin):
    NAME = "cdp"

    def open(self, session: Session) -> None:
        self._now = session.now

    def preemptable(self, preemptor: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        return [task for task in candidates if not is_cooling_down(task, self._now)]

    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        return [task for task in candidates if not is_cooling_down(task, self._now)]
