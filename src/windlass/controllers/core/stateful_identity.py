"""Who the pods of a StatefulSet are: their numbers, names, labels, claims, and to whom the claims belong."""

from typing import Any

import msgspec

from windlass.apis.apps_v1 import StatefulSet
from windlass.apis.core_v1 import Json, PersistentVolumeClaim, Pod, PodTemplate
from windlass.controllers.core.pod_from_template import pod_from_template
from windlass.controllers.core.revisions import POD_REVISION
from windlass.kube.kind import KINDS
from windlass.kube.meta import OwnerReference
from windlass.kube.objects import owner_reference

POD_NAME = "statefulset.kubernetes.io/pod-name"
POD_INDEX = "apps.kubernetes.io/pod-index"


def start_of(stateful: StatefulSet) -> int:
    return int((stateful.spec.ordinals or {}).get("start") or 0)


def ordinals_of(stateful: StatefulSet) -> range:
    start, replicas = start_of(stateful), stateful.spec.replicas
    return range(start, start + (1 if replicas is None else replicas))


def ordinal_of(stateful: StatefulSet, pod: Pod) -> int | None:
    """The pod's number in the set; None if its name is not one of the set's."""
    name, dash, number = pod.metadata.name.rpartition("-")
    if name != stateful.metadata.name or not dash or not number.isascii() or not number.isdigit():
        return None
    return int(number) if str(int(number)) == number else None


def pod_of(stateful: StatefulSet, template: PodTemplate, revision: str, ordinal: int) -> Json:
    name = pod_name(stateful, ordinal)
    pod = pod_from_template(template, name, f"{stateful.metadata.name}-", stateful.metadata.namespace)
    labels = {**pod["metadata"].get("labels", {}), **identity_labels(stateful, ordinal), POD_REVISION: revision}
    spec: Json = {**pod["spec"], "hostname": name}
    if stateful.spec.service_name:
        spec["subdomain"] = stateful.spec.service_name
    claims = [
        {"name": volume, "persistentVolumeClaim": {"claimName": claim}}
        for volume, claim in claim_names(stateful, ordinal).items()
    ]
    if claims:
        named = {claim["name"] for claim in claims}
        volumes: list[Any] = spec.get("volumes") or []
        spec["volumes"] = [*claims, *(volume for volume in volumes if volume.get("name") not in named)]
    return {**pod, "metadata": {**pod["metadata"], "labels": labels}, "spec": spec}


def pod_name(stateful: StatefulSet, ordinal: int) -> str:
    return f"{stateful.metadata.name}-{ordinal}"


def identity_labels(stateful: StatefulSet, ordinal: int) -> dict[str, str]:
    return {POD_NAME: pod_name(stateful, ordinal), POD_INDEX: str(ordinal)}


def claim_names(stateful: StatefulSet, ordinal: int) -> dict[str, str]:
    """The claims of one pod, by the name of the volume that each is."""
    templates = (claim["metadata"]["name"] for claim in stateful.spec.volume_claim_templates)
    return {template: f"{template}-{pod_name(stateful, ordinal)}" for template in templates}


def claims_of(stateful: StatefulSet, ordinal: int) -> list[Json]:
    names = claim_names(stateful, ordinal)
    return [_claim(stateful, template, names[template["metadata"]["name"]]) for template in _templates(stateful)]


def _templates(stateful: StatefulSet) -> list[Json]:
    return stateful.spec.volume_claim_templates


def _claim(stateful: StatefulSet, template: Json, name: str) -> Json:
    given: Json = template["metadata"]
    labels = {**(given.get("labels") or {}), **stateful.spec.selector.match_labels}
    metadata: Json = {"name": name, "namespace": stateful.metadata.namespace, "labels": labels}
    if given.get("annotations"):
        metadata["annotations"] = given["annotations"]
    owners = owners_wanted(stateful, None, scaled_down=False)
    if owners:
        metadata["ownerReferences"] = msgspec.to_builtins(owners)
    spec = template.get("spec") or {}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def owners_wanted(stateful: StatefulSet, pod: Pod | None, *, scaled_down: bool) -> list[OwnerReference]:
    """Whose end is a claim's end, by the set's retention policy: the set's, that of a pod scaled away, or nobody's."""
    policy = stateful.spec.persistent_volume_claim_retention_policy or {}
    if scaled_down and policy.get("whenScaled") == "Delete":
        return [owner_reference(pod, KINDS.of(Pod))] if pod is not None else []
    return [owner_reference(stateful, KINDS.of(StatefulSet))] if policy.get("whenDeleted") == "Delete" else []


def retention_patch(stateful: StatefulSet, claim: PersistentVolumeClaim, pod: Pod, *, scaled_down: bool) -> Json | None:
    """What makes a claim belong to whom it should; None where it does, or where something else has taken it."""
    known = {stateful.metadata.uid, pod.metadata.uid}
    others = [owner for owner in claim.metadata.owner_references if owner.uid not in known]
    if any(owner.controller for owner in others):
        return None
    wanted = [*others, *owners_wanted(stateful, pod, scaled_down=scaled_down)]
    if [owner.uid for owner in wanted] == [owner.uid for owner in claim.metadata.owner_references]:
        return None
    return {"metadata": {"ownerReferences": msgspec.to_builtins(wanted) or None}}


def is_stale(claim: PersistentVolumeClaim, name: str) -> bool:
    """It goes with a pod of that name that is gone: a new pod must wait for it to go too."""
    return any(owner.kind == "Pod" and owner.name == name for owner in claim.metadata.owner_references)
