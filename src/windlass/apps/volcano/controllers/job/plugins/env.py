"""env: a pod gets its index as an environment variable."""

from windlass.apps.volcano.controllers.job.plugins.plugin import Plugin, Shaping, append

VARIABLES = ("VK_TASK_INDEX", "VC_TASK_INDEX")


def _shape(shaping: Shaping) -> None:
    told = [{"name": name, "value": str(shaping.index)} for name in VARIABLES]
    for container in shaping.containers(initial=True):
        append(container, "env", *told)


PLUGIN = Plugin(name="env", shape=_shape)
