"""The scheduler of a manager that may have nothing to schedule: loaded with the first object that needs it.

Its code and NumPy take 15 MB and a third of a second of a processor, which an idle Windlass does without.
"""

from collections.abc import Callable
from typing import Any

from windlass.apis import scheduling_kube_batch_v1alpha1, scheduling_volcano_v1beta1
from windlass.apis.core_v1 import ConfigMap, Pod
from windlass.kube.controller import Service
from windlass.kube.json import Object, dig_object
from windlass.kube.kind import KINDS
from windlass.kube.on_demand import always, on_demand
from windlass.kube.view import View, typed, untyped
from windlass.scheduler.live.options import CONFIGURATION_SELECTOR, Options
from windlass.scheduler.model.pod_groups import DEFAULT, GROUP_KINDS

QUEUES = (scheduling_volcano_v1beta1.Queue, scheduling_kube_batch_v1alpha1.Queue)


def scheduler_on_demand(options: Options) -> Service:
    return on_demand(DEFAULT, wakers, lambda: _service(options))


def _service(options: Options) -> Service:
    from windlass.scheduler.live.service import scheduler

    return scheduler(options)


def wakers() -> dict[View[Any], Callable[[Any], bool]]:
    """Objects that are watched until the scheduler is there, and which of them need it."""
    return {
        typed(Pod): always,
        typed(ConfigMap).narrowed(CONFIGURATION_SELECTOR): always,
        **{untyped(kind): always for kind in GROUP_KINDS},
        **{untyped(KINDS.of(kind)): is_in_use for kind in QUEUES},
    }


def is_in_use(queue: Object) -> bool:
    """Whether its status names something allocated or reserved, which only a scheduler can bring up to date."""
    return any(dig_object(queue, "status", field) for field in ("allocated", "reservation"))
