"""The volumes of a job: claims by name, and claims that are made for it, mounted in every container.

A claim's name is not drawn by lot but follows from the job and its place in the list, so that it is made once.
"""

from hashlib import sha256

from windlass.apps.volcano.controllers.job.ledger import CLAIM
from windlass.apps.volcano.kinds.batch import Job, VolumeSpec
from windlass.kube.json import Object, dig_list

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
LENGTH = 12


def claim_name(job: Job, index: int) -> str:
    """`<job>-pvc-` and twelve letters and digits."""
    number = int.from_bytes(sha256(f"{job.metadata.uid}/{index}".encode()).digest())
    letters: list[str] = []
    for _ in range(LENGTH):
        number, digit = divmod(number, len(DIGITS))
        letters.append(DIGITS[digit])
    return f"{job.metadata.name}-pvc-{''.join(letters)}"


def naming(job: Job) -> Object | None:
    """The change of the job that writes down the names of claims; None where all have one."""
    if all(volume.volume_claim_name for volume in job.spec.volumes):
        return None
    return {"spec": {"volumes": [_named(job, index, volume) for index, volume in enumerate(job.spec.volumes)]}}


def _named(job: Job, index: int, volume: VolumeSpec) -> Object:
    named: Object = {
        "mountPath": volume.mount_path,
        "volumeClaimName": volume.volume_claim_name or claim_name(job, index),
    }
    return named | ({"volumeClaim": volume.volume_claim} if volume.volume_claim is not None else {})


def claims(job: Job) -> list[Object]:
    """The claims that are made for the job."""
    return [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": volume.volume_claim_name, "namespace": job.metadata.namespace},
            "spec": volume.volume_claim,
        }
        for volume in job.spec.volumes
        if volume.volume_claim is not None
    ]


def controlled(job: Job) -> dict[str, str]:
    """What of it goes into `controlledResources`."""
    names = [claim["metadata"]["name"] for claim in claims(job)]
    return {f"{CLAIM}{name}": name for name in names}


def mount(job: Job, spec: Object) -> None:
    """Put the volumes into a pod's spec; one claim at two paths is one volume."""
    names = list(dict.fromkeys(volume.volume_claim_name for volume in job.spec.volumes))
    if not names:
        return
    added = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
    spec["volumes"] = [*dig_list(spec, "volumes"), *added]
    mounts = [{"name": volume.volume_claim_name, "mountPath": volume.mount_path} for volume in job.spec.volumes]
    for container in dig_list(spec, "containers"):
        container["volumeMounts"] = [*dig_list(container, "volumeMounts"), *mounts]
