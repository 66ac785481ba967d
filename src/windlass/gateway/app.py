"""The gateway as one aiohttp application: what each request passes, and which package answers it.

Order of a request: normalise the path, strip identity headers, authenticate, check CSRF and Origin, then the
authorisation and the handler of the route. What no route group matches goes to the fallback.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from windlass.gateway import health
from windlass.gateway.context import GatewayContext

log = logging.getLogger(__name__)

RouteGroup: TypeAlias = Callable[[GatewayContext], list[web.RouteDef]]
LARGEST_BODY = 16 << 20  # bytes; what is streamed into pods is not counted

ROUTE_GROUPS: tuple[RouteGroup, ...] = (health.routes,)
"""Every package that answers requests itself; the first match wins."""


def middlewares(context: GatewayContext) -> Sequence[Middleware]:
    """From the outermost to the innermost."""
    return (answer_errors,)


def application(context: GatewayContext) -> web.Application:
    app = web.Application(middlewares=middlewares(context), client_max_size=LARGEST_BODY)
    for group in ROUTE_GROUPS:
        app.add_routes(group(context))
    app.router.add_route("*", "/{path:.*}", fallback(context))
    return app


def fallback(context: GatewayContext) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Answers what no route group does."""

    async def answer(request: web.Request) -> web.StreamResponse:
        raise web.HTTPNotFound(text="404: there is nothing at this address\n")

    return answer


@web.middleware
async def answer_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Log what went wrong inside, and answer 500 without details."""
    try:
        return await handler(request)
    except web.HTTPException:
        raise
    except ConnectionError:
        raise  # the client has gone
    except Exception:
        log.exception("request failed method=%s path=%s", request.method, request.path)
        return web.Response(status=500, text="500: internal error; the gateway's log has the details\n")
