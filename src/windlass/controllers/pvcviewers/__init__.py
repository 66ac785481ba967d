"""Viewers of volumes: a file browser behind a route."""

from dataclasses import replace

from windlass.apis.istio.routing import DEFAULT_ROUTING
from windlass.controllers.context import Context
from windlass.controllers.pvcviewers import reconcile
from windlass.controllers.routes import are_routes_served
from windlass.kube.controller import AnyController


def family_controllers(context: Context) -> tuple[AnyController, ...]:
    routing = context.notebooks.routing
    has_routes = are_routes_served(context.served, is_embedded=context.is_embedded)
    return (reconcile.controller(replace(routing, use_istio=has_routes and routing.use_istio), context.viewer_image),)


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    return (reconcile.controller(DEFAULT_ROUTING),)
