"""What an export of a profile contains, and each object as another cluster can create it. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from windlass.apis.stops import BEFORE_DELETION
from windlass.apis.wellknown import SERVICE_ACCOUNT_TOKEN_SECRET
from windlass.apps.profiles.names import DELETED_AT, DELETED_BY
from windlass.kube.json import Object, dig, dig_list, dig_object, is_object, parse
from windlass.kube.kind import Kind
from windlass.kube.patch import merge_patch

OBSERVED_KINDS = frozenset(
    {
        ("", "Event"),
        ("", "Endpoints"),
        ("events.k8s.io", "Event"),
        ("discovery.k8s.io", "EndpointSlice"),
        ("apps", "ControllerRevision"),
        ("coordination.k8s.io", "Lease"),
        ("snapshot.storage.k8s.io", "VolumeSnapshot"),
    }
)
"""What controllers write about other objects, and what only means something beside the data it was made of."""
MADE_BY_KUBERNETES = frozenset({("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")})
FINISHED = frozenset({"Succeeded", "Failed", "Complete", "Completed", "Aborted", "Terminated"})
FIRST = ("Secret", "ConfigMap", "ServiceAccount", "Role", "PersistentVolumeClaim", "PodDefault")
"""Kinds that others refer to, in the order in which they are created."""
OWN_ANNOTATIONS = frozenset({BEFORE_DELETION, DELETED_AT, DELETED_BY, "deployment.kubernetes.io/revision"})
OWN_ANNOTATION_PREFIXES = ("kubectl.kubernetes.io/", "pv.kubernetes.io/", "volume.kubernetes.io/", "volume.beta.")
JOB_LABELS = frozenset(
    {"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"}
)
TOKEN_VOLUME = "kube-api-access-"


@dataclass(frozen=True)
class Export:
    """The objects of a profile: those to create again, and those that have finished."""

    objects: list[Object] = field(default_factory=list[Object])
    finished: list[Object] = field(default_factory=list[Object])


def exported_kinds(served: Iterable[Kind], *, with_secrets: bool) -> list[Kind]:
    """The kinds of a namespace that are created by users, each in the version that the server prefers."""
    chosen: dict[tuple[str, str], Kind] = {}
    for kind in served:
        can_be_copied = kind.namespaced and {"list", "create"} <= kind.verbs
        is_secret = (kind.group, kind.name) == ("", "Secret")
        if can_be_copied and (kind.group, kind.name) not in OBSERVED_KINDS and (with_secrets or not is_secret):
            chosen.setdefault((kind.group, kind.name), kind)
    return list(chosen.values())


def export_of(found: Iterable[tuple[Kind, Iterable[Object]]]) -> Export:
    """Leave out what belongs to another object, which makes it again, and what Kubernetes makes in each namespace."""
    made = Export()
    for kind, objects in found:
        for obj in objects:
            if _is_made_by_others(kind, obj):
                continue
            part = made.finished if is_finished(obj) else made.objects
            part.append(portable({**obj, "apiVersion": kind.api_version, "kind": kind.name}))
    made.objects.sort(key=_order)
    made.finished.sort(key=_order)
    return made


def _order(obj: Object) -> tuple[int, str, str]:
    kind = str(obj["kind"])
    return FIRST.index(kind) if kind in FIRST else len(FIRST), kind, str(dig(obj, "metadata", "name"))


def _is_made_by_others(kind: Kind, obj: Object) -> bool:
    if dig(obj, "metadata", "deletionTimestamp") or dig_list(obj, "metadata", "ownerReferences"):
        return True
    name = str(dig(obj, "metadata", "name"))
    return (kind.name, name) in MADE_BY_KUBERNETES or obj.get("type") == SERVICE_ACCOUNT_TOKEN_SECRET


def is_finished(obj: Object) -> bool:
    """Whether a pod or job has ended: creating it again would run it again."""
    conditions = dig_list(obj, "status", "conditions")
    return (
        any(dig(one, "type") in FINISHED and dig(one, "status") == "True" for one in conditions)
        or dig(obj, "status", "phase") in ("Succeeded", "Failed")
        or dig(obj, "status", "state", "phase") in FINISHED
    )


def portable(obj: Object) -> Object:
    """An object as it can be created elsewhere: without status and what the server or controllers filled in."""
    obj = _before_deletion(obj)
    metadata = dig_object(obj, "metadata")
    annotations = {name: text for name, text in dig_object(metadata, "annotations").items() if _is_users(name)}
    kept: Object = {name: metadata[name] for name in ("name", "namespace", "labels") if metadata.get(name)}
    if annotations:
        kept["annotations"] = annotations
    head = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": kept}
    rest = {name: value for name, value in obj.items() if name not in (*head, "status")}
    made: Object = {**head, **rest}
    match str(obj["kind"]):
        case "PersistentVolumeClaim":
            made["spec"] = _without(dig_object(made, "spec"), "volumeName", "dataSource", "dataSourceRef")
        case "Service":
            made["spec"] = _service(dig_object(made, "spec"))
        case "Pod":
            made["spec"] = _pod(dig_object(made, "spec"))
        case "Job" if str(obj["apiVersion"]).startswith("batch/"):
            _clean_job(made)
        case "ServiceAccount":
            made.pop("secrets", None)
        case _:
            pass
    return made


def _is_users(annotation: str) -> bool:
    return annotation not in OWN_ANNOTATIONS and not annotation.startswith(OWN_ANNOTATION_PREFIXES)


def _before_deletion(obj: Object) -> Object:
    """A workload of the recycle bin as it was before it was scaled to zero."""
    try:
        patch = parse(str(dig(obj, "metadata", "annotations", BEFORE_DELETION) or "{}"))
    except ValueError:
        return obj
    changed = merge_patch.apply(obj, patch) if is_object(patch) else obj
    return changed if is_object(changed) else obj


def _without(value: Mapping[str, Any], *names: str) -> Object:
    return {name: item for name, item in value.items() if name not in names}


def _service(spec: Object) -> Object:
    addresses = () if spec.get("clusterIP") == "None" else ("clusterIP", "clusterIPs")
    ports = [_without(port, "nodePort") for port in dig_list(spec, "ports")]
    return {**_without(spec, *addresses, "healthCheckNodePort"), "ports": ports}


def _pod(spec: Object) -> Object:
    """Without its node, and without the volume of the service account's token, which every pod is given."""
    made = _without(spec, "nodeName", "serviceAccount")
    volumes = [one for one in dig_list(spec, "volumes") if not str(dig(one, "name")).startswith(TOKEN_VOLUME)]
    made["volumes"] = volumes
    for part in ("containers", "initContainers"):
        if part in made:
            made[part] = [_container(one) for one in dig_list(spec, part)]
    return made


def _container(container: Object) -> Object:
    mounts = [one for one in dig_list(container, "volumeMounts") if not str(dig(one, "name")).startswith(TOKEN_VOLUME)]
    return {**container, "volumeMounts": mounts}


def _clean_job(job: Object) -> None:
    """Without the labels by which the Job of the old namespace knew its pods; the new one gets its own."""
    spec = dig_object(job, "spec")
    if spec.get("manualSelector"):
        return
    template = dig_object(spec, "template")
    metadata = dig_object(template, "metadata")
    labels = _without(dig_object(metadata, "labels"), *JOB_LABELS)
    cleaned = {**template, "metadata": {**_without(metadata, "creationTimestamp"), "labels": labels}}
    job["spec"] = {**_without(spec, "selector"), "template": cleaned}
    job["metadata"]["labels"] = _without(dig_object(job, "metadata", "labels"), *JOB_LABELS)
