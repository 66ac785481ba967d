"""svc: pods reach each other by name, get the list of all names, and are unreachable from elsewhere."""

from collections.abc import Sequence

from windlass.apps.volcano import names
from windlass.apps.volcano.controllers.job.plugins.plugin import Given, Plugin, Shaping, append
from windlass.apps.volcano.controllers.job.tasks import hosts, tasks_of
from windlass.apps.volcano.kinds.batch import Job
from windlass.kube.json import Object

MOUNT_PATH = "/etc/volcano"
NOT_READY, NO_POLICY = "publish-not-ready-addresses", "disable-network-policy"


def config_name(job: Job) -> str:
    return f"{job.metadata.name}-svc"


def _variables(task: str) -> tuple[str, str]:
    name = task.replace("-", "_").upper()
    return f"VC_{name}_HOSTS", f"VC_{name}_NUM"


def _shape(shaping: Shaping) -> None:
    job, spec, name = shaping.job, shaping.spec, config_name(shaping.job)
    spec["hostname"] = spec.get("hostname") or shaping.pod["metadata"]["name"]
    spec["subdomain"] = spec.get("subdomain") or job.metadata.name
    told = [
        {"name": variable, "valueFrom": {"configMapKeyRef": {"name": name, "key": variable}}}
        for task in tasks_of(job)
        for variable in _variables(task.name)
    ]
    append(spec, "volumes", {"name": name, "configMap": {"name": name}})
    for container in shaping.containers(initial=True):
        append(container, "env", *told)
        append(container, "volumeMounts", {"name": name, "mountPath": MOUNT_PATH})


def host_files(job: Job) -> dict[str, str]:
    """The names of each task's pods, for files and for variables. No file ends in a newline: scripts rely on it."""
    data: dict[str, str] = {}
    for task in tasks_of(job):
        hostnames, (listed, number) = hosts(job, task), _variables(task.name)
        data[f"{task.name.replace('-', '_')}.host"] = "\n".join(hostnames)
        data |= {listed: ",".join(hostnames), number: str(len(hostnames))}
    return data


def _resources(job: Job, given: Given) -> Sequence[Object]:
    namespace = job.metadata.namespace
    selector = {names.JOB_NAME: job.metadata.name, names.JOB_NAMESPACE: namespace}
    own = {"podSelector": {"matchLabels": selector}}
    config: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": config_name(job), "namespace": namespace},
        "data": host_files(job),
    }
    service: Object = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": job.metadata.name, "namespace": namespace},
        "spec": {"clusterIP": "None", "selector": selector, "publishNotReadyAddresses": given[NOT_READY]},
    }
    policy: Object = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": job.metadata.name, "namespace": namespace},
        "spec": {**own, "ingress": [{"from": [own]}], "policyTypes": ["Ingress"]},
    }
    return [config, service, *([] if given[NO_POLICY] else [policy])]


PLUGIN = Plugin(name="svc", shape=_shape, flags={NOT_READY: False, NO_POLICY: False}, resources=_resources)
