"""pytorch: who is master, which rank a pod has, and of how many; workers may wait for their master."""

from windlass.apps.volcano.controllers.job.plugins.plugin import Plugin, Shaping, append, open_port
from windlass.apps.volcano.controllers.job.tasks import Task, host, task_named
from windlass.kube.json import Object

PORT_NAME = "pytorchjob-port"
WAIT, WAIT_TIMEOUT, WAIT_IMAGE = "wait-master-enabled", "wait-master-timeout", "wait-master-image"
PROBE_SECONDS = 2  # between two probes of the master's port
SCRIPT = """waited=0
until nc -z -w 2 {host} {port} 2>/dev/null; do
  if [ "$waited" -ge {timeout} ]; then
    echo "the master {host}:{port} does not answer after {timeout} s"
    exit 1
  fi
  sleep {every}
  waited=$((waited + {every}))
done
"""


def _shape(shaping: Shaping) -> None:
    job, given = shaping.job, shaping.given
    master = task_named(job, given["master"])
    if master is None:
        return
    worker, port = task_named(job, given["worker"]), int(given["port"])
    address = host(job, master, 0)
    told = {
        "MASTER_ADDR": address,
        "MASTER_PORT": str(port),
        "WORLD_SIZE": str(master.replicas + (worker.replicas if worker is not None else 0)),
        **_rank(shaping, master, worker),
    }
    for container in shaping.containers():
        open_port(container, PORT_NAME, port)
        append(container, "env", *({"name": name, "value": value} for name, value in told.items()))
    if given[WAIT] and worker is not None and shaping.task.name == worker.name:
        append(shaping.spec, "initContainers", _wait(address, port, given[WAIT_TIMEOUT], given[WAIT_IMAGE]))


def _rank(shaping: Shaping, master: Task, worker: Task | None) -> dict[str, str]:
    if shaping.task.name == master.name:
        return {"RANK": "0"}
    return {"RANK": str(shaping.index + 1)} if worker is not None and shaping.task.name == worker.name else {}


def _wait(address: str, port: int, timeout: int, image: str) -> Object:
    script = SCRIPT.format(host=address, port=port, timeout=timeout, every=PROBE_SECONDS)
    return {"name": "wait-for-master", "image": image, "command": ["sh", "-c", script]}


FLAGS = {
    "master": "master",
    "worker": "worker",
    "port": 23456,
    WAIT: False,
    WAIT_TIMEOUT: 300,
    WAIT_IMAGE: "busybox:1.36.1",
}
PLUGIN = Plugin(name="pytorch", shape=_shape, flags=FLAGS)
