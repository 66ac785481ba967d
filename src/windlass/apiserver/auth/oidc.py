"""ID tokens of an OpenID Connect issuer (`--oidc-issuer-url` and related flags).

`verify` is pure except for the clock: it raises `KeysNeeded` when it has no matching key, or only old ones. `fetch`
gets the keys: the discovery document, then the key set that it names. A token with an unknown key triggers a fetch
(issuers rotate keys), at most every `MIN_REFETCH_SECONDS`, so invalid tokens cannot flood the issuer. aiohttp and PyJWT
are imported on first use.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from windlass.apiserver.auth.jws import BadToken, split
from windlass.apiserver.auth.service_accounts import Verified
from windlass.apiserver.auth.user import authenticated
from windlass.kube.json import Object, dig_list, is_list, is_object, parse

log = logging.getLogger(__name__)

ALGORITHMS = ("RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512")
MIN_REFETCH_SECONDS = 10.0
KEYS_LAST_SECONDS = 600.0
"""Age after which keys are fetched again, so that a revoked key expires."""
FETCH_TIMEOUT_SECONDS = 10.0
MAX_DOCUMENT_BYTES = 1 << 20


class OidcSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The `--oidc-*` flags, with Kubernetes' defaults."""

    issuer_url: str
    client_id: str
    username_claim: str = "sub"
    username_prefix: str = ""
    """Empty: `issuer#`, unless the claim is `email`. `-`: no prefix."""
    groups_claim: str = ""
    groups_prefix: str = ""
    required_claims: tuple[tuple[str, str], ...] = ()
    signing_algs: tuple[str, ...] = ("RS256",)
    ca_file: Path | None = None
    allow_http: bool = False
    """For an issuer on this machine; Kubernetes requires https."""

    def problems(self) -> list[str]:
        """Return the errors in the flags."""
        found: list[str] = []
        if not self.client_id:
            found.append("--oidc-issuer-url and --oidc-client-id must be specified together")
        if not self.issuer_url.startswith("https://") and not self.allow_http:
            found.append(f"--oidc-issuer-url: {self.issuer_url!r} must use the https scheme")
        unknown = sorted(set(self.signing_algs) - set(ALGORITHMS))
        if unknown:
            found.append(f"--oidc-signing-algs: {', '.join(unknown)}: supported: {', '.join(ALGORITHMS)}")
        return found


class KeysNeeded(Exception):
    """The token cannot be verified before `fetch` has been awaited."""

    def __init__(self, oidc: "Oidc") -> None:
        super().__init__("the keys of the OpenID Connect issuer must be fetched first")
        self._oidc = oidc

    async def fetch(self) -> None:
        await self._oidc.fetch()


class Oidc:
    """An issuer, its keys, and the mapping of its claims to a user."""

    def __init__(self, settings: OidcSettings, now: Callable[[], float] = time.monotonic) -> None:
        problems = settings.problems()
        if problems:
            raise ValueError("; ".join(problems))
        self.settings = settings
        self._now = now
        self._keys: dict[str, Object] = {}
        self._fetched = self._tried = float("-inf")
        self._fetching: asyncio.Task[None] | None = None

    def owns(self, claims: Object) -> bool:
        return claims.get("iss") == self.settings.issuer_url

    def verify(self, token: str) -> Verified:
        import jwt

        header, _ = split(token)
        algorithm = str(header.get("alg") or "")
        if algorithm not in self.settings.signing_algs:
            raise BadToken(f"oidc: tokens signed with {algorithm!r} are not accepted")
        claims: Object | None = None
        try:
            for key in self._candidates(str(header.get("kid") or "")):
                claims = self._decoded(token, key, algorithm)
                if claims is not None:
                    break
        except jwt.PyJWTError as error:
            raise BadToken(f"oidc: {error}") from error
        if claims is None:
            if self._may_fetch():
                raise KeysNeeded(self)
            raise BadToken("oidc: failed to verify signature: no matching key of the issuer")
        return self._user(claims)

    async def fetch(self) -> None:
        """Fetch the issuer's keys. Concurrent callers share one fetch; after a failure the old keys stay."""
        if self._fetching is None:
            self._fetching = asyncio.create_task(self._fetch())
        await asyncio.shield(self._fetching)

    def _candidates(self, key_id: str) -> list[Object]:
        if self._now() - self._fetched > KEYS_LAST_SECONDS and self._may_fetch():
            raise KeysNeeded(self)
        if key_id:
            return [self._keys[key_id]] if key_id in self._keys else []
        return list(self._keys.values())

    def _may_fetch(self) -> bool:
        return self._now() - self._tried >= MIN_REFETCH_SECONDS

    def _decoded(self, token: str, key: Object, algorithm: str) -> Object | None:
        """The claims; None if this key did not sign the token."""
        import jwt

        try:
            public = jwt.PyJWK(key, algorithm).key
        except jwt.PyJWTError:
            return None  # a key for another algorithm, or one that we cannot read
        try:
            return jwt.decode(
                token,
                public,
                algorithms=[algorithm],
                audience=self.settings.client_id,
                issuer=self.settings.issuer_url,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.InvalidSignatureError:
            return None

    def _user(self, claims: Object) -> Verified:
        settings = self.settings
        for claim, value in settings.required_claims:
            if claims.get(claim) != value:
                raise BadToken(f"oidc: required claim {claim} is not {value!r}")
        name = claims.get(settings.username_claim)
        if not isinstance(name, str) or not name:
            raise BadToken(f"oidc: claim {settings.username_claim!r} is not a name")
        if settings.username_claim == "email" and claims.get("email_verified", True) is not True:
            raise BadToken("oidc: email not verified")
        groups = _strings(claims.get(settings.groups_claim)) if settings.groups_claim else ()
        user = authenticated(self._prefix() + name, "", [settings.groups_prefix + group for group in groups])
        return Verified(user, (settings.client_id,), float(claims["exp"]))

    def _prefix(self) -> str:
        given = self.settings.username_prefix
        if given == "-":
            return ""
        if given or self.settings.username_claim == "email":
            return given
        return f"{self.settings.issuer_url}#"

    async def _fetch(self) -> None:
        import aiohttp

        self._tried = self._now()
        try:
            self._keys = await self._fetched_keys()
            self._fetched = self._now()
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            log.warning("cannot get the keys of the OpenID Connect issuer %s: %s", self.settings.issuer_url, error)
        finally:
            self._fetching = None

    async def _fetched_keys(self) -> dict[str, Object]:
        import ssl

        import aiohttp

        trust = ssl.create_default_context(cafile=str(self.settings.ca_file)) if self.settings.ca_file else True
        timeout = aiohttp.ClientTimeout(total=FETCH_TIMEOUT_SECONDS)
        base = self.settings.issuer_url.rstrip("/")
        connector = aiohttp.TCPConnector(ssl=trust)
        async with aiohttp.ClientSession(timeout=timeout, connector=connector) as session:
            found = await _document(session, f"{base}/.well-known/openid-configuration")
            if found.get("issuer") != self.settings.issuer_url:
                raise ValueError(f"its discovery document has the issuer {found.get('issuer')!r}")
            keys = await _document(session, str(found.get("jwks_uri") or ""))
        found_keys = [key for key in dig_list(keys, "keys") if is_object(key) and key.get("use", "sig") == "sig"]
        return {str(key.get("kid") or f"#{number}"): key for number, key in enumerate(found_keys)}


async def _document(session: Any, url: str) -> Object:
    async with session.get(url, raise_for_status=True) as answer:
        body = await answer.content.read(MAX_DOCUMENT_BYTES)
    found = parse(body)
    if not is_object(found):
        raise ValueError(f"{url} is not a JSON object")
    return found


def _strings(value: object) -> Sequence[str]:
    if isinstance(value, str):
        return (value,)
    if value is None:
        return ()
    if is_list(value) and all(isinstance(item, str) for item in value):
        return value
    raise BadToken("oidc: the groups claim is neither a string nor a list of strings")
