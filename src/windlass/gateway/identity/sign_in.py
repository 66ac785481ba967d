"""The routes of a sign-in, with dex's paths: at a form of the gateway, or elsewhere and back."""

import asyncio
import time
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

from aiohttp import web

from windlass.gateway.context import GatewayContext
from windlass.gateway.exposure import is_of_this_machine
from windlass.gateway.identity.connectors.departure import ConnectorFailed, Departure
from windlass.gateway.identity.form_fields import is_too_large, text_fields
from windlass.gateway.identity.known_browser import KnownBrowser
from windlass.gateway.identity.login_page import login_form
from windlass.gateway.identity.own_requests import is_own_request
from windlass.gateway.identity.parameters import problem
from windlass.gateway.identity.password_checks import (
    LOCAL,
    DirectoryPasswords,
    LocalPasswords,
    Refusal,
    passwords_of,
)
from windlass.gateway.identity.signed import Signer
from windlass.gateway.identity.user import User
from windlass.gateway.identity.users import UserError
from windlass.gateway.login.address import client_address
from windlass.gateway.login.throttle import SignInTry, wait_turn
from windlass.gateway.page import message
from windlass.gateway.page_words import speech_of
from windlass.gateway.redirect import redirect
from windlass.gateway.sessions.cookies import AWAY, is_secure

REQUEST_LIFE = timedelta(hours=24)  # for which a login page may stay open; dex's default
AWAY_LIFE = timedelta(minutes=15)  # for a sign-in elsewhere


def routes(context: GatewayContext) -> list[web.RouteDef]:
    routes = SignInRoutes(context)
    return [
        web.get("/dex/auth", routes.auth),
        web.get("/dex/auth/{connector}", routes.start),
        web.get("/dex/auth/{connector}/login", routes.form),
        web.post("/dex/auth/{connector}/login", routes.login),
        web.get("/dex/callback", routes.arrive),
        web.get("/dex/callback/{connector}", routes.arrive),
    ]


class SignInRoutes:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context

    @property
    def _requests(self) -> Signer:
        return self._context.signer("authorization request")

    @property
    def _away(self) -> Signer:
        return self._context.signer("external sign-in")

    async def auth(self, request: web.Request) -> web.Response:
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        return redirect(f"/dex/auth/{LOCAL}?{request.raw_path.partition('?')[2]}")

    async def start(self, request: web.Request) -> web.Response:
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        passwords = self._passwords(request)
        if passwords is None:
            return await self._leave(request)
        state = self._requests.sign(dict(request.query), time.time())
        return redirect(f"/dex/auth/{passwords.id}/login?{urlencode({'back': '', 'state': state})}")

    # with a password

    async def form(self, request: web.Request) -> web.Response:
        passwords, values = self._passwords(request), self._authorization_request(request)
        if passwords is None:
            return _unknown(request)
        return _expired(request) if values is None else self._form(request, passwords, values)

    async def login(self, request: web.Request) -> web.StreamResponse:
        passwords, values = self._passwords(request), self._authorization_request(request)
        if passwords is None:
            return _unknown(request)
        if values is None:
            return _expired(request)
        if is_too_large(request):
            return message(request, "Sign in", "The form is too large.", status=413)
        form = await text_fields(request)
        login, password = form.get("login", ""), form.get("password", "")
        name, facts = passwords.throttled_name(login), {"address": client_address(request), "connector": passwords.id}
        throttle, known = self._context.throttle, KnownBrowser(self._context)
        attempt = SignInTry(name, facts["address"], known.name(request, passwords.id, name))
        if not await wait_turn(throttle, attempt):
            cause = " ".join(throttle.full_queue(attempt) or ())
            self._context.audit.record_once("login.throttled", cause, user=name, **facts)
            busy = Refusal(429, "Too many tries. Wait a minute, then try again.")
            return self._form(request, passwords, values, login, busy)
        is_near = is_of_this_machine(self._context.settings, request.host, facts["address"])
        checked = passwords.verified(login, password, is_near=is_near)
        user, _ = await asyncio.gather(checked, self._context.signing_keys.prepare())
        if isinstance(user, Refusal):
            if user.counts:
                throttle.failed(attempt)
            self._context.audit.record("login.failed", user=name, reason=user.reason, **facts)
            return self._form(request, passwords, values, login, user)
        throttle.succeeded(attempt)
        self._context.audit.record("login", user=user.email, **facts)
        response = self._authorized(values, user)
        known.remember(request, response, passwords.id, name)
        return response

    def _passwords(self, request: web.Request) -> LocalPasswords | DirectoryPasswords | None:
        return passwords_of(self._context, request.match_info["connector"])

    def _form(
        self,
        request: web.Request,
        passwords: LocalPasswords | DirectoryPasswords,
        values: dict[str, Any],
        login: str = "",
        refusal: Refusal | None = None,
    ) -> web.Response:
        say = speech_of(request.headers)
        local = [(LOCAL, say("a local account"))]
        named = [(one.id, one.name) for one in self._context.static_file.refresh().connectors]
        query = urlencode(values)
        return login_form(
            request.raw_path if request.raw_path.startswith("/dex/") else "",
            say,
            directory=passwords.name,
            prompt=passwords.prompt,
            login=login,
            error=refusal.text if refusal else "",
            status=refusal.status if refusal else 200,
            others=[(f"/dex/auth/{id}?{query}", name) for id, name in (*local, *named) if id != passwords.id],
            form_targets=_form_targets(str(values.get("redirect_uri", ""))),
        )

    def _authorized(self, values: dict[str, Any], user: User) -> web.Response:
        """The redirect with the code; 303, so that the browser does not send the password along."""
        answer = self._context.provider.authorize(values, user)
        if "Location" in answer.headers:
            return redirect(answer.headers["Location"], 303)
        return web.json_response(answer.body, status=answer.status)

    def _refusal(self, request: web.Request) -> web.Response | None:
        """What is wrong with an authorization request; shown here, unless a redirect can report it to the client."""
        if why := problem(request.query):
            return _refused(request, why)
        if is_own_request(request.query):
            return None  # checked again with the password, by the libraries that only then are needed
        answer = self._context.provider.problem_of(dict(request.query))
        if answer is None:
            return None
        if "Location" in answer.headers:
            return redirect(answer.headers["Location"])
        return _refused(request, str(answer.body.get("error_description") or answer.body.get("error") or ""))

    def _authorization_request(self, request: web.Request) -> dict[str, Any] | None:
        return self._requests.read(request.query.get("state", ""), time.time(), REQUEST_LIFE.total_seconds())

    # elsewhere

    async def _leave(self, request: web.Request) -> web.Response:
        name = request.match_info["connector"]
        elsewhere = self._context.sign_in_elsewhere(name)
        if elsewhere is None:
            return _unknown(request)
        try:
            url, memory = await elsewhere.departure()
        except ConnectorFailed as error:
            return message(request, "Sign-in failed", str(error), status=502, action=("/", "Try again"))
        kept = {"request": dict(request.query), "connector": name, "state": memory.state}
        kept |= {"nonce": memory.nonce, "verifier": memory.verifier}
        response = redirect(url)
        response.set_cookie(
            AWAY,
            self._away.sign(kept, time.time()),
            httponly=True,
            samesite="Lax",
            secure=is_secure(request, self._context.settings.origin),
            path="/dex/callback",
            max_age=int(AWAY_LIFE.total_seconds()),
        )
        return response

    async def arrive(self, request: web.Request) -> web.StreamResponse:
        kept = self._away.read(request.cookies.get(AWAY, ""), time.time(), AWAY_LIFE.total_seconds())
        if kept is None or kept["state"] != request.query.get("state"):
            return _expired(request)
        facts = {"address": client_address(request), "connector": str(kept["connector"])}
        elsewhere = self._context.sign_in_elsewhere(facts["connector"])
        if elsewhere is None or "code" not in request.query:
            why = request.query.get("error_description") or request.query.get("error") or "no code came back"
            return message(request, "Sign-in failed", why[:300], status=403, action=("/", "Try again"))
        memory = Departure(str(kept["state"]), str(kept["nonce"]), str(kept["verifier"]))
        try:
            user = await elsewhere.arrival(request.query["code"], memory)
            self._context.users.remember_external(user)
        except (ConnectorFailed, UserError) as error:
            self._context.audit.record_once("login.failed", facts["address"], reason=str(error), **facts)
            return message(request, "Sign-in failed", str(error), status=403, action=("/", "Try again"))
        self._context.audit.record("login", user=user.email, **facts)
        response = self._authorized(kept["request"], user)
        response.del_cookie(AWAY, path="/dex/callback")
        return response


def _refused(request: web.Request, why: str) -> web.Response:
    text = "The program that sent you here asked for something that is refused. {why}"
    return message(request, "Bad request", text, status=400, why=why)


def _unknown(request: web.Request) -> web.Response:
    return message(request, "Not found", "There is no such way to sign in.", status=404, action=("/", "Home"))


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
