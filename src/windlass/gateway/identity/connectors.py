"""External OpenID Connect issuers: where a browser is sent to sign in there, and who comes back.

Authlib builds and reads the OAuth messages, joserfc verifies the ID token, aiohttp carries both. The administrator has
named the issuer's host, so it may be at any address. Other hosts that the issuer names for its keys and tokens must be
at public ones: an issuer is no way into the networks of the gateway.
"""

import secrets
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast
from urllib.parse import urlsplit

from windlass.gateway.identity.emails import group_problem, normalised, problem
from windlass.gateway.identity.own_requests import challenge_of
from windlass.gateway.identity.user import User

METADATA_LIFE = timedelta(minutes=10)
TIMEOUT = timedelta(seconds=10)
LARGEST_ANSWER = 1 << 20  # bytes
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]


class IssuerFailed(Exception):
    """The external issuer cannot be used now, or says something that cannot be accepted."""


@dataclass(frozen=True)
class Connector:
    """One external issuer, as the users file describes it."""

    id: str
    name: str
    issuer: str
    client_id: str
    client_secret: str
    scopes: tuple[str, ...] = ("openid", "email", "profile")
    groups_claim: str = "groups"
    trusts_unverified_email: bool = False


@dataclass(frozen=True)
class Departure:
    """What must be remembered while the browser is at the issuer."""

    state: str
    nonce: str
    verifier: str


class ExternalIssuer:
    """One connector at work; keeps the issuer's metadata and keys for `METADATA_LIFE`."""

    def __init__(self, connector: Connector, redirect_uri: str) -> None:
        self.connector = connector
        self._redirect_uri = redirect_uri
        self._metadata: dict[str, Any] = {}
        self._keys: dict[str, Any] = {}
        self._fetched = float("-inf")

    async def departure(self) -> tuple[str, Departure]:
        """Where to send the browser, and what to remember for its return."""
        from windlass.gateway.identity.oauth import authorization_url

        await self._refresh()
        memory = Departure(secrets.token_urlsafe(24), secrets.token_urlsafe(24), secrets.token_urlsafe(48))
        uri = authorization_url(
            str(self._metadata["authorization_endpoint"]),
            self.connector.client_id,
            redirect_uri=self._redirect_uri,
            scope=" ".join(self.connector.scopes),
            state=memory.state,
            nonce=memory.nonce,
            code_challenge=challenge_of(memory.verifier),
            code_challenge_method="S256",
        )
        return uri, memory

    async def arrival(self, code: str, memory: Departure) -> User:
        """The user that the issuer names for a code. Raises IssuerFailed."""
        await self._refresh()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_uri,
            "client_id": self.connector.client_id,
            "client_secret": self.connector.client_secret,
            "code_verifier": memory.verifier,
        }
        answer = await self._fetch(str(self._metadata["token_endpoint"]), {key: v for key, v in form.items() if v})
        if "id_token" not in answer:
            raise IssuerFailed(f"{self.connector.name} answers without an ID token")
        return user_of(self.connector, self._claims(str(answer["id_token"]), memory.nonce))

    def _claims(self, token: str, nonce: str) -> dict[str, Any]:
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        try:
            decoded = jwt.decode(token, KeySet.import_key_set(cast(Any, self._keys)), ALGORITHMS)
            jwt.JWTClaimsRegistry(
                now=int(time.time()),
                leeway=60,
                iss={"essential": True, "value": self._metadata["issuer"]},
                aud={"essential": True, "value": self.connector.client_id},
                exp={"essential": True},
                nonce={"essential": True, "value": nonce},
            ).validate(decoded.claims)
        except (JoseError, ValueError) as error:
            raise IssuerFailed(f"the ID token of {self.connector.name} is not valid: {error}") from error
        return decoded.claims

    async def _refresh(self) -> None:
        if time.monotonic() - self._fetched < METADATA_LIFE.total_seconds():
            return
        metadata = await self._fetch(f"{self.connector.issuer}/.well-known/openid-configuration")
        if str(metadata.get("issuer", "")).rstrip("/") != self.connector.issuer:
            raise IssuerFailed(f"{self.connector.issuer} calls itself {metadata.get('issuer')!r}")
        missing = {*ENDPOINTS} - metadata.keys()
        if missing:
            raise IssuerFailed(f"{self.connector.issuer} does not say its {', '.join(sorted(missing))}")
        for name in ENDPOINTS:
            check_endpoint(self.connector.issuer, name, str(metadata[name]))
        self._keys = await self._fetch(str(metadata["jwks_uri"]))
        self._metadata, self._fetched = metadata, time.monotonic()

    async def _fetch(self, url: str, form: dict[str, str] | None = None) -> dict[str, Any]:
        return await _fetch(url, form, exempt=urlsplit(self.connector.issuer).hostname or "")


def check_endpoint(issuer: str, name: str, url: str) -> None:
    """Raise IssuerFailed for an address of an endpoint that is not used.

    It must be HTTP, and HTTPS where the issuer is, since a client secret is sent there. An address in figures must be
    public unless it is that of the issuer; names are checked when they are resolved.
    """
    from windlass.kube.public_addresses import is_address, is_public  # brings aiohttp, which the supervisor lacks

    try:
        own, parts = urlsplit(issuer), urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise IssuerFailed(f"{issuer} names a {name} that is no URL") from error
    schemes = ("https",) if own.scheme == "https" else ("https", "http")
    if parts.scheme not in schemes or not host or parts.username is not None:
        raise IssuerFailed(f"{issuer} names a {name} that cannot be used: {url[:200]!r}")
    if host != own.hostname and is_address(host) and not is_public(host):
        raise IssuerFailed(f"{issuer} names a {name} at {host}, which is not a public address")


def user_of(connector: Connector, claims: dict[str, Any]) -> User:
    """The user whom an external issuer's claims describe. Raises IssuerFailed where they name nobody."""
    email = normalised(str(claims.get("email") or ""))
    if why := problem(email):
        raise IssuerFailed(f"{connector.name} names no usable e-mail address: {why}")
    if claims.get("email_verified", True) is not True and not connector.trusts_unverified_email:
        raise IssuerFailed(f"{connector.name} has not verified {email}")
    listed: Any = claims.get(connector.groups_claim) or []
    groups = cast(list[Any], listed) if isinstance(listed, list) else [listed]
    return User(
        email=email,
        username=str(claims.get("preferred_username") or claims.get("name") or email.partition("@")[0])[:254],
        user_id=str(claims.get("sub") or email),
        groups=tuple(group for group in groups if isinstance(group, str) and group_problem(group) is None),
        source=connector.id,
    )


async def _fetch(url: str, form: dict[str, str] | None = None, *, exempt: str) -> dict[str, Any]:
    """`exempt`: the host that may be at any address."""
    import aiohttp

    from windlass.kube.public_addresses import PublicResolver

    timeout = aiohttp.ClientTimeout(total=TIMEOUT.total_seconds())
    resolver = PublicResolver(lambda host: host == exempt)
    try:
        async with (
            aiohttp.ClientSession(
                timeout=timeout, connector=aiohttp.TCPConnector(resolver=resolver, use_dns_cache=False)
            ) as session,
            session.request(
                "POST" if form else "GET", url, data=form, allow_redirects=False, headers={"Accept": "application/json"}
            ) as answer,
        ):
            body = await answer.content.read(LARGEST_ANSWER)
            if answer.status != 200:
                raise IssuerFailed(f"{url} answers {answer.status}")
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise IssuerFailed(f"{url} does not answer: {error or type(error).__name__}") from error
    return _object(url, body)


def _object(url: str, body: bytes) -> dict[str, Any]:
    import json

    try:
        found: Any = json.loads(body)
    except ValueError as error:
        raise IssuerFailed(f"{url} does not answer in JSON") from error
    if not isinstance(found, dict):
        raise IssuerFailed(f"{url} does not answer with an object")
    return cast(dict[str, Any], found)
