"""External OpenID Connect issuers: where a browser is sent to sign in there, and who comes back.

Authlib builds and reads the OAuth messages, joserfc verifies the ID token, aiohttp carries both.
"""

import secrets
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, cast
from urllib.parse import urlsplit

from windlass.gateway.identity.connectors.connector import OidcConnector
from windlass.gateway.identity.connectors.departure import ConnectorFailed, Departure
from windlass.gateway.identity.connectors.http_client import ConnectorClient, check_endpoint
from windlass.gateway.identity.emails import group_problem, normalised, problem
from windlass.gateway.identity.own_requests import challenge_of
from windlass.gateway.identity.user import User

METADATA_LIFE = timedelta(minutes=10)
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
LONGEST_NAME = 254


class ExternalIssuer:
    """One connector at work; keeps the issuer's metadata and keys for `METADATA_LIFE`."""

    def __init__(self, connector: OidcConnector, redirect_uri: str) -> None:
        self.connector = connector
        self._redirect_uri = connector.redirect_uri or redirect_uri
        self._http = ConnectorClient(urlsplit(connector.issuer).hostname or "", connector.trust)
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
            **dict(self.connector.parameters),
        )
        return uri, memory

    async def arrival(self, code: str, memory: Departure) -> User:
        """The user that the issuer names for a code. Raises ConnectorFailed."""
        await self._refresh()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_uri,
            "client_id": self.connector.client_id,
            "client_secret": self.connector.client_secret,
            "code_verifier": memory.verifier,
        }
        sent = {key: value for key, value in form.items() if value}
        answer = (await self._http.fetch(str(self._metadata["token_endpoint"]), sent)).object()
        if "id_token" not in answer:
            raise ConnectorFailed(f"{self.connector.name} answers without an ID token")
        claims = self._claims(str(answer["id_token"]), memory.nonce)
        if self.connector.reads_userinfo:
            claims |= await self._userinfo(str(answer.get("access_token", "")), claims)
        return user_of(self.connector, claims)

    async def _userinfo(self, access_token: str, claims: Mapping[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {access_token}"}
        info = (await self._http.fetch(str(self._metadata["userinfo_endpoint"]), headers=headers)).object()
        if info.get("sub") != claims.get("sub"):
            raise ConnectorFailed(f"{self.connector.name} answers with the userinfo of another user")
        return info

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
        except (JoseError, ValueError, RecursionError) as error:
            raise ConnectorFailed(f"the ID token of {self.connector.name} is not valid: {error}") from error
        return decoded.claims

    async def check(self) -> None:
        """Raises ConnectorFailed where the issuer does not answer as it should."""
        await self._refresh()

    async def _refresh(self) -> None:
        if time.monotonic() - self._fetched < METADATA_LIFE.total_seconds():
            return
        issuer = self.connector.issuer
        metadata = (await self._http.fetch(f"{issuer}/.well-known/openid-configuration")).object()
        if str(metadata.get("issuer", "")).rstrip("/") != issuer:
            raise ConnectorFailed(f"{issuer} calls itself {metadata.get('issuer')!r}")
        needed = (*ENDPOINTS, "userinfo_endpoint") if self.connector.reads_userinfo else ENDPOINTS
        missing = {*needed} - metadata.keys()
        if missing:
            raise ConnectorFailed(f"{issuer} does not say its {', '.join(sorted(missing))}")
        for name in needed:
            check_endpoint(issuer, name, str(metadata[name]))
        self._keys = (await self._http.fetch(str(metadata["jwks_uri"]))).object()
        self._metadata, self._fetched = metadata, time.monotonic()


def user_of(connector: OidcConnector, claims: Mapping[str, Any]) -> User:
    """The user whom an external issuer's claims describe. Raises ConnectorFailed where they name nobody."""
    email = normalised(_first_text(claims, connector.email_claims))
    if why := problem(email):
        raise ConnectorFailed(f"{connector.name} names no usable e-mail address: {why}")
    if claims.get("email_verified", True) is not True and not connector.trusts_unverified_email:
        raise ConnectorFailed(f"{connector.name} has not verified {email}")
    if connector.hosted_domains and claims.get("hd") not in connector.hosted_domains:
        raise ConnectorFailed(f"{email} is in none of the domains {', '.join(connector.hosted_domains)}")
    return User(
        email=email,
        username=(_first_text(claims, connector.name_claims) or email.partition("@")[0])[:LONGEST_NAME],
        user_id=_first_text(claims, (*connector.id_claims, "sub")) or email,
        groups=_allowed(connector, email, _groups(claims, connector.groups_claims)),
        source=connector.id,
    )


def _first_text(claims: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((str(claims[name]) for name in names if claims.get(name)), "")


def _groups(claims: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    listed: Any = next((claims[name] for name in names if claims.get(name)), None)
    groups = cast(list[Any], listed) if isinstance(listed, list) else [listed]
    return tuple(group for group in groups if isinstance(group, str) and group_problem(group) is None)


def _allowed(connector: OidcConnector, email: str, groups: tuple[str, ...]) -> tuple[str, ...]:
    if not connector.allowed_groups:
        return groups
    allowed = tuple(group for group in groups if group in connector.allowed_groups)
    if not allowed:
        raise ConnectorFailed(f"{email} is in none of the groups that may sign in")
    return groups if connector.keeps_other_groups else allowed
