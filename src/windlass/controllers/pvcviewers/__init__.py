"""Viewers of volumes: a file browser behind a route."""

from dataclasses import replace

from windlass.controllers.context import Context
from windlass.controllers.pvcviewers import reconcile
from windlass.controllers.routes import DEFAULT_ROUTING, are_routes_served
from windlass.kube.controller import AnyController


def family_controllers(context: Context) -> tuple[AnyController, ...]:
    has_routes = are_routes_served(context.served, is_embedded=context.is_embedded)
    return (reconcile.controller(replace(DEFAULT_ROUTING, use_istio=has_routes)),)


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    return (reconcile.controller(DEFAULT_ROUTING),)
