"""ray: a head and workers that join it, and a Service of the head."""

from collections.abc import Sequence

from windlass.apis.wellknown import TASK_SPEC_ANNOTATION
from windlass.apps.volcano import names
from windlass.apps.volcano.controllers.job.plugins.plugin import Given, Plugin, PluginFault, Shaping, open_port
from windlass.apps.volcano.controllers.job.tasks import host, task_named
from windlass.apps.volcano.kinds.batch import Job
from windlass.kube.json import Object

PORTS = {"gcs": "port", "dashboard": "dashboardPort", "client-server": "clientPort"}
"""What the head's ports are called, and the flag of each."""


def _shape(shaping: Shaping) -> None:
    job, given = shaping.job, shaping.given
    head = task_named(job, given["head"])
    if head is None:
        raise PluginFault(f"job {job.metadata.name} doesn't have head task {given['head']}")
    for container in shaping.containers():
        if shaping.task.name == head.name and container["name"] == given["headContainer"]:
            for name, flag in PORTS.items():
                open_port(container, name, given[flag])
            container["command"] = ["sh", "-c", _head_command(given)]
        if shaping.task.name == given["worker"] and container["name"] == given["workerContainer"]:
            address = f"{host(job, head, 0)}:{given['port']}"
            container["command"] = ["sh", "-c", f"ray start --block --address={address}"]


def _head_command(given: Given) -> str:
    return (
        "ray start --head --block --dashboard-host=0.0.0.0"
        f" --port={given['port']} --dashboard-port={given['dashboardPort']}"
        f" --ray-client-server-port={given['clientPort']}"
    )


def _resources(job: Job, given: Given) -> Sequence[Object]:
    name, namespace = job.metadata.name, job.metadata.namespace
    ports = [{"name": port, "port": given[flag], "targetPort": port, "protocol": "TCP"} for port, flag in PORTS.items()]
    selector = {names.JOB_NAME: name, names.JOB_NAMESPACE: namespace, TASK_SPEC_ANNOTATION: given["head"]}
    service: Object = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": f"{name}-head-svc", "namespace": namespace},
        "spec": {"selector": selector, "ports": ports},
    }
    return [service]


FLAGS = {
    "head": "head",
    "headContainer": "head",
    "worker": "worker",
    "workerContainer": "worker",
    "port": 6379,
    "dashboardPort": 8265,
    "clientPort": 10001,
}
PLUGIN = Plugin(name="ray", shape=_shape, flags=FLAGS, resources=_resources)
