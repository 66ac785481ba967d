"""`cdp`: pods that have just started have some time for themselves (`volcano.sh/cooldown-time`)."""

from collections.abc import Sequence

from windlass.scheduler.framework.evictable import is_cooling_down
from windlass.scheduler.framework.plugin import Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.jobs import Task


class Cdp(Plugin):
    NAME = "cdp"

    def open(self, session: Session) -> None:
        self._now = session.now

    def preemptable(self, preemptor: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        return [task for task in candidates if not is_cooling_down(task, self._now)]

    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        return [task for task in candidates if not is_cooling_down(task, self._now)]
