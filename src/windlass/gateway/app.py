"""The gateway as one aiohttp application: what each request passes, and which package answers it.

Order of a request: normalise the path, strip identity headers, authenticate, check CSRF and Origin, then the
authorisation and the handler of the route. What no route group matches goes to the proxy.
"""

import asyncio
import logging
import time
from collections.abc import Sequence

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from windlass.gateway import health
from windlass.gateway.account import routes as account
from windlass.gateway.context import GatewayContext
from windlass.gateway.contributions import RouteGroup, Task, all_contributions
from windlass.gateway.dashboard import routes as dashboard
from windlass.gateway.dashboard.frames import enter_frames
from windlass.gateway.database import DatabaseUnavailable
from windlass.gateway.identity import provider
from windlass.gateway.k8s import routes as k8s
from windlass.gateway.live import routes as live
from windlass.gateway.login import ingress_checks
from windlass.gateway.login import routes as login
from windlass.gateway.login.authentication import authenticate
from windlass.gateway.login.paths import OPEN_PATHS, OPEN_PREFIXES, wants_json
from windlass.gateway.login.protection import protect
from windlass.gateway.page import message
from windlass.gateway.pages import routes as pages
from windlass.gateway.plugins import routes as plugins
from windlass.gateway.request import IDENTITY
from windlass.gateway.views import routes as views
from windlass.gateway.views.services import sample_usage
from windlass.kube.broken_answers import end_broken_answers, end_connection, has_left
from windlass.kube.handover import HandedOver
from windlass.kube.heap import give_back_now_and_then

log = logging.getLogger(__name__)

TUNNEL_CHECK_SECONDS = 1.0
TUNNEL_EXPIRY_SECONDS = 60.0  # after which sessions are checked even if nothing was written
LARGEST_BODY = 16 << 20  # bytes; what is streamed into pods is not counted


def route_groups() -> tuple[RouteGroup, ...]:
    """Return the groups in the order in which they are asked. The first match wins.

    Sign-in comes first, then apps in the order of `APPS`, whose paths are their own; dashboard and pages take what is
    left below `/api` and below the addresses of pages.
    """
    return (
        health.routes,
        provider.routes,
        login.routes,
        ingress_checks.routes,
        *(group for app in all_contributions() for group in app.routes),
        k8s.routes,
        account.routes,
        live.routes,
        views.routes,
        plugins.routes,
        dashboard.routes,
        pages.routes,
    )


async def watch_routes(context: GatewayContext) -> None:
    """Follow routes and rights until the gateway stops."""
    await context.proxy.run()


async def close_ended_tunnels(context: GatewayContext) -> None:
    """Close WebSockets soon after their token was revoked, or their user signed out, was removed or changed groups."""
    tunnels = context.proxy.tunnels
    as_of, checked = None, time.monotonic()
    while True:
        await asyncio.sleep(TUNNEL_CHECK_SECONDS)
        try:
            # A sign-in may have ended while its tunnel was being opened.
            now = (context.sign_ins_as_of, tunnels.opened)
            if now != as_of or time.monotonic() - checked > TUNNEL_EXPIRY_SECONDS:
                tunnels.close_ended(context.is_current)
                as_of, checked = now, time.monotonic()
        except DatabaseUnavailable as error:
            log.warning("open connections cannot be checked, and are checked again soon: %s", error)


async def return_memory(context: GatewayContext) -> None:
    """Give back what bursts of work leave: a password hash alone takes 19 MiB."""
    await give_back_now_and_then()


def tasks() -> tuple[Task, ...]:
    """Return the coroutines that run beside the requests, from when the gateway listens until it stops."""
    return (
        watch_routes,
        live.run_live,
        sample_usage,
        close_ended_tunnels,
        return_memory,
        *(task for app in all_contributions() for task in app.tasks),
    )


def middlewares(context: GatewayContext) -> Sequence[Middleware]:
    """From the outermost to the innermost."""
    return (
        count(context),
        answer_errors,
        *(middleware for app in all_contributions() for middleware in app.middlewares),
        authenticate(context),
        protect(context),
        serve_ingress_hosts(context),
        enter_frames(context),
    )


def serve_ingress_hosts(context: GatewayContext) -> Middleware:
    """A host that an Ingress has rules for has none of the gateway's pages, but the sign-in."""

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        if IDENTITY in request and context.proxy.has_host(request.host):
            return await context.proxy.answer(request)
        return await handler(request)

    return middleware


def application(context: GatewayContext) -> web.Application:
    app = web.Application(middlewares=middlewares(context), client_max_size=LARGEST_BODY)
    for group in route_groups():
        app.add_routes(group(context))
    for prefix in OPEN_PREFIXES:  # without a session nothing below them may reach a backend
        app.router.add_route("*", f"{prefix}{{path:.*}}", not_found)
    for path in OPEN_PATHS:
        app.router.add_route("*", path, not_found)
    app.router.add_route("*", "/{path:.*}", context.proxy.answer)
    return app


async def not_found(request: web.Request) -> web.StreamResponse:
    raise web.HTTPNotFound(text="404: there is nothing at this address\n")


def count(context: GatewayContext) -> Middleware:
    """Count every answer. The proxy counts the tunnels that it opens."""
    answered = context.metrics.answered

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            response = await handler(request)
        except web.HTTPException as error:
            answered(request.path, request.method, error.status)
            raise
        if not isinstance(response, HandedOver):
            answered(request.path, request.method, response.status)
        return response

    return middleware


@web.middleware
async def answer_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Log what went wrong inside, and answer 500 without details."""
    try:
        return await end_broken_answers(request, handler)
    except web.HTTPException:
        raise
    except DatabaseUnavailable as error:
        log.warning("request refused method=%s path=%s error=%s", request.method, request.path, error)
        return unavailable(request)
    except Exception as error:
        if isinstance(error, ConnectionError) and has_left(request):
            return end_connection(request)
        log.exception("request failed method=%s path=%s", request.method, request.path)
        return web.Response(status=500, text="500: internal error; the gateway's log has the details\n")


def unavailable(request: web.Request) -> web.Response:
    """The answer while nothing can be written, such as on a full disk. Users who are signed in stay so."""
    why = "the gateway cannot write to its disk, which may be full"
    if wants_json(request.path, request.headers):
        return web.json_response({"success": False, "status": 503, "log": why}, status=503)
    return message(request, "Not now", f"You cannot be signed in: {why}.", status=503, action=("/", "Try again"))
