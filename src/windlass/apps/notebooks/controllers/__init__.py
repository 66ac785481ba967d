"""Notebooks: servers, culling of idle ones, events of their pods, the tokens between them and the gateway."""

from dataclasses import replace

from windlass.apis.istio.routing import Routing
from windlass.apps.notebooks.controllers import culler, reconcile, reissued_events, tokens
from windlass.apps.notebooks.controllers.metrics import NotebookMetrics, counting
from windlass.apps.notebooks.options import DEFAULTS, Options
from windlass.controllers.context import Context
from windlass.controllers.routes import are_routes_served
from windlass.kube.controller import AnyController


def app_controllers(context: Context) -> tuple[AnyController, ...]:
    return _controllers(_options(context))


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    return _controllers(replace(DEFAULTS, enable_culling=True))


def _controllers(options: Options) -> tuple[AnyController, ...]:
    metrics = NotebookMetrics()
    return (
        reconcile.controller(options, metrics),
        tokens.CONTROLLER,
        reissued_events.SERVICE,
        counting(metrics),
        *([culler.controller(options, metrics)] if options.enable_culling else []),
    )


def _options(context: Context) -> Options:
    routing = context.options_of(Routing)
    has_routes = are_routes_served(context.served, is_embedded=context.is_embedded)
    return replace(context.options_of(Options), routing=replace(routing, use_istio=has_routes and routing.use_istio))
