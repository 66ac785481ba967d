"""Notebooks: servers, culling of idle ones, events of their pods, the tokens between them and the gateway."""

from dataclasses import replace

from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.controllers.context import Context
from windlass.controllers.notebooks import reconcile, tokens
from windlass.controllers.notebooks.options import DEFAULTS, Options
from windlass.kube.controller import AnyController
from windlass.kube.kind import KINDS


def family_controllers(context: Context) -> tuple[AnyController, ...]:
    return (reconcile.controller(_options(context)), tokens.CONTROLLER)


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    return (reconcile.controller(DEFAULTS), tokens.CONTROLLER)


def _options(context: Context) -> Options:
    """A cluster need not have Istio: then a gateway of its own finds the notebooks' Services."""
    has_routes = context.is_embedded or KINDS.of(VirtualService) in context.served
    return replace(DEFAULTS, use_istio=has_routes)
