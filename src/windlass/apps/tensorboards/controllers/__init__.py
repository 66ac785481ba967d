"""TensorBoards: a server over a path of logs, and the reason when it shows nothing."""

from dataclasses import replace

from windlass.apis.images import EMBEDDED_TENSORBOARD, TENSORBOARD
from windlass.apps.tensorboards.controllers import reconcile, reissued_events, runs
from windlass.apps.tensorboards.controllers.options import DEFAULTS, Options
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.tensorboards.names import SERVER_TOKENS
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
    routing = context.notebooks.routing
    has_routes = are_routes_served(context.served, is_embedded=context.is_embedded)
    return Options(
        image=context.tensorboard_image or (EMBEDDED_TENSORBOARD if context.is_embedded else TENSORBOARD),
        routing=replace(routing, use_istio=has_routes and routing.use_istio),
        rwo_scheduling=context.rwo_scheduling,
    )
