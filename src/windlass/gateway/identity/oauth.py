"""Authlib's authorization server on the gateway's database: authorization code with PKCE, refresh, introspection.

Authlib decides what is valid; here are only storage and claims. Imported with the first sign-in.
"""

# Authlib has no types of its own, and those of typeshed describe another version's base classes.
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportIncompatibleMethodOverride=false
# pyright: reportOptionalMemberAccess=false, reportReturnType=false

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from authlib.oauth2.rfc6749 import AuthorizationServer, OAuth2Request
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from authlib.oidc.core.grants import OpenIDCode
from authlib.oidc.core.grants.util import create_half_hash

from windlass.gateway.database import Database
from windlass.gateway.identity.clients import SCOPES, OAuthClient
from windlass.gateway.identity.parameters import problem
from windlass.gateway.identity.signing_keys import ALGORITHM, TOKEN_LIFE, BadToken, SigningKeys
from windlass.gateway.identity.user import User
from windlass.gateway.identity.users import Users

CODE_LIFE = timedelta(minutes=1)
REFRESH_LIFE = timedelta(days=7)  # without use; the same as a session's longest life
CLIENT_AUTH = ["client_secret_basic", "client_secret_post", "none"]


def authorization_url(endpoint: str, client_id: str, **parameters: str) -> str:
    """Where to send a browser for a code."""
    return str(prepare_grant_uri(endpoint, client_id, "code", **parameters))


class OAuthAnswer(NamedTuple):
    """What the server answers, before it is HTTP."""

    status: int
    body: Any
    headers: dict[str, str]


@dataclass(frozen=True)
class IssuedCode:
    """An authorization code as it was saved; Authlib's `AuthorizationCodeMixin`."""

    client_id: str
    email: str
    redirect_uri: str
    scope: str
    nonce: str
    code_challenge: str
    code_challenge_method: str
    auth_time: int
    hash: bytes = b""

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope

    def get_nonce(self) -> str:
        return self.nonce

    def get_auth_time(self) -> int:
        return 0  # dex's ID tokens have no auth_time

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> None:
        return None


@dataclass(frozen=True)
class RefreshToken:
    """A refresh token as it was saved; Authlib's `TokenMixin`."""

    hash: bytes
    client_id: str
    email: str
    scope: str
    expires: float

    def check_client(self, client: OAuthClient) -> bool:
        return client.client_id == self.client_id

    def get_scope(self) -> str:
        return self.scope

    def is_expired(self) -> bool:
        return self.expires < time.time()

    def is_revoked(self) -> bool:
        return False


def _readable(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers, without credentials that are not base64 of UTF-8: Authlib raises ValueError on those."""
    scheme, _, credentials = headers.get("Authorization", "").partition(" ")
    try:
        if scheme.lower() == "basic":
            base64.b64decode(credentials.strip()).decode()
    except ValueError:
        return {name: value for name, value in headers.items() if name.lower() != "authorization"}
    return dict(headers)


class _Request(OAuth2Request):
    def __init__(self, method: str, values: Mapping[str, str], headers: Mapping[str, str]) -> None:
        # Authlib refuses http here. TLS is not its business: the gateway refuses to listen without it elsewhere.
        super().__init__(method, "https://gateway", headers=_readable(headers))
        self.payload = BasicOAuth2Payload(dict(values))
        self._values = dict(values)

    @property
    def args(self) -> dict[str, str]:
        return self._values

    @property
    def form(self) -> dict[str, str]:
        return self._values


class Provider(AuthorizationServer):
    """Issues codes and tokens for `users` to `client_of`."""

    def __init__(
        self,
        database: Database,
        users: Users,
        keys: SigningKeys,
        issuer: str,
        client_of: Callable[[str], OAuthClient | None],
    ) -> None:
        super().__init__(scopes_supported=list(SCOPES))
        self.database, self.users, self.keys, self.issuer = database, users, keys, issuer
        self._client_of = client_of
        self.register_token_generator(
            "default",
            BearerTokenGenerator(self._access_token, _refresh_token, int(TOKEN_LIFE.total_seconds())),
        )
        self.register_grant(_CodeGrant, [_IdToken(self), CodeChallenge(required=True)])
        self.register_grant(_RefreshGrant, [_IdToken(self)])
        self.register_endpoint(_Introspection)

    # what callers use

    def problem_of(self, values: Mapping[str, str]) -> OAuthAnswer | None:
        """Why an authorization request is refused; None when it is not."""
        from authlib.oauth2 import OAuth2Error

        if refusal := _refusal(values):
            return refusal
        request = _Request("GET", values, {})
        try:
            grant = self.get_authorization_grant(request)
            grant.validate_authorization_request()
        except OAuth2Error as error:
            error.state = values.get("state")
            return self.handle_error_response(request, error)
        return None

    def authorize(self, values: Mapping[str, str], user: User) -> OAuthAnswer:
        """The redirect with a code for a user who has proven who they are."""
        request = _Request("GET", values, {})
        return self.create_authorization_response(request, grant_user=user, grant=self.get_authorization_grant(request))

    def token(self, form: Mapping[str, str], headers: Mapping[str, str]) -> OAuthAnswer:
        self.forget_expired()
        return _refusal(form) or self.create_token_response(_Request("POST", form, headers))

    def introspect(self, form: Mapping[str, str], headers: Mapping[str, str]) -> OAuthAnswer:
        return _refusal(form) or self.create_endpoint_response("introspection", _Request("POST", form, headers))

    def claims_of(self, user: User, scope: str) -> dict[str, Any]:
        """What is said of a user, by scope; dex's claims."""
        wanted = scope.split()
        claims: dict[str, Any] = {"sub": user.user_id}
        if "email" in wanted:
            claims |= {"email": user.email, "email_verified": True}
        if "groups" in wanted:
            claims["groups"] = list(user.groups)
        if "profile" in wanted:
            claims |= {"name": user.username, "preferred_username": user.username}
        return claims

    def signed(self, client: OAuthClient, user: User, scope: str, **more: Any) -> str:
        now = int(time.time())
        standard = {
            "iss": self.issuer,
            "aud": client.client_id,
            "iat": now,
            "exp": now + int(TOKEN_LIFE.total_seconds()),
        }
        return self.keys.sign({**standard, **self.claims_of(user, scope), **more})

    def forget_expired(self) -> None:
        now = time.time()
        for table in ("codes", "refresh_tokens"):
            if self.database.read(f"SELECT 1 FROM {table} WHERE expires < ? LIMIT 1", now):
                self.database.write(f"DELETE FROM {table} WHERE expires < ?", now)

    # what Authlib asks for

    def query_client(self, client_id: str) -> OAuthClient | None:
        return self._client_of(client_id)

    def save_token(self, token: dict[str, Any], request: OAuth2Request) -> None:
        """Keep a refresh token; access tokens and ID tokens prove themselves."""
        if "refresh_token" not in token:
            return
        self.database.write(
            "INSERT INTO refresh_tokens VALUES (?, ?, ?, ?, ?)",
            hashed(token["refresh_token"]),
            request.client.client_id,
            request.user.email,
            token.get("scope", ""),
            time.time() + REFRESH_LIFE.total_seconds(),
        )

    def create_oauth2_request(self, request: OAuth2Request) -> OAuth2Request:
        return request

    def handle_response(self, status: int, body: Any, headers: Any) -> OAuthAnswer:
        return OAuthAnswer(status, body, dict(headers))

    def send_signal(self, name: str, *args: Any, **kwargs: Any) -> None:
        pass

    def _access_token(self, client: OAuthClient, grant_type: str, user: User, scope: str) -> str:
        return self.signed(client, user, scope, jti=secrets.token_urlsafe(16))


def _refusal(values: Mapping[str, str]) -> OAuthAnswer | None:
    """The error for parameters that Authlib raises ValueError on, or that are no text; None where they are."""
    why = problem(values)
    return OAuthAnswer(400, {"error": "invalid_request", "error_description": why}, {}) if why else None


def hashed(secret: str) -> bytes:
    """How secrets of 256 random bits are kept."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _refresh_token(client: OAuthClient, grant_type: str, user: User, scope: str) -> str:
    return secrets.token_urlsafe(32)


class _IdToken(OpenIDCode):
    """Adds the ID token to token answers."""

    def __init__(self, provider: Provider) -> None:
        super().__init__(require_nonce=False)
        self._provider = provider

    def exists_nonce(self, nonce: str, request: OAuth2Request) -> bool:
        return False  # codes are used once, so a nonce need not be remembered

    def encode_id_token(self, token: dict[str, Any], request: OAuth2Request) -> str:
        more: dict[str, Any] = {"at_hash": create_half_hash(token["access_token"], ALGORITHM).decode()}
        code = request.authorization_code
        if code is not None and code.nonce:
            more["nonce"] = code.nonce
        return self._provider.signed(request.client, request.user, token.get("scope", ""), **more)


class _CodeGrant(AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = CLIENT_AUTH
    server: Provider

    def save_authorization_code(self, code: str, request: OAuth2Request) -> None:
        values = request.payload.data
        kept = {name: values.get(name) or "" for name in ("redirect_uri", "scope", "nonce", "code_challenge")}
        kept |= {"code_challenge_method": values.get("code_challenge_method") or "plain"}
        self.server.database.write(
            "INSERT INTO codes VALUES (?, ?, ?, ?, ?)",
            hashed(code),
            request.client.client_id,
            request.user.email,
            json.dumps(kept),
            time.time() + CODE_LIFE.total_seconds(),
        )

    def query_authorization_code(self, code: str, client: OAuthClient) -> IssuedCode | None:
        rows = self.server.database.read(
            "SELECT hash, email, grant_request FROM codes WHERE hash = ? AND client_id = ? AND expires >= ?",
            hashed(code),
            client.client_id,
            time.time(),
        )
        if not rows:
            return None
        found, email, kept = rows[0]
        return IssuedCode(client.client_id, email, **json.loads(kept), auth_time=0, hash=found)

    def delete_authorization_code(self, authorization_code: IssuedCode) -> None:
        self.server.database.write("DELETE FROM codes WHERE hash = ?", authorization_code.hash)

    def authenticate_user(self, authorization_code: IssuedCode) -> User | None:
        return self.server.users.find(authorization_code.email)

    def generate_token(self, user: Any = None, scope: Any = None, grant_type: Any = None, **more: Any) -> Any:
        """As dex does: a refresh token only for those who ask to stay signed in (`offline_access`)."""
        more["include_refresh_token"] = "offline_access" in (scope or "").split()
        return super().generate_token(user=user, scope=scope, grant_type=grant_type, **more)


class _RefreshGrant(RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = CLIENT_AUTH
    INCLUDE_NEW_REFRESH_TOKEN = True
    server: Provider

    def authenticate_refresh_token(self, refresh_token: str) -> RefreshToken | None:
        rows = self.server.database.read(
            "SELECT hash, client_id, email, scope, expires FROM refresh_tokens WHERE hash = ? AND expires >= ?",
            hashed(refresh_token),
            time.time(),
        )
        return RefreshToken(*rows[0]) if rows else None

    def authenticate_user(self, refresh_token: RefreshToken) -> User | None:
        return self.server.users.find(refresh_token.email)

    def revoke_old_credential(self, refresh_token: RefreshToken) -> None:
        self.server.database.write("DELETE FROM refresh_tokens WHERE hash = ?", refresh_token.hash)


@dataclass(frozen=True)
class _Introspected:
    claims: dict[str, Any]

    def is_expired(self) -> bool:
        return False  # an expired token does not verify

    def is_revoked(self) -> bool:
        return False


class _Introspection(IntrospectionEndpoint):
    CLIENT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]
    server: Provider

    def check_permission(self, token: _Introspected, client: OAuthClient, request: OAuth2Request) -> bool:
        return token.claims.get("aud") == client.client_id

    def query_token(self, token_string: str, token_type_hint: str) -> _Introspected | None:
        try:
            claims = self.server.keys.verify(token_string)
        except BadToken:
            return None
        is_known = self.server.users.find(str(claims.get("email", ""))) is not None or "email" not in claims
        return _Introspected(claims) if is_known else None

    def introspect_token(self, token: _Introspected) -> dict[str, Any]:
        names = ("iss", "sub", "aud", "exp", "iat", "email", "groups", "name", "preferred_username")
        found = {name: token.claims[name] for name in names if name in token.claims}
        return {"active": True, "token_type": "Bearer", "client_id": token.claims["aud"], **found}
