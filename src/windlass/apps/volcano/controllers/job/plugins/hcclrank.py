"""hcclrank: the rank of a pod among all, as an annotation; that of its RANK, where it has one."""

from windlass.apps.volcano.controllers.job.plugins.plugin import Plugin, Shaping
from windlass.apps.volcano.controllers.job.tasks import task_named
from windlass.kube.json import dig_list

ANNOTATION = "hccl/rankIndex"


def _shape(shaping: Shaping) -> None:
    annotations = shaping.pod["metadata"]["annotations"]
    rank = annotations.get(ANNOTATION) or _rank(shaping) or _counted(shaping)
    if rank:
        annotations[ANNOTATION] = rank


def _rank(shaping: Shaping) -> str:
    variables = [one for container in shaping.containers() for one in dig_list(container, "env")]
    return next((str(one["value"]) for one in variables if one.get("name") == "RANK" and one.get("value")), "")


def _counted(shaping: Shaping) -> str:
    master = task_named(shaping.job, shaping.given["master"])
    if shaping.task.name == shaping.given["master"]:
        return str(shaping.index)
    if shaping.task.name != shaping.given["worker"]:
        return ""
    return str(shaping.index + (master.replicas if master is not None else 0))


PLUGIN = Plugin(name="hcclrank", shape=_shape, flags={"master": "master", "worker": "worker"}, recorded=False)
