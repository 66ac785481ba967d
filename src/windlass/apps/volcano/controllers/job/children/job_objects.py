"""What is made for a job beside its pods, and what of it is there."""

from collections.abc import Mapping
from typing import Any

from windlass.apis.core_v1 import ConfigMap, PersistentVolumeClaim, Secret, Service
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.apis.wellknown import NETWORKING_GROUP
from windlass.apps.volcano.controllers.job import plugins
from windlass.apps.volcano.controllers.job.children import job_volumes
from windlass.apps.volcano.controllers.job.children.pod_group import pod_group, version_of_group
from windlass.apps.volcano.controllers.job.children.ssh_keys import uses_keys
from windlass.apps.volcano.controllers.job.job_state import VolcanoJobState
from windlass.apps.volcano.controllers.job.plugins import ssh
from windlass.kube.json import Object
from windlass.kube.kind import Kind
from windlass.kube.objects import AnyObject, is_deleting
from windlass.kube.view import View, metadata_only, typed

NETWORK_POLICY = Kind(group=NETWORKING_GROUP, version="v1", name="NetworkPolicy", plural="networkpolicies")
SECRETS = metadata_only(Secret)
VIEWS: Mapping[str, View[Any]] = {
    "ConfigMap": typed(ConfigMap),
    "Service": metadata_only(Service),
    "Secret": SECRETS,
    "PersistentVolumeClaim": metadata_only(PersistentVolumeClaim),
    "NetworkPolicy": metadata_only(NETWORK_POLICY),
}
"""What is only made and removed is known by its metadata."""


def _there(current: VolcanoJobState, wanted: Object) -> Any:
    return current.observed.one(VIEWS[wanted["kind"]], wanted["metadata"]["name"])


def to_make(current: VolcanoJobState) -> list[AnyObject]:
    """What is not there and should be, in the order in which it is made."""
    wanted = [*job_volumes.claims(current.job), *plugins.resources(current.job)]
    made: list[AnyObject] = [each for each in wanted if _there(current, each) is None]
    return made if current.group is not None else [*made, _group(current)]


def to_update(current: VolcanoJobState) -> list[AnyObject]:
    """What follows the job when that is scaled: its group, and the names of its pods."""
    configs = [each for each in plugins.resources(current.job) if each["kind"] == "ConfigMap"]
    updated: list[AnyObject] = [each for each in configs if _there(current, each) is not None]
    return updated if current.group is None or is_outdated(current) else [*updated, _group(current)]


def _group(current: VolcanoJobState) -> Object:
    return pod_group(current.job, {one.metadata.name: one.value for one in current.observed.all(PriorityClass)})


def is_outdated(current: VolcanoJobState) -> bool:
    """Whether the group is of a time before the job was killed whole."""
    return current.group is not None and version_of_group(current.group) < current.status.version


def to_remove(current: VolcanoJobState) -> list[AnyObject]:
    """All of it but the claims, the group last: as long as that is there, there is something to remove."""
    wanted = plugins.resources(current.job)
    if uses_keys(current.job):
        wanted = [*wanted, _reference("Secret", ssh.secret_name(current.job), current)]
    found = [(each, _there(current, each)) for each in wanted]
    gone: list[AnyObject] = [
        _reference(each["kind"], each["metadata"]["name"], current, each["apiVersion"])
        for each, there in found
        if current.owns(there) and not is_deleting(there)
    ]
    group = current.group
    return [*gone, *([group] if group is not None and group.metadata.deletion_timestamp is None else [])]


def _reference(kind: str, name: str, current: VolcanoJobState, api_version: str = "v1") -> Object:
    metadata = {"name": name, "namespace": current.job.metadata.namespace}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def has_keys(current: VolcanoJobState) -> bool:
    """Whether pods that are to log in to each other have the means."""
    return not uses_keys(current.job) or current.observed.one(SECRETS, ssh.secret_name(current.job)) is not None


def recorded(current: VolcanoJobState) -> dict[str, str]:
    return {**plugins.recorded(current.job), **job_volumes.controlled(current.job)}
