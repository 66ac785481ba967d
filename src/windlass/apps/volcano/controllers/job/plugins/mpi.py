"""mpi: the master gets the workers' names; all have a port for ssh."""

from windlass.apps.volcano.controllers.job.plugins.plugin import Plugin, Shaping, append, open_port
from windlass.apps.volcano.controllers.job.tasks import hosts, task_named

PORT_NAME = "mpijob-port"


def _shape(shaping: Shaping) -> None:
    job, given = shaping.job, shaping.given
    worker = task_named(job, given["worker"])
    told = [{"name": "MPI_HOST", "value": ",".join(hosts(job, worker))}] if worker is not None else []
    for container in shaping.containers(initial=True):
        open_port(container, PORT_NAME, given["port"])
        if shaping.task.name == given["master"]:
            append(container, "env", *told)


PLUGIN = Plugin(name="mpi", shape=_shape, flags={"master": "master", "worker": "worker", "port": 22})
