"""One module a plugin, found by listing the folder: a subclass of `Plugin` with the NAME of volcano-scheduler.conf.

Left out by name: `numa-aware` (a node tells nothing of its NUMA nodes here).
"""

import importlib
import pkgutil
from functools import cache

from windlass.scheduler.batch.conf import Conf, PluginConf
from windlass.scheduler.batch.plugin import Arguments, Plugin
from windlass.scheduler.batch.session import Plugins


@cache
def registry() -> dict[str, type[Plugin]]:
    """Every plugin by its name."""
    found: dict[str, type[Plugin]] = {}
    for module in pkgutil.iter_modules(__path__):
        for value in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, Plugin) and value.NAME:
                found[value.NAME] = value
    return found


def plugins_of(conf: Conf) -> Plugins:
    """The plugins of a configuration, ready for cycles."""
    return Plugins(conf, registry(), _arguments)


def _arguments(conf: PluginConf) -> Arguments:
    given = dict(conf.arguments)
    if conf.hierarchy:
        given["enableHierarchy"] = True
    made = Arguments(given, conf.name)
    made.asked.add("enableHierarchy")  # which is no argument, and of which the configuration tells
    return made
