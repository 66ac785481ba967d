"""Notebooks: servers, culling of idle ones, events of their pods, the tokens between them and the gateway."""

from dataclasses import replace

from windlass.controllers.context import Context
from windlass.controllers.notebooks import reconcile, tokens
from windlass.controllers.notebooks.options import DEFAULTS, Options
from windlass.controllers.routes import are_routes_served
from windlass.kube.controller import AnyController


def family_controllers(context: Context) -> tuple[AnyController, ...]:
    return (reconcile.controller(_options(context)), tokens.CONTROLLER)


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    return (reconcile.controller(DEFAULTS), tokens.CONTROLLER)


def _options(context: Context) -> Options:
    has_routes = are_routes_served(context.served, is_embedded=context.is_embedded)
    return replace(DEFAULTS, routing=replace(DEFAULTS.routing, use_istio=has_routes))
