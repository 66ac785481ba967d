"""Job plugins: what a job asks for in `spec.plugins`, by name. One file a plugin; `plugin.py` says what one is."""

from windlass.apps.volcano.controllers.job.plugins import env, hcclrank, mpi, pytorch, ray, ssh, svc, tensorflow
from windlass.apps.volcano.controllers.job.plugins.arguments import Value, parse
from windlass.apps.volcano.controllers.job.plugins.plugin import Plugin, PluginFault, Shaping
from windlass.apps.volcano.controllers.job.tasks import Task
from windlass.apps.volcano.kinds.batch import Job
from windlass.kube.json import Object

__all__ = ["BUILTIN", "PluginFault", "asked_for", "given", "recorded", "resources", "shape"]

BUILTIN: tuple[Plugin, ...] = (
    env.PLUGIN,
    svc.PLUGIN,
    ssh.PLUGIN,
    tensorflow.PLUGIN,
    pytorch.PLUGIN,
    mpi.PLUGIN,
    ray.PLUGIN,
    hcclrank.PLUGIN,
)
"""In the order in which they change a pod: hcclrank reads what pytorch has written."""


IMPLIED = {"tensorflow": ("svc",), "pytorch": ("svc",), "ray": ("svc",), "mpi": ("svc", "ssh")}
"""What a plugin does not work without. Admission writes it into jobs; those of other servers may lack it."""


def asked_for(job: Job) -> list[Plugin]:
    names = {*job.spec.plugins, *(other for name in job.spec.plugins for other in IMPLIED.get(name, ()))}
    return [plugin for plugin in BUILTIN if plugin.name in names]


def given(job: Job, plugin: Plugin) -> dict[str, Value]:
    return parse(plugin.name, plugin.flags, job.spec.plugins.get(plugin.name, []))


def shape(job: Job, task: Task, index: int, pod: Object) -> None:
    for plugin in asked_for(job):
        plugin.shape(Shaping(job, task, index, pod, given(job, plugin)))


def resources(job: Job) -> list[Object]:
    """What is made for the job beside its pods. (The secret of ssh is not a decision: see `keys.py`.)"""
    return [made for plugin in asked_for(job) for made in plugin.resources(job, given(job, plugin))]


def recorded(job: Job) -> dict[str, str]:
    """What of it goes into `controlledResources`."""
    return {f"plugin-{plugin.name}": plugin.name for plugin in asked_for(job) if plugin.recorded}
