"""The OpenID Connect provider's routes, with dex's paths, query parameters and codes."""

import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

from windlass.gateway.context import GatewayContext
from windlass.gateway.identity import sign_in
from windlass.gateway.identity.clients import SCOPES
from windlass.gateway.identity.form_fields import is_too_large, text_fields
from windlass.gateway.identity.signing_keys import ALGORITHM, BadToken
from windlass.gateway.identity.user import User
from windlass.gateway.page import message


def routes(context: GatewayContext) -> list[web.RouteDef]:
    routes = ProviderRoutes(context)
    return [
        *sign_in.routes(context),
        web.get("/dex/.well-known/openid-configuration", routes.discovery),
        web.get("/dex/keys", routes.keys),
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

    async def approval(self, request: web.Request) -> web.Response:
        """dex's page for consent, which is skipped: the clients are those of the administrator."""
        return message(
            request, "Nothing to approve", "Programs here need no approval.", status=404, action=("/", "Home")
        )

    # for clients

    async def token(self, request: web.Request) -> web.Response:
        return await self._answered(request, lambda form: self._context.provider.token(form, request.headers))

    async def introspect(self, request: web.Request) -> web.Response:
        return await self._answered(request, lambda form: self._context.provider.introspect(form, request.headers))

    async def _answered(self, request: web.Request, ask: Callable[[dict[str, str]], Any]) -> web.Response:
        if is_too_large(request):
            return web.json_response({"error": "invalid_request"}, status=413)
        answer = ask(await text_fields(request))
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
