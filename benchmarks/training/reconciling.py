"""The cost of one look at one job, as the worker pays it: with caches of many jobs' pods and services around it."""

import statistics
import time
from datetime import UTC, datetime
from typing import Any

import msgspec

from benchmarks.training.jobs import a_tfjob
from windlass.apis.core_v1 import Pod, PodStatus, Service
from windlass.apps.training.controllers.engine.reconcile import controller
from windlass.apps.training.frameworks import BY_KIND
from windlass.apps.training.kinds.common import TrainingJob
from windlass.kube.cache import Store
from windlass.kube.controller import Observed
from windlass.kube.json import Object
from windlass.kube.kind import KINDS
from windlass.kube.objects import owner_reference
from windlass.kube.testing import created
from windlass.kube.view import typed

LOOKS = 200
EACH = 8


def milliseconds(pods: int) -> float:
    """Median time of a look at one job of eight pods, among so many pods of jobs alike."""
    framework = BY_KIND["TFJob"]
    control = controller(framework)
    stores: dict[Any, Store[Any]] = {typed(Pod): Store(), typed(Service): Store()}
    jobs = [_filled(number, control, stores) for number in range(pods // EACH)]
    middle = jobs[len(jobs) // 2]
    took: list[float] = []
    for _ in range(LOOKS):
        began = time.perf_counter()
        control.reconcile(middle, Observed(stores.__getitem__, middle, datetime.now(UTC)))
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


def _filled(number: int, control: Any, stores: dict[Any, Store[Any]]) -> TrainingJob:
    kind = control.kind
    wanted = a_tfjob(f"job-{number}", "team", {"PS": 2, "Worker": 6}, ["sleep", "1000"])
    wanted["metadata"]["uid"] = f"uid-{number}"
    job = msgspec.convert(_bare(wanted), kind)
    owner = msgspec.to_builtins(owner_reference(job, KINDS.of(kind)))
    plan = control.reconcile(job, Observed(stores.__getitem__, job, datetime.now(UTC)))
    for child in created(plan):
        struct = Pod if child["kind"] == "Pod" else Service
        metadata = {
            **child["metadata"],
            "uid": f"{child['kind']}-{child['metadata']['name']}",
            "ownerReferences": [owner],
        }
        made = msgspec.convert({**_bare(child), "metadata": metadata}, struct)
        if isinstance(made, Pod):
            made = msgspec.structs.replace(made, status=PodStatus(phase="Running"))
        stores[typed(struct)].put(made)
    return job


def _bare(value: Object) -> Object:
    return {key: member for key, member in value.items() if key not in ("apiVersion", "kind")}
