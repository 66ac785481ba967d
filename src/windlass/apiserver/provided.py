"""What Windlass brings besides Kubernetes' own: kinds, the queues that every gang may name, runtimes for training."""

import asyncio
import logging
from collections.abc import Awaitable

from windlass.apis.provided import definitions
from windlass.apis.trainer.public import public_objects
from windlass.apis.trainer.runtimes import runtimes
from windlass.apiserver.api import Api
from windlass.apiserver.internal import ensure, modify, resource_of
from windlass.apiserver.renewing import renew
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, dig

log = logging.getLogger("windlass.server")

_VOLCANO = "scheduling.volcano.sh/v1beta1"
_RUNTIMES = "clustertrainingruntimes.trainer.kubeflow.org"


async def provide(api: Api) -> None:
    """The kinds are served, and what there is of them from the start is there."""
    kinds = definitions()
    made = await asyncio.gather(*[renew(api, definition, proven=True) for definition in kinds])
    new = {definition["metadata"]["name"] for definition, is_new in zip(kinds, made, strict=True) if is_new}
    if api.registry.by_kind("scheduling.volcano.sh", "v1beta1", "Queue") is not None:
        for name, reclaimable in (("root", False), ("default", True)):
            await _ensure_queue(api, name, reclaimable)
    for public in public_objects():
        await _if_possible(public, renew(api, public, "data") if "data" in public else ensure(api, public))
    if api.registry.by_kind("trainer.kubeflow.org", "v1alpha1", "ClusterTrainingRuntime") is not None:
        proven = _RUNTIMES in new  # another's definition may allow less
        await asyncio.gather(*[_if_possible(runtime, renew(api, runtime, proven=proven)) for runtime in runtimes()])


async def _if_possible(wanted: Object, making: Awaitable[object]) -> None:
    try:
        await making
    except ApiError as error:  # a definition that is not ours, or a namespace that is being deleted
        log.warning("there is no %s %s: %s", wanted["kind"], wanted["metadata"]["name"], error)


async def _ensure_queue(api: Api, name: str, reclaimable: bool) -> None:
    """A queue, open, as Volcano's scheduler makes it."""
    queue: Object = {
        "apiVersion": _VOLCANO,
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {"weight": 1, "reclaimable": reclaimable},
    }
    try:
        if await ensure(api, queue):
            await modify(api, resource_of(api, _VOLCANO, "Queue"), "", name, _opened, "status")
    except ApiError as error:  # by a definition that is not ours
        log.warning("there is no queue %s: %s", name, error)


def _opened(queue: Object) -> Object:
    return queue if dig(queue, "status", "state") else {**queue, "status": {"state": "Open"}}
