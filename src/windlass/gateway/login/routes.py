"""/oauth2/*: oauth2-proxy's routes. Sign-in runs through the provider below /dex/ as any client's would, with PKCE."""

import base64
import hashlib
import hmac
import secrets
import time
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from windlass.gateway.context import GatewayContext
from windlass.gateway.identity.clients import OWN_CLIENT, OWN_REDIRECT
from windlass.gateway.identity.own_requests import own_request
from windlass.gateway.identity.signed import Signer
from windlass.gateway.identity.signing_keys import BadToken
from windlass.gateway.login.address import client_address
from windlass.gateway.login.authentication import of_bearer, of_session
from windlass.gateway.login.links import SignInLinks
from windlass.gateway.login.protection import origin_problem
from windlass.gateway.page import message
from windlass.gateway.redirect import redirect
from windlass.gateway.request import Identity
from windlass.gateway.sessions import cookies
from windlass.gateway.sessions.origin import own_origins
from windlass.gateway.sessions.redirects import HOME, safe_target

SIGN_IN_LIFE = timedelta(hours=24)  # as long as the login page may stay open


def routes(context: GatewayContext) -> list[web.RouteDef]:
    routes = LoginRoutes(context)
    return [
        web.get("/oauth2/start", routes.start),
        web.get("/oauth2/sign_in", routes.start),
        web.get(OWN_REDIRECT, routes.callback),
        web.get("/oauth2/sign_out", routes.sign_out),
        web.post("/oauth2/sign_out", routes.sign_out),
        web.get("/logout", routes.sign_out),
        web.post("/logout", routes.sign_out),
        web.get("/oauth2/auth", routes.auth),
        web.get("/oauth2/userinfo", routes.userinfo),
        web.get("/oauth2/link", routes.link),
        web.get("/oauth2/sessions", routes.sessions),
        web.delete("/oauth2/sessions/{name}", routes.revoke),
        web.post("/oauth2/sessions/{name}/revoke", routes.revoke_by_form),
    ]


class LoginRoutes:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context
        self._links = SignInLinks(context.database)

    @property
    def _states(self) -> Signer:
        return self._context.signer("sign-in state")

    @property
    def _browsers(self) -> Signer:
        return self._context.signer("sign-in browser")

    # signing in

    async def start(self, request: web.Request) -> web.Response:
        """To the provider. The state is bound to this browser by a cookie, which all its tabs share."""
        now, nonce = time.time(), secrets.token_urlsafe(24)
        browser = self._browser(request) or secrets.token_urlsafe(24)
        target = safe_target(request.query.get("rd"), self._own_origins(request))
        state = self._states.sign({"browser": _digest(browser), "nonce": nonce, "rd": target}, now)
        query = own_request(state=state, nonce=nonce, verifier=self._verifier(nonce))
        response = _redirect(f"/dex/auth?{urlencode(query)}")
        response.set_cookie(
            cookies.SIGN_IN,
            self._browsers.sign({"browser": browser}, now),
            httponly=True,
            samesite="Lax",
            secure=self._is_secure(request),
            path="/oauth2",
            max_age=int(SIGN_IN_LIFE.total_seconds()),
        )
        return response

    async def callback(self, request: web.Request) -> web.StreamResponse:
        state = self._states.read(request.query.get("state", ""), time.time(), SIGN_IN_LIFE.total_seconds())
        browser = self._browser(request)
        if state is None or not browser or not hmac.compare_digest(str(state["browser"]), _digest(browser)):
            if of_session(self._context, request) is not None:
                return _redirect(safe_target(str(state["rd"])) if state else HOME)  # another tab was faster
            return _failed(request, "It was started too long ago, or in another browser.", status=403)
        if "code" not in request.query:
            return _failed(
                request, str(request.query.get("error_description") or request.query.get("error") or ""), status=403
            )
        email = self._redeemed(request.query["code"], str(state["nonce"]))
        if email is None:
            return _failed(request, "The code that came back was used already, or is too old.", status=403)
        response = _redirect(safe_target(str(state["rd"])))
        self._sign_in(request, response, email)
        response.del_cookie(cookies.SIGN_IN, path="/oauth2")
        return response

    def _redeemed(self, code: str, nonce: str) -> str | None:
        """The e-mail address of the ID token that the code stands for."""
        client = self._context.own_client
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": OWN_REDIRECT,
            "client_id": client.client_id,
            "client_secret": client.secret,
            "code_verifier": self._verifier(nonce),
        }
        answer = self._context.provider.token(form, {})
        if answer.status != 200:
            return None
        try:
            claims = self._context.signing_keys.verify(str(answer.body["id_token"]), OWN_CLIENT)
        except BadToken:
            return None
        return str(claims["email"]) if claims.get("nonce") == nonce else None

    async def link(self, request: web.Request) -> web.Response:
        """A link of `windlass open`: signs in once."""
        email = self._links.redeem(request.query.get("token", ""))
        if email is None or self._context.users.find(email) is None:
            address = client_address(request)
            self._context.audit.record_once("login.failed", f"link {address}", connector="link", address=address)
            return _failed(request, "The link was used already, or is older than a minute.", status=403)
        response = _redirect(safe_target(request.query.get("rd")))
        self._sign_in(request, response, email, by_link=True)
        self._context.audit.record("login", user=email, address=client_address(request), connector="link")
        return response

    def _sign_in(
        self, request: web.Request, response: web.StreamResponse, email: str, *, by_link: bool = False
    ) -> None:
        agent = request.headers.get("User-Agent", "")
        value = self._context.sessions.start(email, address=client_address(request), user_agent=agent, by_link=by_link)
        compat = self._context.settings.is_loopback
        cookies.set_session(response, value, secure=self._is_secure(request), compat=compat)

    def _verifier(self, nonce: str) -> str:
        """PKCE's verifier, which need not be kept: it follows from the nonce and a secret of ours."""
        digest = hmac.digest(self._context.own_secrets.signing.encode(), f"pkce {nonce}".encode(), "sha256")
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def _browser(self, request: web.Request) -> str:
        given = request.cookies.get(cookies.SIGN_IN, "")
        kept = self._browsers.read(given, time.time(), SIGN_IN_LIFE.total_seconds())
        return str(kept["browser"]) if kept else ""

    def _is_secure(self, request: web.Request) -> bool:
        return cookies.is_secure(request, self._context.settings.origin)

    def _own_origins(self, request: web.Request) -> tuple[str, ...]:
        return own_origins(request.host, self._context.settings.origin)

    # being signed in

    async def sign_out(self, request: web.Request) -> web.Response:
        identity = of_session(self._context, request)
        if identity is not None and origin_problem(self._context, request) is None:
            self._context.sessions.revoke(identity.user, identity.session)
            self._context.audit.record("logout", user=identity.user, address=client_address(request))
        response = _redirect(safe_target(request.query.get("rd"), self._own_origins(request)))
        cookies.clear_session(request, response, secure=self._is_secure(request))
        return response

    async def auth(self, request: web.Request) -> web.Response:
        """202 for a caller who is signed in, for proxies that ask; else 401."""
        identity = await self._identity(request)
        if identity is None:
            return web.Response(status=401, text="Unauthorized\n")
        headers = {
            "X-Auth-Request-User": identity.user,
            "X-Auth-Request-Email": identity.user,
            "X-Auth-Request-Groups": ",".join(identity.groups),
        }
        return web.Response(status=202, headers=headers)

    async def userinfo(self, request: web.Request) -> web.Response:
        identity = await self._identity(request)
        if identity is None:
            return _unauthorized()
        user = self._context.users.find(identity.user)
        facts: dict[str, Any] = {"user": identity.user, "email": identity.user, "groups": list(identity.groups)}
        facts["preferredUsername"] = user.username if user is not None else identity.user
        return web.json_response(facts, headers={"Cache-Control": "no-store"})

    async def sessions(self, request: web.Request) -> web.Response:
        identity = of_session(self._context, request)
        if identity is None:
            return _unauthorized()
        listed = [
            {
                "name": session.name,
                "created": int(session.created),
                "lastUsed": int(session.last_used),
                "expires": int(session.expires()),
                "address": session.address,
                "userAgent": session.user_agent,
                "current": session.name == identity.session,
            }
            for session in self._context.sessions.list(identity.user)
        ]
        return web.json_response({"sessions": listed}, headers={"Cache-Control": "no-store"})

    async def revoke(self, request: web.Request) -> web.Response:
        identity = of_session(self._context, request)
        if identity is None:
            return _unauthorized()
        if why := origin_problem(self._context, request):
            return web.json_response({"success": False, "status": 403, "log": why}, status=403)
        if not self._context.sessions.revoke(identity.user, request.match_info["name"]):
            return web.json_response({"success": False, "status": 404, "log": "no such session"}, status=404)
        self._context.audit.record("session.revoked", user=identity.user, session=request.match_info["name"])
        return web.json_response({"success": True, "status": 200})

    async def revoke_by_form(self, request: web.Request) -> web.Response:
        answer = await self.revoke(request)
        return _redirect(HOME, 303) if answer.status in (200, 404) else answer

    async def _identity(self, request: web.Request) -> Identity | None:
        authorization = request.headers.get("Authorization")
        if authorization is None:
            return of_session(self._context, request)
        return await of_bearer(self._context, authorization, request.path)


def _redirect(location: str, status: int = 302) -> web.Response:
    return redirect(location, status, Referrer_Policy="no-referrer")


def _failed(request: web.Request, why: str, *, status: int) -> web.Response:
    text = why[:300] or "No code came back."
    return message(request, "Sign-in failed", text, status=status, action=(HOME, "Sign in again"))


def _unauthorized() -> web.Response:
    return web.json_response({"success": False, "status": 401, "log": "sign in first"}, status=401)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
