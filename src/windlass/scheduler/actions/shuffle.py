"""Makes those pods go that plugins name for reasons of their own: hours that are over, nodes that are too busy."""

from windlass.scheduler.framework.evictable import is_protected
from windlass.scheduler.framework.extension_points import MayGo, Victims
from windlass.scheduler.framework.session import Session
from windlass.scheduler.framework.statement import Statement
from windlass.scheduler.model.jobs import Status, Task

NAME = "shuffle"


def run(session: Session) -> None:
    naming = session.plugins.by_tier(Victims)
    if not naming:
        return
    running = [task for task in _running(session) if not is_protected(task)]
    victims: list[Task] = []
    for tier in naming:
        named = {task.uid: task for plugin in tier for task in plugin.victims(running)}
        if named:
            victims = list(named.values())
            break
    for plugin in session.plugins.asked(MayGo):
        victims = list(plugin.may_go(victims))
    statement = Statement(session)
    for task in victims:
        statement.evict(task, NAME, None)
    statement.commit()


def _running(session: Session) -> list[Task]:
    """In an order that is always the same."""
    tasks = (task for job in session.cluster.jobs.values() for task in job.tasks.values())
    return sorted((task for task in tasks if task.status is Status.RUNNING), key=lambda task: task.uid)
