"""Pods of the scheduler `volcano` that name no group get one: of their owner, or of their own. Pure.

The group of a ReplicaSet or StatefulSet goes when that is scaled to nothing; others go with their owners.
"""

from collections.abc import Mapping

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apis.quota_usage import FINISHED, pod_usage
from windlass.apis.scheduling_volcano_v1beta1 import generated_group_name
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION, QUEUE_NAME_ANNOTATION
from windlass.apps.volcano.controllers.names import GROUP_MIN_MEMBER, INHERITED, POD, POD_GROUP, SCHEDULER
from windlass.kube.json import Object as Json
from windlass.kube.meta import OwnerReference
from windlass.kube.objects import owner_reference


def needs_group(pod: Pod) -> bool:
    return (
        pod.spec.scheduler_name == SCHEDULER
        and not pod.metadata.annotations.get(POD_GROUP_NAME_ANNOTATION)
        and pod.metadata.deletion_timestamp is None
        and pod.status.phase not in FINISHED
    )


def name_for(pod: Pod) -> str:
    owner = pod.metadata.controller
    return generated_group_name(owner.uid if owner is not None else pod.metadata.uid)


def group_for(pod: Pod, owner_annotations: Mapping[str, str]) -> Json:
    """The group of a pod and of those like it. `owner_annotations`: of the object that controls the pod."""
    told = min_member(owner_annotations)
    least = 1 if told is None else told
    spec: Json = {"minMember": least, "minResources": _times(pod, least)}
    queue = pod.metadata.annotations.get(QUEUE_NAME_ANNOTATION)
    if queue:
        spec["queue"] = queue
    if pod.spec.priority_class_name:
        spec["priorityClassName"] = pod.spec.priority_class_name
    inherited = {**owner_annotations, **pod.metadata.annotations}
    metadata: Json = {
        "name": name_for(pod),
        "namespace": pod.metadata.namespace,
        "ownerReferences": msgspec.to_builtins(_owners(pod)),
        "annotations": {name: value for name, value in inherited.items() if name.startswith(INHERITED)},
    }
    return {"apiVersion": POD_GROUP.api_version, "kind": POD_GROUP.name, "metadata": metadata, "spec": spec}


def min_member(annotations: Mapping[str, str]) -> int | None:
    """What the owner says of how many must start together; None where it says nothing, or nothing sensible."""
    told = annotations.get(GROUP_MIN_MEMBER, "")
    return int(told) if told.isascii() and told.isdigit() and len(told) < 10 else None


def bad_min_member(annotations: Mapping[str, str]) -> str:
    """What is wrong with what the owner says, if something is."""
    told = annotations.get(GROUP_MIN_MEMBER)
    if told is None or min_member(annotations) is not None:
        return ""
    return f"annotation {GROUP_MIN_MEMBER} must be a number of pods, not {told!r}: minMember remains 1"


def _owners(pod: Pod) -> list[OwnerReference]:
    return pod.metadata.owner_references if pod.metadata.controller else [owner_reference(pod, POD)]


def _times(pod: Pod, count: int) -> dict[str, str]:
    return {name: str(amount * count) for name, amount in sorted(pod_usage(pod).items())}
