"""What a cycle does, in the order that the configuration names: one module an action, each with `run(session)`."""

from collections.abc import Callable

from windlass.scheduler.actions import allocate, backfill, enqueue, gangpreempt, gangreclaim, preempt, reclaim, shuffle
from windlass.scheduler.framework.session import Session

Action = Callable[[Session], None]

ACTIONS: dict[str, Action] = {
    "enqueue": enqueue.run,
    "allocate": allocate.run,
    "backfill": backfill.run,
    "preempt": preempt.run,
    "reclaim": reclaim.run,
    "gangpreempt": gangpreempt.run,
    "gangreclaim": gangreclaim.run,
    "shuffle": shuffle.run,
}
