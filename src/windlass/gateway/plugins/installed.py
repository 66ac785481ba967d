"""Find the plug-ins of installed packages. One that is broken is logged and left out."""

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING

from windlass.gateway.plugins.plugin import DashboardPlugin, problem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "windlass.dashboard"

log = logging.getLogger(__name__)


def installed_plugins() -> dict[str, DashboardPlugin]:
    """By name. Reads the metadata of all installed packages, so that it is done once, when a page first asks."""
    from importlib.metadata import entry_points

    return usable(entry_points(group=GROUP))


def usable(declared: "Iterable[EntryPoint]") -> dict[str, DashboardPlugin]:
    plugins: dict[str, DashboardPlugin] = {}
    for entry in sorted(declared, key=lambda point: point.name):
        plugin = _loaded(entry)
        if plugin is None:
            continue
        if why := problem(plugin):
            log.warning("plug-in left out entry_point=%s error=%s", entry.value, why)
        elif plugin.name in plugins:
            log.warning("plug-in left out entry_point=%s error=another one is called %s", entry.value, plugin.name)
        else:
            plugins[plugin.name] = plugin
    return plugins


def _loaded(entry: "EntryPoint") -> DashboardPlugin | None:
    try:
        plugin = entry.load()
    except Exception as error:  # noqa: BLE001 - whatever a stranger's module raises must not end the gateway
        log.warning("plug-in left out entry_point=%s error=%r", entry.value, error)
        return None
    if not isinstance(plugin, DashboardPlugin):
        log.warning("plug-in left out entry_point=%s error=it is no DashboardPlugin", entry.value)
        return None
    return plugin
