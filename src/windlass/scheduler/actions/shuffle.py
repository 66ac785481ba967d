"""Makes those pods go that plugins name for reasons of their own: hours that are over, nodes that are too busy."""

from windlass.scheduler.batch.evictable import is_protected
from windlass.scheduler.batch.model import Status, Task
from windlass.scheduler.batch.session import Session
from windlass.scheduler.batch.statement import Statement

NAME = "shuffle"


def run(session: Session) -> None:
    naming = session.plugins.by_hook["victims"]
    if not naming:
        return
    running = [task for task in _running(session) if not is_protected(task)]
    victims: list[Task] = []
    for tier in naming:
        named = {task.uid: task for plugin in tier for task in plugin.victims(running)}
        if named:
            victims = list(named.values())
            break
    for plugin in session.plugins.flat["may_go"]:
        victims = list(plugin.may_go(victims))
    statement = Statement(session)
    for task in victims:
        statement.evict(task, NAME, None)
    statement.commit()


def _running(session: Session) -> list[Task]:
    """In an order that is always the same."""
    tasks = (task for job in session.cluster.jobs.values() for task in job.tasks.values())
    return sorted((task for task in tasks if task.status is Status.RUNNING), key=lambda task: task.uid)
