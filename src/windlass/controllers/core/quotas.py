"""ResourceQuota -> its `status.used`, recounted when something in the namespace comes, goes or changes.

It is for people to read: the server's admission counts for itself. It is written only where two readings agree, the
caches' and the server's own, and only onto the version of the quota that was read.
"""

from datetime import timedelta

from windlass.apis.core_v1 import (
    ConfigMap,
    PersistentVolumeClaim,
    Pod,
    ReplicationController,
    ResourceQuota,
    Secret,
    Service,
)
from windlass.apis.quota_usage import Contents, counted_resource, used
from windlass.kube.api import Api
from windlass.kube.controller import ALL_OBJECTS, Acting, Observed
from windlass.kube.json import Object as Json
from windlass.kube.kind import KINDS, Kind
from windlass.kube.quantity import Quantity
from windlass.kube.view import metadata_only, typed

QUOTA = KINDS.of(ResourceQuota)
COUNTED = {KINDS.of(kind).plural: metadata_only(kind) for kind in (ConfigMap, Secret, ReplicationController)}
COUNT_AGAIN = timedelta(seconds=30)  # for kinds that are counted but not watched


async def act(quota: ResourceQuota, observed: Observed, api: Api) -> timedelta | None:
    if quota.metadata.deletion_timestamp is not None:
        return None
    names = {resource for name in quota.spec.hard if (resource := counted_resource(name))}
    unwatched = await _kinds_named(names - COUNTED.keys() - {QUOTA.plural}, api)
    counts = {resource: len(observed.all(form)) for resource, form in COUNTED.items()}
    counts[QUOTA.plural] = len(observed.all(ResourceQuota))
    for resource, kind in unwatched.items():
        counts[resource] = await api.count(kind, quota.metadata.namespace)
    contents = Contents(observed.all(Pod), observed.all(Service), observed.all(PersistentVolumeClaim), counts)
    if not _agrees(quota, used(quota, contents)):
        await _count_and_write(quota, counts, api)
    return COUNT_AGAIN if unwatched else None


def _agrees(quota: ResourceQuota, counted: dict[str, str]) -> bool:
    """Whether the status says so already, however it is written."""
    return _amounts(quota.status.used) == _amounts(counted) and _amounts(quota.status.hard) == _amounts(quota.spec.hard)


def _amounts(listed: "dict[str, str] | dict[str, str | int | float]") -> dict[str, Quantity]:
    return {name: Quantity.parse(amount) for name, amount in listed.items()}


async def _count_and_write(cached: ResourceQuota, counts: dict[str, int], api: Api) -> None:
    namespace, name = cached.metadata.key
    quota = await api.get(typed(ResourceQuota), name, namespace)
    contents = Contents(
        (await api.list(typed(Pod), namespace)).items,
        (await api.list(typed(Service), namespace)).items,
        (await api.list(typed(PersistentVolumeClaim), namespace)).items,
        counts,
    )
    counted = used(quota, contents)
    if _agrees(quota, counted):
        return
    status: Json = {
        "hard": {**dict.fromkeys(quota.status.hard), **quota.spec.hard},  # null removes what is limited no more
        "used": {**dict.fromkeys(quota.status.used), **counted},
    }
    await api.set_status(QUOTA, quota.metadata.key, status, resource_version=quota.metadata.resource_version)


async def _kinds_named(resources: set[str], api: Api) -> dict[str, Kind]:
    if not resources:
        return {}
    served = {kind.group_resource: kind for kind in reversed(await api.served()) if kind.namespaced}
    return {resource: served[resource] for resource in resources if resource in served}


CONTROLLER = Acting(
    "resource-quota-controller",
    ResourceQuota,
    act,
    watches=[
        (source, ALL_OBJECTS) for source in (ResourceQuota, Pod, Service, PersistentVolumeClaim, *COUNTED.values())
    ],
    workers=2,
)
