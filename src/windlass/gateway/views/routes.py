"""`/api`: views over REST, curves, forecasts, actions on jobs, and metrics.

The handlers are loaded by the first request: a gateway that only lets people into notebooks stays small.
"""

from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

from aiohttp import web

from windlass.gateway.context import GatewayContext
from windlass.gateway.dashboard.routes import Answer, answering

if TYPE_CHECKING:
    from windlass.gateway.views.handlers import ViewHandlers

JOB = "/api/jobs/{kind}/{namespace}/{name}"
ROUTES = (
    ("GET", "/api/views/{topic}", "view"),
    ("GET", f"{JOB}/curves", "curves"),
    ("GET", "/api/jobs/{namespace}/courses", "courses"),
    ("POST", f"{JOB}/suspend", "suspend"),
    ("POST", f"{JOB}/resume", "resume"),
    ("POST", f"{JOB}/restart", "restart"),
    ("POST", f"{JOB}/clone", "clone"),
    ("POST", "/api/forecast", "forecast"),
    ("POST", "/api/what-if", "what_if"),
    ("DELETE", "/api/cluster/users/{user}/sessions/{id}", "cluster.end_session"),
    ("POST", "/api/cluster/backup", "cluster.back_up"),
    ("GET", "/api/metrics", "metrics"),
    ("GET", "/api/metrics/{series}", "metric_points"),
)
"""Method, path and the handler in `ViewHandlers`."""


def routes(context: GatewayContext) -> list[web.RouteDef]:
    lazy = _Lazy(context)
    return [web.route(method, path, answering(lazy.handler(name))) for method, path, name in ROUTES]


class _Lazy:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context

    @cached_property
    def _handlers(self) -> "ViewHandlers":
        from windlass.gateway.views.handlers import ViewHandlers

        return ViewHandlers(self._context)

    def handler(self, name: str) -> Answer:
        async def answer(request: web.Request) -> object:
            return await attrgetter(name)(self._handlers)(request)

        return answer
