"""What is made for a job beside its pods, and what of it is there."""

from collections.abc import Mapping
from typing import Any

from windlass.apis.core_v1 import ConfigMap, PersistentVolumeClaim, Secret, Service
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.controllers.volcano.job import plugins, volumes
from windlass.controllers.volcano.job.keys import uses_keys
from windlass.controllers.volcano.job.look import Look
from windlass.controllers.volcano.job.plugins import ssh
from windlass.controllers.volcano.job.pod_group import pod_group, version_of_group
from windlass.kube.json import Object
from windlass.kube.kind import Kind
from windlass.kube.objects import AnyObject, is_deleting
from windlass.kube.view import View, metadata_only, typed

NETWORK_POLICY = Kind(group="networking.k8s.io", version="v1", name="NetworkPolicy", plural="networkpolicies")
SECRETS = metadata_only(Secret)
VIEWS: Mapping[str, View[Any]] = {
    "ConfigMap": typed(ConfigMap),
    "Service": metadata_only(Service),
    "Secret": SECRETS,
    "PersistentVolumeClaim": metadata_only(PersistentVolumeClaim),
    "NetworkPolicy": metadata_only(NETWORK_POLICY),
}
"""What is only made and removed is known by its metadata."""


def _there(look: Look, wanted: Object) -> Any:
    return look.seen.one(VIEWS[wanted["kind"]], wanted["metadata"]["name"])


def to_make(look: Look) -> list[AnyObject]:
    """What is not there and should be, in the order in which it is made."""
    wanted = [*volumes.claims(look.job), *plugins.resources(look.job)]
    made: list[AnyObject] = [each for each in wanted if _there(look, each) is None]
    return made if look.group is not None else [*made, _group(look)]


def to_update(look: Look) -> list[AnyObject]:
    """What follows the job when that is scaled: its group, and the names of its pods."""
    configs = [each for each in plugins.resources(look.job) if each["kind"] == "ConfigMap"]
    updated: list[AnyObject] = [each for each in configs if _there(look, each) is not None]
    return updated if look.group is None or is_outdated(look) else [*updated, _group(look)]


def _group(look: Look) -> Object:
    return pod_group(look.job, {one.metadata.name: one.value for one in look.seen.all(PriorityClass)})


def is_outdated(look: Look) -> bool:
    """Whether the group is of a time before the job was killed whole."""
    return look.group is not None and version_of_group(look.group) < look.status.version


def to_remove(look: Look) -> list[AnyObject]:
    """All of it but the claims, the group last: as long as that is there, there is something to remove."""
    wanted = plugins.resources(look.job)
    if uses_keys(look.job):
        wanted = [*wanted, _reference("Secret", ssh.secret_name(look.job), look)]
    found = [(each, _there(look, each)) for each in wanted]
    gone: list[AnyObject] = [
        _reference(each["kind"], each["metadata"]["name"], look, each["apiVersion"])
        for each, there in found
        if look.owns(there) and not is_deleting(there)
    ]
    group = look.group
    return [*gone, *([group] if group is not None and group.metadata.deletion_timestamp is None else [])]


def _reference(kind: str, name: str, look: Look, api_version: str = "v1") -> Object:
    metadata = {"name": name, "namespace": look.job.metadata.namespace}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def has_keys(look: Look) -> bool:
    """Whether pods that are to log in to each other have the means."""
    return not uses_keys(look.job) or look.seen.one(SECRETS, ssh.secret_name(look.job)) is not None


def recorded(look: Look) -> dict[str, str]:
    return {**plugins.recorded(look.job), **volumes.controlled(look.job)}
