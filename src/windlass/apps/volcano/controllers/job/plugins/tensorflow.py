"""tensorflow: every pod gets TF_CONFIG, with all roles of the job and its own place."""

from windlass.apps.volcano.controllers.job.plugins.plugin import Plugin, Shaping, append
from windlass.apps.volcano.controllers.job.tasks import host, tasks_of
from windlass.kube.json import Object, encode

ROLES = ("ps", "worker", "chief", "evaluator")


def _shape(shaping: Shaping) -> None:
    tasks = tasks_of(shaping.job)
    if len(tasks) == 1 and tasks[0].replicas == 1:
        return  # it is alone
    named = {str(shaping.given[role]): role for role in ROLES}
    cluster: Object = {}
    for role in ROLES:
        for task in tasks:
            if named.get(task.name) == role and task.replicas:
                pods = range(task.replicas)
                cluster[role] = [f"{host(shaping.job, task, index)}:{shaping.given['port']}" for index in pods]
    own = {"type": named.get(shaping.task.name, shaping.task.name), "index": shaping.index}
    config = encode({"cluster": cluster, "task": own}).decode()
    for container in shaping.containers():
        append(container, "env", {"name": "TF_CONFIG", "value": config})


PLUGIN = Plugin(name="tensorflow", shape=_shape, flags={**{role: role for role in ROLES}, "port": 2222})
