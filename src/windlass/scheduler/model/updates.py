"""Objects that decisions read beside nodes, pods, groups and queues: how each is put into the model, and removed."""

from windlass.apis.core_v1 import Json, Namespace, PersistentVolume, PersistentVolumeClaim, ResourceQuota
from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.kube.objects import key_of
from windlass.scheduler.model.amounts import units_of
from windlass.scheduler.model.cluster import Cluster, Quota


def put_claim(cluster: Cluster, claim: PersistentVolumeClaim) -> None:
    cluster.snapshot.claims[key_of(claim)] = claim


def drop_claim(cluster: Cluster, claim: PersistentVolumeClaim) -> None:
    cluster.snapshot.claims.pop(key_of(claim), None)


def put_volume(cluster: Cluster, volume: PersistentVolume) -> None:
    snapshot, name = cluster.snapshot, volume.metadata.name
    snapshot.volumes[name] = volume
    if volume.spec.get("claimRef"):
        snapshot.reserved.pop(name, None)


def drop_volume(cluster: Cluster, volume: PersistentVolume) -> None:
    cluster.snapshot.volumes.pop(volume.metadata.name, None)


def put_storage_class(cluster: Cluster, storage_class: Json) -> None:
    cluster.snapshot.classes[key_of(storage_class).name] = storage_class


def drop_storage_class(cluster: Cluster, storage_class: Json) -> None:
    cluster.snapshot.classes.pop(key_of(storage_class).name, None)


def put_namespace(cluster: Cluster, namespace: Namespace) -> None:
    cluster.snapshot.put_namespace(namespace.metadata.name, namespace.metadata.labels)


def drop_namespace(cluster: Cluster, namespace: Namespace) -> None:
    cluster.snapshot.put_namespace(namespace.metadata.name, None)


def put_budget(cluster: Cluster, budget: PodDisruptionBudget) -> None:
    cluster.snapshot.budgets[key_of(budget)] = budget


def drop_budget(cluster: Cluster, budget: PodDisruptionBudget) -> None:
    cluster.snapshot.budgets.pop(key_of(budget), None)


def put_quota(cluster: Cluster, quota: ResourceQuota) -> None:
    drop_quota(cluster, quota)
    hard, used = quota.status.hard or quota.spec.hard, quota.status.used
    entry = Quota(quota.metadata.name, units_of(hard), units_of(used))
    cluster.quotas.setdefault(quota.metadata.namespace, []).append(entry)


def drop_quota(cluster: Cluster, quota: ResourceQuota) -> None:
    namespace, name = quota.metadata.namespace, quota.metadata.name
    others = [other for other in cluster.quotas.get(namespace, ()) if other.name != name]
    if others:
        cluster.quotas[namespace] = others
    else:
        cluster.quotas.pop(namespace, None)
