"""The apps of Windlass, each in a folder of its own: a product of Kubeflow with all of its surfaces.

The platform asks an app's module `app` for `APP`, its declaration; that names `controllers/`, `web/` and `commands/`,
which stand on the app's decisions (`admission`, `validation`, `options` …), and these on its `kinds` and `names`.
Other apps import only the last two. Importing this package imports no app.
Parts that processes need without the rest of an app are found by the names of their modules: `commands`, `options`, and
for the gateway `entrance` and `web.contributions`.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from windlass.apis.app import App, Entrance, Tenants
    from windlass.apis.commands import Command
    from windlass.apis.stops import AnyStop
    from windlass.gateway.contributions import Contributions
    from windlass.kube.json import Object

APPS: tuple[str, ...] = (
    "training",
    "volcano",
    "jobset",
    "trainer",
    "routing",
    "notebooks",
    "tensorboards",
    "volumes",
    "pipelines",
    "profiles",
)
"""Folders of the apps in dependency order: each comes after the apps whose kinds its objects consist of."""


@cache
def all_apps() -> "tuple[App, ...]":
    """Return the declarations of all apps, in the order of `APPS`."""
    return tuple(import_module(f"windlass.apps.{name}.app").APP for name in APPS)


def definitions() -> "list[Object]":
    """Return the CustomResourceDefinitions of all apps, ready to create."""
    return [crd for app in all_apps() for crd in app.definitions()]


def tenants() -> "Tenants":
    """Return the namespaces that apps give to users; one app gives them."""
    return next(app.tenants for app in all_apps() if app.tenants is not None)


def commands_of_apps() -> "tuple[Command, ...]":
    """Return the commands of all apps: `COMMANDS` of their packages `commands`."""
    return tuple(command for module in _modules("commands") for command in module.COMMANDS)


def options_of_apps() -> tuple[type, ...]:
    """Return the structs of the options of all apps: `Options` of their modules `options`."""
    return tuple(module.Options for module in _modules("options"))


@cache
def entrances() -> "tuple[Entrance, ...]":
    """Return the entrances of all apps: `ENTRANCE` of their modules `entrance`."""
    return tuple(module.ENTRANCE for module in _modules("entrance"))


def contributions() -> "tuple[Contributions, ...]":
    """Return what apps add to the gateway: `CONTRIBUTIONS` of their modules `web.contributions`."""
    return tuple(module.CONTRIBUTIONS for module in _modules("web.contributions"))


def _modules(name: str) -> "list[ModuleType]":
    """Return the modules of this name of the apps that have one."""
    paths = [f"windlass.apps.{app}.{name}" for app in APPS]
    return [import_module(path) for path in paths if _exists(path)]


def _exists(path: str) -> bool:
    try:
        return find_spec(path) is not None
    except ModuleNotFoundError:  # the package that would contain it is missing
        return False


def stops() -> "list[AnyStop]":
    """Return the stops of all apps, in the order in which the recycle bin of profiles stops the kinds."""
    return sorted((stop for app in all_apps() for stop in app.stops), key=lambda stop: stop.order)
