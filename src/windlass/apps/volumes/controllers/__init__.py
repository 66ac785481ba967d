"""Viewers of volumes: a file browser behind a route."""

from dataclasses import replace

from windlass.apis.istio.routing import DEFAULT_ROUTING, Routing
from windlass.apps.volumes.controllers import reconcile
from windlass.apps.volumes.kinds import PVCViewer
from windlass.apps.volumes.names import SERVER_TOKENS
from windlass.apps.volumes.options import Options
from windlass.controllers.context import Context
from windlass.controllers.routes import are_routes_served
from windlass.controllers.server_tokens import controller as tokens_of
from windlass.kube.controller import AnyController


def app_controllers(context: Context) -> tuple[AnyController, ...]:
    routing = context.options_of(Routing)
    has_routes = are_routes_served(context.served, is_embedded=context.is_embedded)
    return _controllers(replace(routing, use_istio=has_routes and routing.use_istio), context.options_of(Options).image)


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    return _controllers(DEFAULT_ROUTING, "")


def _controllers(routing: Routing, image: str) -> tuple[AnyController, ...]:
    tokens = tokens_of("pvcviewer-tokens", PVCViewer, SERVER_TOKENS, reconcile.needs_token)
    return (reconcile.controller(routing, image), tokens)
