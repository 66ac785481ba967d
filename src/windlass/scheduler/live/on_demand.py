"""The scheduler of a manager that may have nothing to schedule: loaded with the first object that needs it.

Its code and NumPy take 15 MB and a third of a second of a processor, which an idle Windlass does without.
"""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from typing import Any

from windlass.apis import scheduling_kube_batch_v1alpha1, scheduling_volcano_v1beta1
from windlass.apis.core_v1 import ConfigMap, Pod
from windlass.kube.api import Runtime
from windlass.kube.controller import Service
from windlass.kube.json import Object, dig_object
from windlass.kube.kind import KINDS
from windlass.kube.queue import Queue
from windlass.kube.view import View, typed, untyped
from windlass.scheduler.live.options import CONFIGURATION_SELECTOR, Options
from windlass.scheduler.model.pod_groups import DEFAULT, GROUP_KINDS

SERVICE = "windlass.scheduler.live.service"
QUEUES = (scheduling_volcano_v1beta1.Queue, scheduling_kube_batch_v1alpha1.Queue)
LOAD = "load"


class FirstObject:
    """Calls `found` for each object that `needs` a scheduler."""

    place = "scheduler-on-demand"

    def __init__(self, needs: Callable[[Any], bool], found: Callable[[], None]) -> None:
        self._needs, self._found = needs, found

    def added(self, obj: Any, /) -> None:
        if self._needs(obj):
            self._found()

    def changed(self, old: Any, new: Any, /) -> None:
        self.added(new)

    def deleted(self, obj: Any, /) -> None:
        pass


def scheduler_on_demand(options: Options) -> Service:
    return Service(DEFAULT, lambda runtime: _wait(runtime, options))


def wakers() -> dict[View[Any], Callable[[Any], bool]]:
    """Objects that are watched until the scheduler is there, and which of them need it."""
    return {
        typed(Pod): _always,
        typed(ConfigMap).narrowed(CONFIGURATION_SELECTOR): _always,
        **{untyped(kind): _always for kind in GROUP_KINDS},
        **{untyped(KINDS.of(kind)): is_in_use for kind in QUEUES},
    }


def is_in_use(queue: Object) -> bool:
    """Whether its status names something allocated or reserved, which only a scheduler can bring up to date."""
    return any(dig_object(queue, "status", field) for field in ("allocated", "reservation"))


def _always(_: Any) -> bool:
    return True


def _wait(runtime: Runtime, options: Options) -> None:
    queue: Queue[str] = runtime.queue("scheduler_on_demand")
    is_loaded = False

    def found() -> None:
        if not is_loaded:
            queue.add(LOAD)

    async def load(_: str) -> timedelta | None:
        nonlocal is_loaded
        service = await asyncio.to_thread(import_module, SERVICE)  # the loop continues with other controllers' work
        if not is_loaded:
            is_loaded = True
            service.start(runtime, options)
        return None

    runtime.work("scheduler-on-demand", queue, load, 1)
    for view, needs in wakers().items():
        runtime.store(view).subscribe(FirstObject(needs, found))
