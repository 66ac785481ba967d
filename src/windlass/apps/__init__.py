"""The apps of Windlass, each in a folder of its own: a product of Kubeflow with all of its surfaces.

The platform asks an app's module `app` for `APP`, its declaration; that names `controllers/`, `web/` and `commands/`,
which stand on the app's decisions (`admission`, `validation`, `options` …), and these on its `kinds` and `names`.
Other apps import only the last two. Importing this package imports no app.
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.apis.app import App
    from windlass.apis.stops import AnyStop
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


def stops() -> "list[AnyStop]":
    """Return the stops of all apps, in the order in which the recycle bin of profiles stops the kinds."""
    return sorted((stop for app in all_apps() for stop in app.stops), key=lambda stop: stop.order)
