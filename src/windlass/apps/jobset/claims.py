"""Claims that the Jobs of a JobSet share: a pod that mounts a claim by name gets a volume for it."""

from windlass.apps.jobset.names import claim_name
from windlass.kube.json import Object, dig, dig_list, dig_object


def name_of(template: Object) -> str:
    return str(dig(template, "metadata", "name") or "")


def mounts(pod: Object, volume: str) -> bool:
    """Whether a container of a pod with this spec mounts the volume."""
    containers = [*dig_list(pod, "initContainers"), *dig_list(pod, "containers")]
    return any(mount.get("name") == volume for one in containers for mount in dig_list(one, "volumeMounts"))


def with_volumes(pod: Object, jobset: str, templates: list[Object]) -> Object:
    """Return the pod spec with a volume for each shared claim that it mounts."""
    names = [name for name in map(name_of, templates) if mounts(pod, name)]
    if not names:
        return pod
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": claim_name(jobset, name)}} for name in names]
    return {**pod, "volumes": [*dig_list(pod, "volumes"), *volumes]}


def template_with_volumes(template: Object, jobset: str, templates: list[Object]) -> Object:
    """Return the Job template with a volume for each shared claim that its pods mount."""
    spec = dig_object(template, "spec")
    pods = dig_object(spec, "template")
    pod = with_volumes(dig_object(pods, "spec"), jobset, templates)
    return {**template, "spec": {**spec, "template": {**pods, "spec": pod}}}
