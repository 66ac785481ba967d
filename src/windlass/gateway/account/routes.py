"""`/api/account`: sessions, access tokens, password and kubeconfig of the person who is signed in.

Credentials are made and ended in a session only: a token that could make tokens would never end.
"""

import asyncio
import secrets
import time
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from aiohttp import web

from windlass.formats import yaml_writer
from windlass.gateway.access.machine_viewers import set_withdrawn
from windlass.gateway.account import signed_in
from windlass.gateway.account.credentials import (
    MAX_TOKENS,
    new_password,
    new_token,
    remaining,
    session_row,
    token_row,
)
from windlass.gateway.account.kubeconfig import kubeconfig_of, read_cluster
from windlass.gateway.context import GatewayContext
from windlass.gateway.identity import passwords
from windlass.gateway.identity.users import UserError
from windlass.gateway.login.address import client_address
from windlass.gateway.login.protection import origin_problem
from windlass.gateway.login.throttle import SignInTry, wait_turn
from windlass.gateway.request import IDENTITY, Identity
from windlass.gateway.tokens.access_tokens import AccessToken, TokenError
from windlass.gateway.webapps.answers import HEADERS, Fields, answering, code_of, failure
from windlass.gateway.webapps.inputs import json_body
from windlass.kube.errors import AlreadyExists, ApiError, BadRequest, Conflict, Forbidden, NotFound, TooManyRequests
from windlass.kube.names import dns_label_errors

KUBECONFIG_LIFE = timedelta(days=30)

T = TypeVar("T")


def routes(context: GatewayContext) -> list[web.RouteDef]:
    account, base = _Account(context), "/api/account"
    return [
        web.get(f"{base}/session", answering(account.session)),
        web.get(f"{base}/sessions", answering(account.sessions)),
        web.delete(f"{base}/sessions/{{id}}", answering(account.end_session)),
        web.get(f"{base}/tokens", answering(account.tokens)),
        web.post(f"{base}/tokens", answering(account.make_token)),
        web.delete(f"{base}/tokens/{{id}}", answering(account.revoke_token)),
        web.post(f"{base}/password", answering(account.change_password)),
        web.get(f"{base}/kubeconfig", account.kubeconfig),
        web.delete(f"{base}/machine-view", answering(account.end_machine_view)),
        web.get(signed_in.PATH, signed_in.answer),
        web.get(signed_in.SCRIPT_PATH, signed_in.script),
    ]


class _Account:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context

    async def session(self, request: web.Request) -> Fields:
        """How long the caller stays signed in. Asking counts as use, as every request does."""
        identity = request[IDENTITY]
        now = time.time()
        found = [one for one in self._context.sessions.list(identity.user) if one.name == identity.session]
        return {"proof": identity.proof, "session": remaining(found[0], now) if found else None}

    async def sessions(self, request: web.Request) -> Fields:
        identity = _signed_in(request)
        listed = self._context.sessions.list(identity.user)
        return {"sessions": [session_row(session, identity.session) for session in listed]}

    async def end_session(self, request: web.Request) -> Fields:
        identity, name = _signed_in(request), request.match_info["id"]
        if not self._context.sessions.revoke(identity.user, name):
            raise NotFound("there is no such session")
        self._audit("session.revoked", request, session=name)
        return {}

    async def end_machine_view(self, request: web.Request) -> Fields:
        """Withdraw the machine view. Only a command on the machine allows it again."""
        identity = _signed_in(request)
        if not identity.has_machine_view:
            raise Forbidden("you do not have the machine view")
        set_withdrawn(self._context.database, withdrawn=True)
        self._audit("machine-view.withdrawn", request)
        return {}

    async def tokens(self, request: web.Request) -> Fields:
        return {"tokens": [token_row(token) for token in self._current_tokens(_signed_in(request))]}

    async def make_token(self, request: web.Request) -> Fields:
        """The only answer that has the token itself."""
        identity, wanted = _signed_in(request), new_token(await json_body(request))
        listed = self._current_tokens(identity)
        if any(token.name == wanted.name for token in listed):
            raise AlreadyExists(
                f"name: there is a token {wanted.name} already. Revoke it first, or choose another name"
            )
        if len(listed) >= MAX_TOKENS:
            raise Conflict(f"there are {MAX_TOKENS} tokens already. Revoke some first")
        try:
            value = self._context.access_tokens.create(identity.user, wanted.name, wanted.life, wanted.scopes)
        except TokenError as error:
            raise BadRequest(str(error)) from error
        self._audit("token.created", request, token=wanted.name)
        row = next(token_row(token) for token in self._current_tokens(identity) if token.name == wanted.name)
        return {"token": {**row, "value": value}}

    async def revoke_token(self, request: web.Request) -> Fields:
        identity, name = _signed_in(request), request.match_info["id"]
        if not self._context.access_tokens.revoke(identity.user, name):
            raise NotFound(f"there is no token {name}")
        self._audit("token.revoked", request, token=name)
        return {}

    async def change_password(self, request: web.Request) -> Fields:
        """All other sessions end; access tokens stay, since they were not made from the password."""
        identity, context = _signed_in(request), self._context
        current, new = new_password(await json_body(request))
        user = context.users.find(identity.user)
        if user is None or user.source != "local":
            where = user.source if user is not None else "nowhere"
            raise Conflict(f"the password of {identity.user} is not kept here: the user is one of {where}")
        attempt = SignInTry(identity.user, client_address(request), known_browser=f"{identity.user} {identity.session}")
        if not await wait_turn(context.throttle, attempt):
            raise TooManyRequests("too many tries. Wait a minute, then try again")
        if not await self._hashing(passwords.verify_password, user.password_hash, current):
            context.throttle.failed(attempt)
            self._audit("user.password.failed", request)
            raise Forbidden("current: that is not your password")
        if why := passwords.weakness(new):
            raise BadRequest(f"new: {why}")
        hashed = await self._hashing(passwords.hash_password, new)
        try:
            context.users.set_password_hash(identity.user, hashed)
        except UserError as error:
            raise Conflict(str(error)) from error
        context.throttle.succeeded(attempt)
        ended = context.sessions.revoke_others(identity.user, identity.session)
        self._audit("user.password", request)
        return {"sessionsEnded": ended}

    async def kubeconfig(self, request: web.Request) -> web.StreamResponse:
        try:
            return self._kubeconfig(request)
        except ApiError as error:
            return failure(request[IDENTITY].user, code_of(error), error.message)

    def _kubeconfig(self, request: web.Request) -> web.Response:
        """A file with a new token in it. No other site may make a browser fetch one."""
        identity, settings = _signed_in(request), self._context.settings
        if why := origin_problem(self._context, request, method="POST"):
            raise Forbidden(why)
        namespace = request.query.get("namespace", "")
        if namespace and (errors := dns_label_errors(namespace)):
            raise BadRequest(f"namespace: {errors[0]}")
        cluster = read_cluster(settings.api_kubeconfig, settings.api_context) if settings.api_kubeconfig else None
        if cluster is None:
            raise NotFound("this gateway was not given a kubeconfig of its API server")
        if len(self._current_tokens(identity)) >= MAX_TOKENS:
            raise Conflict(f"there are {MAX_TOKENS} tokens already. Revoke some first")
        name = f"kubeconfig-{secrets.token_hex(4)}"
        token = self._context.access_tokens.create(identity.user, name, KUBECONFIG_LIFE, ["api"])
        self._audit("token.created", request, token=name)
        return web.Response(
            text=yaml_writer.write(kubeconfig_of(identity.user, token, cluster, namespace), ascii_only=True),
            content_type="application/yaml",
            headers={**HEADERS, "Content-Disposition": 'attachment; filename="kubeconfig.yaml"'},
        )

    def _current_tokens(self, identity: Identity) -> list[AccessToken]:
        now = time.time()
        return [token for token in self._context.access_tokens.list(identity.user) if token.expires > now]

    async def _hashing(self, work: Callable[..., T], *values: str) -> T:
        """Hashes are slow and large on purpose: not on the event loop, and few at a time."""
        async with self._context.hashing:
            return await asyncio.to_thread(work, *values)

    def _audit(self, event: str, request: web.Request, **facts: str) -> None:
        self._context.audit.record(event, user=request[IDENTITY].user, address=client_address(request), **facts)


def _signed_in(request: web.Request) -> Identity:
    identity = request[IDENTITY]
    if identity.proof != "session":
        raise Forbidden("credentials are changed in a session: sign in with a browser")
    return identity
