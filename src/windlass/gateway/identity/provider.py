"""The OpenID Connect provider's routes, with dex's paths, query parameters and codes."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

from aiohttp import web

from windlass.gateway.context import GatewayContext
from windlass.gateway.identity import passwords
from windlass.gateway.identity.clients import SCOPES
from windlass.gateway.identity.connectors import Departure, IssuerFailed
from windlass.gateway.identity.emails import normalised
from windlass.gateway.identity.login_page import login_form
from windlass.gateway.identity.own_requests import is_own_request
from windlass.gateway.identity.signed import Signer
from windlass.gateway.identity.signing_keys import ALGORITHM, BadToken
from windlass.gateway.identity.user import User
from windlass.gateway.identity.users import UserError
from windlass.gateway.login.address import client_address
from windlass.gateway.login.throttle import wait_turn
from windlass.gateway.page import message
from windlass.gateway.page_words import speech_of
from windlass.gateway.sessions.cookies import is_secure

REQUEST_LIFE = timedelta(hours=24)  # for which a login page may stay open; dex's default
AWAY_LIFE = timedelta(minutes=15)  # for a sign-in at an external issuer
LARGEST_FORM = 16_384
LONGEST_LOGIN = 254
AWAY_COOKIE = "windlass_external_sign_in"
WRONG = "That e-mail address and password do not match."
_NOBODY = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$S3QoBTcS1h4VgkZ5Jp5wC2bnB2dA2w6yYz1V4lWn8b0"
"""A hash of no password: an unknown user takes as long to refuse as a known one."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def routes(context: GatewayContext) -> list[web.RouteDef]:
    routes = ProviderRoutes(context)
    return [
        web.get("/dex/.well-known/openid-configuration", routes.discovery),
        web.get("/dex/keys", routes.keys),
        web.get("/dex/auth", routes.auth),
        web.get("/dex/auth/local", routes.local),
        web.get("/dex/auth/local/login", routes.form),
        web.post("/dex/auth/local/login", routes.login),
        web.get("/dex/auth/{connector}", routes.leave),
        web.get("/dex/callback", routes.arrive),
        web.get("/dex/callback/{connector}", routes.arrive),
        web.get("/dex/approval", routes.approval),
        web.post("/dex/token", routes.token),
        web.post("/dex/token/introspect", routes.introspect),
        web.get("/dex/userinfo", routes.userinfo),
        web.post("/dex/userinfo", routes.userinfo),
        web.get("/dex/healthz", routes.health),
    ]


class ProviderRoutes:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context

    @property
    def _requests(self) -> Signer:
        return self._context.signer("authorization request")

    @property
    def _away(self) -> Signer:
        return self._context.signer("external sign-in")

    async def health(self, request: web.Request) -> web.Response:
        return web.Response(text="Health check passed")

    async def discovery(self, request: web.Request) -> web.Response:
        issuer = self._context.settings.issuer
        return web.json_response(
            {
                "issuer": issuer,
                "authorization_endpoint": f"{issuer}/auth",
                "token_endpoint": f"{issuer}/token",
                "jwks_uri": f"{issuer}/keys",
                "userinfo_endpoint": f"{issuer}/userinfo",
                "introspection_endpoint": f"{issuer}/token/introspect",
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": [ALGORITHM],
                "code_challenge_methods_supported": ["S256", "plain"],
                "scopes_supported": list(SCOPES),
                "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
                "claims_supported": [
                    "iss", "sub", "aud", "iat", "exp", "email", "email_verified", "groups", "name",
                    "preferred_username", "at_hash", "nonce",
                ],
            }
        )  # fmt: skip

    async def keys(self, request: web.Request) -> web.Response:
        await self._context.signing_keys.prepare()
        return web.json_response(
            self._context.signing_keys.published(), headers={"Cache-Control": "max-age=60, must-revalidate"}
        )

    # signing in with a password

    async def auth(self, request: web.Request) -> web.Response:
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        return _redirect(f"/dex/auth/local?{request.query_string}")

    async def local(self, request: web.Request) -> web.Response:
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        state = self._requests.sign(dict(request.query), time.time())
        return _redirect(f"/dex/auth/local/login?{urlencode({'back': '', 'state': state})}")

    async def form(self, request: web.Request) -> web.Response:
        values = self._authorization_request(request)
        return _expired(request) if values is None else self._form(request, values)

    async def login(self, request: web.Request) -> web.StreamResponse:
        values = self._authorization_request(request)
        if values is None:
            return _expired(request)
        if (request.content_length or 0) > LARGEST_FORM:
            return message(request, "Sign in", "The form is too large.", status=413)
        form = await _text_fields(request)
        login, password = form.get("login", ""), form.get("password", "")
        email, address = normalised(login)[:LONGEST_LOGIN], client_address(request)
        if not await wait_turn(self._context.throttle, email, address):
            self._context.audit.record("login.throttled", user=email, address=address)
            return self._form(request, values, login, "Too many tries. Wait a minute, then try again.", status=429)
        user, _ = await asyncio.gather(self._verified(email, password), self._context.signing_keys.prepare())
        if user is None:
            self._context.throttle.failed(email, address)
            self._context.audit.record("login.failed", user=email, address=address)
            return self._form(request, values, login, WRONG, status=401)
        self._context.throttle.succeeded(email)
        self._context.audit.record("login", user=email, address=address, connector="local")
        return self._authorized(values, user)

    async def _verified(self, email: str, password: str) -> User | None:
        user = self._context.users.find(email)
        hashed = user.password_hash if user is not None and user.password_hash else _NOBODY
        async with self._context.hashing:
            is_right = await asyncio.to_thread(passwords.verify_password, hashed, password)
        return user if is_right else None

    def _form(
        self, request: web.Request, values: dict[str, Any], login: str = "", error: str = "", status: int = 200
    ) -> web.Response:
        connectors = self._context.static_file.refresh().connectors
        others = [(f"/dex/auth/{one.id}?{urlencode(values)}", one.name) for one in connectors]
        return login_form(
            request.raw_path if request.raw_path.startswith("/dex/") else "",
            speech_of(request.headers),
            login=login,
            error=error,
            status=status,
            others=others,
            form_targets=_form_targets(str(values.get("redirect_uri", ""))),
        )

    def _authorized(self, values: dict[str, Any], user: User) -> web.Response:
        """The redirect with the code; 303, so that the browser does not send the password along."""
        answer = self._context.provider.authorize(values, user)
        if "Location" in answer.headers:
            return _redirect(answer.headers["Location"], 303)
        return web.json_response(answer.body, status=answer.status)

    def _refusal(self, request: web.Request) -> web.Response | None:
        """What is wrong with an authorization request; shown here, unless a redirect can report it to the client."""
        if is_own_request(request.query):
            return None  # checked again with the password, by the libraries that only then are needed
        answer = self._context.provider.problem_of(dict(request.query))
        if answer is None:
            return None
        if "Location" in answer.headers:
            return _redirect(answer.headers["Location"])
        why = str(answer.body.get("error_description") or answer.body.get("error") or "")
        text = "The program that sent you here asked for something that is refused. {why}"
        return message(request, "Bad request", text, status=400, why=why)

    def _authorization_request(self, request: web.Request) -> dict[str, Any] | None:
        return self._requests.read(request.query.get("state", ""), time.time(), REQUEST_LIFE.total_seconds())

    async def approval(self, request: web.Request) -> web.Response:
        """dex's page for consent, which is skipped: the clients are those of the administrator."""
        return message(
            request, "Nothing to approve", "Programs here need no approval.", status=404, action=("/", "Home")
        )

    # signing in elsewhere

    async def leave(self, request: web.Request) -> web.Response:
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        name = request.match_info["connector"]
        issuer = self._context.external_issuer(name)
        if issuer is None:
            return message(request, "Not found", "There is no such way to sign in.", status=404, action=("/", "Home"))
        try:
            url, memory = await issuer.departure()
        except IssuerFailed as error:
            return message(request, "Sign-in failed", str(error), status=502, action=("/", "Try again"))
        kept = {"request": dict(request.query), "connector": name, "state": memory.state}
        kept |= {"nonce": memory.nonce, "verifier": memory.verifier}
        response = _redirect(url)
        response.set_cookie(
            AWAY_COOKIE,
            self._away.sign(kept, time.time()),
            httponly=True,
            samesite="Lax",
            secure=is_secure(request, self._context.settings.origin),
            path="/dex/callback",
            max_age=int(AWAY_LIFE.total_seconds()),
        )
        return response

    async def arrive(self, request: web.Request) -> web.StreamResponse:
        kept = self._away.read(request.cookies.get(AWAY_COOKIE, ""), time.time(), AWAY_LIFE.total_seconds())
        if kept is None or kept["state"] != request.query.get("state"):
            return _expired(request)
        issuer = self._context.external_issuer(str(kept["connector"]))
        if issuer is None or "code" not in request.query:
            why = request.query.get("error_description") or request.query.get("error") or "no code came back"
            return message(request, "Sign-in failed", why[:300], status=403, action=("/", "Try again"))
        memory = Departure(str(kept["state"]), str(kept["nonce"]), str(kept["verifier"]))
        try:
            user = await issuer.arrival(request.query["code"], memory)
            self._context.users.remember_external(user)
        except (IssuerFailed, UserError) as error:
            self._context.audit.record("login.failed", connector=str(kept["connector"]), reason=str(error))
            return message(request, "Sign-in failed", str(error), status=403, action=("/", "Try again"))
        self._context.audit.record(
            "login", user=user.email, address=client_address(request), connector=str(kept["connector"])
        )
        response = self._authorized(kept["request"], user)
        response.del_cookie(AWAY_COOKIE, path="/dex/callback")
        return response

    # for clients

    async def token(self, request: web.Request) -> web.Response:
        return await self._answered(request, lambda form: self._context.provider.token(form, request.headers))

    async def introspect(self, request: web.Request) -> web.Response:
        return await self._answered(request, lambda form: self._context.provider.introspect(form, request.headers))

    async def _answered(self, request: web.Request, ask: Callable[[dict[str, str]], Any]) -> web.Response:
        if (request.content_length or 0) > LARGEST_FORM:
            return web.json_response({"error": "invalid_request"}, status=413)
        answer = ask(await _text_fields(request))
        return web.Response(
            body=json.dumps(answer.body).encode(),
            status=answer.status,
            content_type="application/json",
            headers={"Cache-Control": "no-store", "Pragma": "no-cache"},
        )

    async def userinfo(self, request: web.Request) -> web.Response:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        user = self._user_of(token.strip()) if scheme.lower() == "bearer" else None
        if user is None:
            challenge = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
            return web.json_response({"error": "invalid_token"}, status=401, headers=challenge)
        return web.json_response(
            self._context.provider.claims_of(user, "openid email groups profile"), headers={"Cache-Control": "no-store"}
        )

    def _user_of(self, token: str) -> User | None:
        try:
            claims = self._context.signing_keys.verify(token)
        except BadToken:
            return None
        return self._context.users.find(str(claims.get("email") or ""))


async def _text_fields(request: web.Request) -> dict[str, str]:
    """A posted form, URL-encoded as OAuth wants it; 400 for bytes that are none in the charset that the client says."""
    if request.content_type.startswith("multipart/"):
        raise web.HTTPUnsupportedMediaType(text="415: the form must be application/x-www-form-urlencoded\n")
    try:
        form = await request.post()
    except (ValueError, LookupError) as error:  # not in the charset, or an unknown one
        raise web.HTTPBadRequest(text="400: the form cannot be read\n") from error
    return {name: value for name, value in form.items() if isinstance(value, str)}


def _redirect(location: str, status: int = 302) -> web.Response:
    return web.Response(status=status, headers={"Location": location, "Cache-Control": "no-store"})


def _expired(request: web.Request) -> web.Response:
    return message(
        request,
        "This sign-in has ended",
        "It was started too long ago, or in another browser. Nothing is lost.",
        status=400,
        action=("/", "Sign in again"),
    )


def _form_targets(redirect_uri: str) -> str:
    """Browsers check where a form's answer redirects to as well, so a client's origin is allowed."""
    try:
        parts = urlsplit(redirect_uri)
    except ValueError:
        return "'self'"
    return f"'self' {parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") and parts.netloc else "'self'"
