"""The scheduler as a part of the manager: caches deliver changes to the core, and its effects are carried out."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from windlass.kube.api import Runtime
from windlass.kube.cache import Store
from windlass.kube.controller import Service
from windlass.kube.kind import Kind
from windlass.kube.queue import Queue
from windlass.scheduler.live.core.effects import Clock
from windlass.scheduler.live.core.events import (
    Event,
    ObjectAdded,
    ObjectChanged,
    ObjectDeleted,
    Started,
    Synced,
    Wakeup,
)
from windlass.scheduler.live.core.object_changes import Wait
from windlass.scheduler.live.core.scheduler_core import SchedulerCore
from windlass.scheduler.live.executor import Executor
from windlass.scheduler.live.metrics import SchedulerMetrics
from windlass.scheduler.live.options import DEFAULTS, Options
from windlass.scheduler.live.writers.extender_client import ExtenderClients
from windlass.scheduler.model.pod_groups import DEFAULT

CLOCK = Clock(time.monotonic, time.time)
SYNC_TIMEOUT_SECONDS = 30.0
SYNC_RETRY = timedelta(milliseconds=10)


class Subscription:
    """Hands the changes of one cache to the core. What the core raises over an object the cache contains."""

    def __init__(self, feed: str, deliver: Callable[[Event], None]) -> None:
        self.place, self._deliver = feed, deliver

    def added(self, obj: Any, /) -> None:
        self._deliver(ObjectAdded(self.place, obj))

    def changed(self, old: Any, new: Any, /) -> None:
        self._deliver(ObjectChanged(self.place, old, new))

    def deleted(self, obj: Any, /) -> None:
        self._deliver(ObjectDeleted(self.place, obj))


class Sync:
    """Whether the caches have delivered all that there was at the start.

    Of groups and queues those that the server has are waited for too: nodes may be reserved for a gang since before a
    restart. Kinds that cannot be read do not hold it up for ever.
    """

    def __init__(self, runtime: Runtime, core: SchedulerCore) -> None:
        self._api, self._began, self.is_done = runtime.api, time.monotonic(), False
        waits = {feed.view: (feed.wait, runtime.store(feed.view)) for feed in core.feeds.values()}
        self._required = [store for wait, store in waits.values() if wait is Wait.ALWAYS]
        self._if_served: dict[Kind, Store[Any]] = {
            view.kind: store for view, (wait, store) in waits.items() if wait is Wait.IF_SERVED
        }

    async def check(self) -> bool:
        if self.is_done:
            return True
        if not all(store.synced.is_set() for store in self._required):
            return False
        served = await self._api.served()
        missing = [kind for kind, store in self._if_served.items() if kind in served and not store.synced.is_set()]
        if missing and time.monotonic() - self._began < SYNC_TIMEOUT_SECONDS:
            return False
        self.is_done = True
        return True


def start(runtime: Runtime, options: Options) -> None:
    extender_answers: Queue[str] = runtime.queue("extender_answers")
    connect = ExtenderClients(extender_answers).connect
    core = SchedulerCore(options, SchedulerMetrics(runtime.registry), runtime.faults, connect)
    executor, sync = Executor(runtime, core, CLOCK, extender_answers), Sync(runtime, core)

    async def turn(_: str) -> timedelta | None:
        if not sync.is_done:
            if not await sync.check():
                return SYNC_RETRY
            executor.deliver(Synced())
        executor.deliver(Wakeup())
        return None

    executor.deliver(Started())
    for name, feed in core.feeds.items():
        runtime.store(feed.view).subscribe(Subscription(name, executor.deliver))
    executor.start()
    runtime.work("default-scheduler", executor.turns, turn, 1)


def scheduler(options: Options = DEFAULTS) -> Service:
    """The scheduler for a manager, or for a process of its own."""
    return Service(DEFAULT, lambda runtime: start(runtime, options))


SCHEDULER = scheduler()
