"""`/api`: curves, actions on jobs, forecasts and questions of what if."""

from aiohttp import web

from windlass.gateway.context import GatewayContext
from windlass.gateway.dashboard.answers import lazy_routes

JOB = "/api/jobs/{kind}/{namespace}/{name}"
ROUTES = (
    ("GET", f"{JOB}/curves", "curves"),
    ("GET", "/api/jobs/{namespace}/courses", "courses"),
    ("POST", f"{JOB}/suspend", "suspend"),
    ("POST", f"{JOB}/resume", "resume"),
    ("POST", f"{JOB}/restart", "restart"),
    ("POST", f"{JOB}/clone", "clone"),
    ("POST", "/api/forecast", "forecast"),
    ("POST", "/api/what-if", "what_if"),
)
"""Method, path and the handler in `JobActions`."""


def routes(context: GatewayContext) -> list[web.RouteDef]:
    return lazy_routes(context, ROUTES, _actions)


def _actions(context: GatewayContext) -> object:
    from windlass.apps.training.web.actions import JobActions

    return JobActions(context)
