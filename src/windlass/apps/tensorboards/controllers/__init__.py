"""TensorBoards: a server over a path of logs, and the reason when it shows nothing."""

from dataclasses import replace

from windlass.apis.istio.routing import Routing
from windlass.apps.tensorboards.controllers import reconcile, reissued_events, runs
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.tensorboards.names import SERVER_TOKENS
from windlass.apps.tensorboards.options import DEFAULTS, Options
from windlass.controllers.context import Context
from windlass.controllers.routes import are_routes_served
from windlass.controllers.server_tokens import controller as tokens_of
from windlass.kube.controller import AnyController


def app_controllers(context: Context) -> tuple[AnyController, ...]:
    return _controllers(_options(context))


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    return _controllers(DEFAULTS)


def _controllers(options: Options) -> tuple[AnyController, ...]:
    tokens = tokens_of("tensorboard-tokens", Tensorboard, SERVER_TOKENS, lambda _: True)
    return (reconcile.controller(options), tokens, runs.CONTROLLER, reissued_events.SERVICE)


def _options(context: Context) -> Options:
    routing = context.options_of(Routing)
    has_routes = are_routes_served(context.served, is_embedded=context.is_embedded)
    return replace(context.options_of(Options), routing=replace(routing, use_istio=has_routes and routing.use_istio))
