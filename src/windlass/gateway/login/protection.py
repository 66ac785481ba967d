"""Refuse requests that another site made a signed-in browser send. Bearer tokens are not sent by browsers unasked."""

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from windlass.gateway.context import GatewayContext
from windlass.gateway.request import IDENTITY, Asked, Identity
from windlass.gateway.sessions import csrf, origin
from windlass.gateway.sessions.cookies import sent_cookie


def protect(context: GatewayContext) -> Middleware:
    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        identity = request.get(IDENTITY)
        if identity is None:
            return await handler(request)
        why = refusal_of(context, request, identity)
        if why is not None:
            return web.json_response(
                {"success": False, "status": 403, "log": why, "error": why, "user": identity.user}, status=403
            )
        return await handler(request)

    return middleware


def refusal_of(context: GatewayContext, request: Asked, identity: Identity) -> str | None:
    """Why a request is refused that a page of another site may have caused; None when it is not."""
    if identity.proof != "session":
        return None
    return origin_problem(context, request) or csrf.problem(
        request.method, request.path, sent_cookie(request, csrf.COOKIE), request.headers.get(csrf.HEADER)
    )


def origin_problem(context: GatewayContext, request: Asked, *, method: str = "") -> str | None:
    """`method`: another than the request's, where a GET changes something."""
    return origin.problem(
        method or request.method,
        is_upgrade="upgrade" in request.headers.get("Connection", "").lower(),
        origin=request.headers.get("Origin"),
        fetch_site=request.headers.get("Sec-Fetch-Site"),
        own_origins=origin.own_origins(request.host, context.settings.origin),
    )
