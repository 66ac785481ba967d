"""TensorBoards: a server over a path of logs, and the reason when it shows nothing."""

from dataclasses import replace

from windlass.apis.tensorboards.names import EMBEDDED_IMAGE, UPSTREAM_IMAGE
from windlass.controllers.context import Context
from windlass.controllers.routes import are_routes_served
from windlass.controllers.tensorboards import reconcile, runs
from windlass.controllers.tensorboards.options import DEFAULTS, Options
from windlass.kube.controller import AnyController


def family_controllers(context: Context) -> tuple[AnyController, ...]:
    return (reconcile.controller(_options(context)), runs.CONTROLLER)


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    return (reconcile.controller(DEFAULTS), runs.CONTROLLER)


def _options(context: Context) -> Options:
    has_routes = are_routes_served(context.served, is_embedded=context.is_embedded)
    image = EMBEDDED_IMAGE if context.is_embedded else UPSTREAM_IMAGE
    return replace(DEFAULTS, image=image, routing=replace(DEFAULTS.routing, use_istio=has_routes))
