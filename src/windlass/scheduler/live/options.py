"""How the scheduler is run: whose pods it places, and by which configuration."""

from dataclasses import dataclass, field

from windlass.scheduler.framework.conf import Conf, windlass
from windlass.scheduler.model.pod_groups import SERVED

CONFIGURATION = ("volcano-system", "volcano-scheduler-configmap")
"""Namespace and name of the ConfigMap with the configuration, as Volcano has it."""
CONFIGURATION_SELECTOR = "metadata.namespace={},metadata.name={}".format(*CONFIGURATION)
GANG_SCHEDULERS = SERVED - {"default-scheduler"}
"""What is served beside a cluster's own scheduler."""


@dataclass(frozen=True)
class Options:
    """`names` are the scheduler names that are served; `conf` is replaced by a ConfigMap where there is one."""

    names: frozenset[str] = SERVED
    conf: Conf = field(default_factory=windlass)
    node_selector: str = ""
    """Only nodes with these labels are used, by gangs and single pods alike."""
    period: float = 0.0
    """Seconds that lie between two cycles at least."""
    default_queue: str = "default"
    priority_classes: bool = True


DEFAULTS = Options()
