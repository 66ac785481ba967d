"""Authentication: bearer tokens and client certificates in, a `User` out.

`Authenticator.authenticate` runs on every request. A bearer token that was valid a moment ago is found by the digest of
its header; it is verified again after `RECHECK_SECONDS`, and at once after `invalidate`. Only an OIDC token whose
signing key is not available needs the network: then `KeysNeeded` is raised, and the coroutine `authenticate_fetching`
fetches the key and tries again.
"""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from windlass.apis.proxied_identity import AUDIENCE, TOKEN_PREFIX
from windlass.apiserver.auth.certificates import user_of_certificate
from windlass.apiserver.auth.jws import BadToken, split, unb64
from windlass.apiserver.auth.oidc import KeysNeeded, Oidc
from windlass.apiserver.auth.proxied_identities import ProxiedIdentities
from windlass.apiserver.auth.service_accounts import ServiceAccountTokens, Verified
from windlass.apiserver.auth.tokens import StaticTokens, read_token_file
from windlass.apiserver.auth.user import ANONYMOUS, User
from windlass.kube.errors import Unauthorized
from windlass.kube.json import Object

if TYPE_CHECKING:
    from windlass.apiserver.auth.token_webhook import TokenWebhook

log = logging.getLogger(__name__)

RECHECK_SECONDS = 10.0
CACHE_LIMIT = 10_000
WEBSOCKET_TOKEN = b"base64url.bearer.authorization.k8s.io."
"""The WebSocket subprotocol that carries a token in Kubernetes, since browsers cannot set headers there."""


class Authenticator:
    """All authentication methods. Used on the server's event loop only."""

    def __init__(
        self,
        *,
        service_accounts: ServiceAccountTokens | None = None,
        oidc: Oidc | None = None,
        webhook: "TokenWebhook | None" = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.static = StaticTokens()
        self.service_accounts = service_accounts
        self.oidc = oidc
        self.webhook = webhook
        self.proxied = ProxiedIdentities(now)
        self._now = now
        self._by_header: dict[bytes, tuple[User, float]] = {}
        self._by_certificate: dict[bytes, tuple[User, float]] = {}

    def add_tokens(self, tokens: Iterable[tuple[str, User]]) -> None:
        for token, user in tokens:
            self.static.add(token, user)

    def add_token_file(self, path: Path) -> None:
        """Add the tokens of `--token-auth-file`; raises BadTokenFile, which contains the line."""
        self.add_tokens(read_token_file(path))

    def authenticate(
        self,
        authorization: bytes | None,
        peer_certificate_der: bytes | None = None,
        websocket_protocols: Sequence[bytes] = (),
    ) -> User:
        """Return the user, or `ANONYMOUS` without credentials. Raises Unauthorized for invalid credentials.

        `peer_certificate_der` must come from a TLS connection that verified it. As in Kubernetes a certificate takes
        precedence over a token.
        """
        if peer_certificate_der is not None:
            return self._of_certificate(peer_certificate_der)
        if authorization is None:
            authorization = _from_websocket(websocket_protocols) if websocket_protocols else None
            if authorization is None:
                return ANONYMOUS
        digest = sha256(authorization).digest()
        known = self._by_header.get(digest)
        if known is not None and self._now() < known[1]:
            return known[0]
        return self._of_header(authorization, digest)

    async def authenticate_fetching(
        self,
        authorization: bytes | None,
        peer_certificate_der: bytes | None = None,
        websocket_protocols: Sequence[bytes] = (),
    ) -> User:
        """Authenticate, and fetch the OIDC issuer's keys if they are needed."""
        try:
            return self.authenticate(authorization, peer_certificate_der, websocket_protocols)
        except KeysNeeded as needed:
            await needed.fetch()
        try:
            return self.authenticate(authorization, peer_certificate_der, websocket_protocols)
        except KeysNeeded as still:
            raise Unauthorized("Unauthorized") from still

    def invalidate(self, uid: str = "") -> None:
        """Drop cached tokens of the service account, pod or node with this uid; without a uid, of all.

        Call it when such an object is deleted (for a Secret with a token, without a uid: its user does not contain it).
        The tokens are not revoked by this, but verified again.
        """
        if not uid:
            self._by_header.clear()
            return
        for digest in [digest for digest, (user, _) in self._by_header.items() if _depends_on(user, uid)]:
            del self._by_header[digest]

    def verify_token(self, token: str, audiences: Sequence[str] = ()) -> Verified:
        """Verify a bare token now, without the cache; raises BadToken with the reason, or KeysNeeded."""
        user = self.static.find(token.encode())
        if user is not None:
            return Verified(user, self._agreed(audiences), None)
        if token.startswith(TOKEN_PREFIX):
            return self._verify_proxied(token, audiences)
        return self._verify_signed(token, audiences)

    def _verify_proxied(self, token: str, audiences: Sequence[str]) -> Verified:
        """Of those who ask about tokens: no request authenticates with such a token."""
        user = self.proxied.find(token)
        if user is None or AUDIENCE not in audiences:
            raise BadToken("the token stands for no request that is being proxied")
        return Verified(user, (AUDIENCE,), None)

    def _agreed(self, audiences: Sequence[str]) -> tuple[str, ...]:
        """The `audiences` for which a token without audiences is valid: those of this server."""
        own = self.service_accounts.audiences if self.service_accounts is not None else ()
        agreed = tuple(audience for audience in own if not audiences or audience in audiences)
        if audiences and not agreed:
            raise BadToken("the token is not valid for the requested audiences")
        return agreed

    def _of_header(self, authorization: bytes, digest: bytes) -> User:
        self._by_header.pop(digest, None)
        scheme, _, raw = authorization.strip().partition(b" ")
        token = raw.strip()
        if scheme.lower() != b"bearer" or not token:
            raise Unauthorized("Unauthorized")
        user, expires = self.static.find(token), None
        if user is None:
            try:
                verified = self._verify_signed(token.decode("ascii"), ())
            except (BadToken, UnicodeDecodeError) as error:
                log.info("a bearer token was refused: %s", error)
                raise Unauthorized("Unauthorized") from error
            user, expires = verified.user, verified.expires
        until = RECHECK_SECONDS if expires is None else min(RECHECK_SECONDS, expires - time.time())
        self._remember(self._by_header, digest, user, until)
        return user

    def _verify_signed(self, token: str, audiences: Sequence[str]) -> Verified:
        claims = self._claims(token)
        if self.service_accounts is not None and self.service_accounts.owns(claims):
            return self.service_accounts.verify(token, audiences)
        if self.oidc is not None and self.oidc.owns(claims):
            return msgspec.structs.replace(self.oidc.verify(token), audiences=self._agreed(audiences))
        if self.webhook is not None:
            return Verified(self.webhook.verify(token), self._agreed(audiences), None)
        raise BadToken("the issuer of the token is unknown")

    def _claims(self, token: str) -> Object:
        """What a signed token says of itself; a webhook may know tokens that say nothing."""
        try:
            return split(token)[1]
        except BadToken:
            if self.webhook is None:
                raise
            return {}

    def _of_certificate(self, der: bytes) -> User:
        digest = sha256(der).digest()
        known = self._by_certificate.get(digest)
        if known is not None and self._now() < known[1]:
            return known[0]
        try:
            user, expires = user_of_certificate(der)
        except ValueError as error:
            log.info("a client certificate was refused: %s", error)
            raise Unauthorized("Unauthorized") from error
        left = expires - time.time()
        if left <= 0:
            raise Unauthorized("Unauthorized")
        self._remember(self._by_certificate, digest, user, left)
        return user

    def _remember(self, cache: dict[bytes, tuple[User, float]], digest: bytes, user: User, seconds: float) -> None:
        if len(cache) >= CACHE_LIMIT:
            cache.clear()
        cache[digest] = (user, self._now() + seconds)


def _depends_on(user: User, uid: str) -> bool:
    return user.uid == uid or any(uid in values for _, values in user.extra)


def _from_websocket(protocols: Sequence[bytes]) -> bytes | None:
    """The Authorization header in a subprotocol. The caller must not select this subprotocol in its response."""
    for protocol in map(bytes.strip, protocols):
        if protocol.startswith(WEBSOCKET_TOKEN):
            try:
                return b"Bearer " + unb64(protocol[len(WEBSOCKET_TOKEN) :])
            except BadToken as error:
                raise Unauthorized("Unauthorized") from error
    return None
