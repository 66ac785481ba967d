"""Pod -> a claim of its own for each generic ephemeral volume, by the template in the volume.

The claim belongs to the pod and goes with it. A claim of that name that belongs to someone else is left alone: the
scheduler and the node say so on the pod.
"""

from windlass.apis.core_v1 import Json, PersistentVolumeClaim, Pod
from windlass.kube.controller import Controller, Observed
from windlass.kube.json import dig_object
from windlass.kube.plan import Create, Plan

FINISHED = ("Succeeded", "Failed")


def reconcile(pod: Pod, observed: Observed) -> Plan:
    templates = {
        f"{pod.metadata.name}-{volume.name}": dig_object(volume.ephemeral, "volumeClaimTemplate")
        for volume in pod.spec.volumes
        if volume.ephemeral is not None
    }
    if not templates or pod.metadata.deletion_timestamp is not None or pod.status.phase in FINISHED:
        return Plan()
    missing = [name for name in templates if observed.one(PersistentVolumeClaim, name) is None]
    return Plan([Create(_claim(name, pod, templates[name])) for name in missing])


def _claim(name: str, pod: Pod, template: Json) -> Json:
    given = dig_object(template, "metadata")
    kept = {key: given[key] for key in ("labels", "annotations") if given.get(key)}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": pod.metadata.namespace, **kept},
        "spec": dig_object(template, "spec"),
    }


def has_ephemeral_volume(pod: Pod) -> bool:
    return any(volume.ephemeral is not None for volume in pod.spec.volumes)


CONTROLLER = Controller(
    "ephemeral-volume-controller", Pod, reconcile, owns=[PersistentVolumeClaim], only=has_ephemeral_volume
)
