"""Who sends a request: the session of a cookie, or the identity of a bearer token. Nobody gets past without."""

from dataclasses import replace
from urllib.parse import urlencode

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from windlass.gateway.access.machine_view import has_machine_view
from windlass.gateway.context import GatewayContext
from windlass.gateway.login.paths import asked_path, is_open, wants_json
from windlass.gateway.proxy.entrances import url_tokens
from windlass.gateway.redirect import redirect
from windlass.gateway.request import IDENTITY, Asked, Identity
from windlass.gateway.sessions.cookies import session_cookie
from windlass.gateway.tokens.ingress import is_ingress_token
from windlass.kube.errors import ApiError

BEARER = "bearer "


def authenticate(context: GatewayContext) -> Middleware:
    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        if is_open(request.path, request.raw_path.partition("?")[0]):
            return await handler(request)
        identity = await identity_of(context, request)
        if identity is None:
            return refuse_token() if has_token(request) else ask_to_sign_in(request)
        request[IDENTITY] = identity
        return await handler(request)

    return middleware


async def identity_of(context: GatewayContext, request: Asked) -> Identity | None:
    authorization = request.headers.get("Authorization", "")
    if is_bearer(authorization) and not is_ingress_token(authorization):
        return await of_bearer(context, authorization, request.path)
    # On a host of an Ingress a path means what its backend makes of it, be it one of an entrance.
    given = url_tokens.token_of(authorization, request.raw_path)
    if given is not None and not context.proxy.has_host(request.host):
        tokens = context.bearer_tokens
        return tokens.of_person(given.token, given.scope) or tokens.of_person(given.token, "gateway")
    # Another scheme is between the page and its server: JupyterLab sends the token that its page contains.
    return of_session(context, request)


def has_token(request: web.Request) -> bool:
    if "Authorization" in request.headers and not is_ingress_token(request.headers["Authorization"]):
        return True
    return url_tokens.token_of("", request.raw_path) is not None


def of_session(context: GatewayContext, request: Asked) -> Identity | None:
    """The person of the session cookie. A session of a user who is gone counts no more; groups are those of now."""
    cookie = session_cookie(request, compat=context.settings.is_loopback)
    session = context.sessions.find(cookie) if cookie else None
    user = context.users.find(session.email) if session is not None else None
    if session is None or user is None:
        return None
    identity = Identity(user.email, user.groups, "session", session.name, is_by_link=bool(session.by_link))
    if not isinstance(request, web.Request):
        return identity  # HTTP/2 leads into pods alone
    viewer, settings = context.machine_viewers.viewer, context.settings
    return replace(
        identity,
        has_machine_view=has_machine_view(identity, viewer, settings, request.headers, request.remote or ""),
    )


def is_bearer(authorization: str) -> bool:
    return authorization.lower().startswith(BEARER)


async def of_bearer(context: GatewayContext, authorization: str, path: str) -> Identity | None:
    if not is_bearer(authorization):
        return None
    try:
        return await context.bearer_tokens.identity(authorization[len(BEARER) :].strip(), path)
    except ApiError as error:
        raise web.HTTPServiceUnavailable(
            text="503: the API server cannot be asked about this token\n", headers={"Retry-After": "2"}
        ) from error


def refuse_token() -> web.Response:
    return web.json_response(
        {
            "success": False,
            "status": 401,
            "log": "the bearer token is not valid, has expired, or is for another audience",
        },
        status=401,
        headers={"WWW-Authenticate": 'Bearer realm="windlass", error="invalid_token"'},
    )


def ask_to_sign_in(request: web.Request) -> web.Response:
    """401 for programs; for people the way to the login page, and back to where they wanted to go."""
    if wants_json(asked_path(request.path), request.headers) or request.method not in ("GET", "HEAD"):
        return web.json_response(
            {"success": False, "status": 401, "log": "sign in first", "error": "sign in first"},
            status=401,
            headers={"WWW-Authenticate": 'Bearer realm="windlass"'},
        )
    asked = urlencode({"rd": asked_path(request.raw_path)}, errors="surrogateescape")
    where = f"/oauth2/start?{asked}"
    return redirect(where)
