"""The plugins of a cycle: one module each, or one package where a plugin has parts.

To add one: a subclass of `Plugin` whose NAME is the one of volcano-scheduler.conf, and a line in `BUILTIN`.
Volcano's `numa-aware` is left out, because nodes report nothing of their NUMA topology here.
"""

from collections.abc import Callable
from functools import cache

from windlass.scheduler.framework.conf import Conf, PluginConf
from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Plugins
from windlass.scheduler.plugins.binpack import Binpack
from windlass.scheduler.plugins.capacity import Capacity
from windlass.scheduler.plugins.cdp import Cdp
from windlass.scheduler.plugins.conformance import Conformance
from windlass.scheduler.plugins.deviceshare.plugin import DeviceShare
from windlass.scheduler.plugins.drf.plugin import Drf
from windlass.scheduler.plugins.extender.client import Connect, unconnected
from windlass.scheduler.plugins.extender.plugin import Extender
from windlass.scheduler.plugins.gang import Gang
from windlass.scheduler.plugins.network_topology_aware.plugin import NetworkTopologyAware
from windlass.scheduler.plugins.nodegroup import NodeGroup
from windlass.scheduler.plugins.nodeorder import NodeOrder
from windlass.scheduler.plugins.overcommit import Overcommit
from windlass.scheduler.plugins.pdb import Pdb
from windlass.scheduler.plugins.predicates import Predicates
from windlass.scheduler.plugins.priority import Priority
from windlass.scheduler.plugins.proportion import Proportion
from windlass.scheduler.plugins.rescheduling import Rescheduling
from windlass.scheduler.plugins.resource_strategy_fit import ResourceStrategyFit
from windlass.scheduler.plugins.resourcequota import ResourceQuota
from windlass.scheduler.plugins.sla import Sla
from windlass.scheduler.plugins.task_topology.plugin import TaskTopology
from windlass.scheduler.plugins.tdm import Tdm
from windlass.scheduler.plugins.usage import Usage

BUILTIN: tuple[type[Plugin], ...] = (
    Binpack,
    Capacity,
    Cdp,
    Conformance,
    DeviceShare,
    Drf,
    Extender,
    Gang,
    NetworkTopologyAware,
    NodeGroup,
    NodeOrder,
    Overcommit,
    Pdb,
    Predicates,
    Priority,
    Proportion,
    Rescheduling,
    ResourceQuota,
    ResourceStrategyFit,
    Sla,
    TaskTopology,
    Tdm,
    Usage,
)


@cache
def registry() -> dict[str, type[Plugin]]:
    """The built-in plugins by name."""
    return {plugin.NAME: plugin for plugin in BUILTIN}


def plugins_of(conf: Conf, connect: Connect = unconnected) -> Plugins:
    """The plugins of a configuration, ready for cycles; `connect` makes the clients of extenders."""
    makers: dict[str, Callable[[Arguments], Plugin]] = {
        **registry(),
        Extender.NAME: lambda arguments: Extender(arguments, connect),
    }
    return Plugins(conf, makers, _arguments)


def _arguments(conf: PluginConf) -> Arguments:
    given = dict(conf.arguments)
    if conf.hierarchy:
        given["enableHierarchy"] = True
    arguments = Arguments(given, conf.name)
    arguments.asked.add("enableHierarchy")  # the configuration has a field for it; it is no argument
    return arguments
