"""The controllers of all product families, as the manager of an embedded server runs them."""

from importlib import import_module

from windlass.apis.families import FAMILIES
from windlass.apis.training.options import DEFAULTS, Options
from windlass.controllers.context import Context
from windlass.kube.controller import AnyController


def family_controllers(training: Options = DEFAULTS) -> tuple[AnyController, ...]:
    context = Context(is_embedded=True, training=training)
    modules = [import_module(family.controllers) for family in FAMILIES if family.controllers]
    return tuple(controller for module in modules for controller in module.family_controllers(context))
