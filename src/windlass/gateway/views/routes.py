"""`/api`: views over REST, actions of administrators, and metrics."""

from aiohttp import web

from windlass.gateway.context import GatewayContext
from windlass.gateway.dashboard.answers import lazy_routes

ROUTES = (
    ("GET", "/api/views/{topic}", "view"),
    ("DELETE", "/api/cluster/users/{user}/sessions/{id}", "cluster.end_session"),
    ("POST", "/api/cluster/backup", "cluster.back_up"),
    ("GET", "/api/metrics", "metrics"),
    ("GET", "/api/metrics/{series}", "metric_points"),
)
"""Method, path and the handler in `ViewHandlers`."""


def routes(context: GatewayContext) -> list[web.RouteDef]:
    return lazy_routes(context, ROUTES, _handlers)


def _handlers(context: GatewayContext) -> object:
    from windlass.gateway.views.handlers import ViewHandlers

    return ViewHandlers(context)
