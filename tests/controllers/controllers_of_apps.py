"""The controllers of all apps, as the manager of an embedded server runs them."""

from importlib import import_module

from windlass.apps import all_apps
from windlass.apps.training.options import DEFAULTS, Options
from windlass.controllers.context import Context
from windlass.kube.controller import AnyController


def app_controllers(training: Options = DEFAULTS) -> tuple[AnyController, ...]:
    context = Context(is_embedded=True, options=(training,))
    modules = [import_module(app.controllers) for app in all_apps() if app.controllers]
    return tuple(controller for module in modules for controller in module.app_controllers(context))
