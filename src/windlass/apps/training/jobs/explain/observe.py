"""Reads all objects of a cluster that the scheduler bases its decisions on."""

from typing import TYPE_CHECKING, Any

from windlass.apis import (
    core_v1,
    policy_v1,
    scheduling_kube_batch_v1alpha1,
    scheduling_v1,
    scheduling_volcano_v1beta1,
    storage_v1,
    topology_volcano_v1alpha1,
)
from windlass.kube import errors
from windlass.kube.json import dig
from windlass.kube.kind import KINDS, Kind
from windlass.scheduler.live.core.configuration import KEY, NAME, NAMESPACE
from windlass.scheduler.model.observed import Observed
from windlass.scheduler.model.pod_groups import GROUP_KINDS

if TYPE_CHECKING:
    from windlass.kube.client import Client

STORAGE_CLASS = KINDS.of(storage_v1.StorageClass)


async def observe(client: "Client") -> Observed:
    """List all objects; kinds that the server does not serve are empty."""
    return Observed(
        nodes=await _all(client, KINDS.of(core_v1.Node)),
        pods=await _all(client, KINDS.of(core_v1.Pod)),
        groups=[(kind, obj) for kind in GROUP_KINDS for obj in await _all(client, kind)],
        queues=await _all(client, KINDS.of(scheduling_volcano_v1beta1.Queue)),
        kube_batch_queues=await _all(client, KINDS.of(scheduling_kube_batch_v1alpha1.Queue)),
        priority_classes=await _all(client, KINDS.of(scheduling_v1.PriorityClass)),
        quotas=await _all(client, KINDS.of(core_v1.ResourceQuota)),
        hyper_nodes=await _all(client, KINDS.of(topology_volcano_v1alpha1.HyperNode)),
        claims=await _all(client, KINDS.of(core_v1.PersistentVolumeClaim)),
        volumes=await _all(client, KINDS.of(core_v1.PersistentVolume)),
        storage_classes=await _all(client, STORAGE_CLASS),
        namespaces=await _all(client, KINDS.of(core_v1.Namespace)),
        budgets=await _all(client, KINDS.of(policy_v1.PodDisruptionBudget)),
        conf=await _conf(client),
    )


async def _all(client: "Client", kind: Kind) -> list[dict[str, Any]]:
    try:
        return (await client.list(kind)).items
    except errors.NotFound:
        return []


async def _conf(client: "Client") -> str | None:
    """The scheduler's configuration in its ConfigMap."""
    try:
        found = await client.get(KINDS.of(core_v1.ConfigMap), NAME, NAMESPACE)
    except errors.NotFound:
        return None
    text = dig(found, "data", KEY)
    return text if isinstance(text, str) else None
