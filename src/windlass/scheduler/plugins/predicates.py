"""`predicates`: the questions that Kubernetes asks of a node. The placer always asks them."""

from windlass.scheduler.framework.plugin import Arguments, Plugin

SWITCHABLE = (
    "NodeAffinity", "NodePorts", "TaintToleration", "PodAffinity", "NodeVolumeLimits", "VolumeZone",
    "PodTopologySpread", "VolumeBinding",
)  # fmt: skip


class Predicates(Plugin):
    """A question that is turned off would place pods where the node refuses them: that is not done, and warned of."""

    NAME = "predicates"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        for name in SWITCHABLE:
            if not arguments.flag(f"predicate.{name}Enable", True):
                arguments.warnings.append(f"predicates: predicate.{name}Enable: false is not followed")
