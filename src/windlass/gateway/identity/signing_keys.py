"""The keys that sign ID tokens. A new one every `ROTATE_AFTER`; the old one stays published while its tokens live.

joserfc and cryptography are imported with the first token: an idle gateway does without them.
"""

import asyncio
import secrets
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from windlass.gateway.database import Database

if TYPE_CHECKING:
    from joserfc.jwk import KeySet, RSAKey

ALGORITHM = "RS256"
BITS = 2048
ROTATE_AFTER = timedelta(days=30)
TOKEN_LIFE = timedelta(hours=24)
LEEWAY = timedelta(seconds=60)  # between the clocks of two machines


class BadToken(Exception):
    """A token that is not accepted; the message says why."""


def new_private_key() -> str:
    """A key in PEM. Takes a tenth of a second or more: call it in a thread where something waits."""
    from joserfc.jwk import RSAKey

    return RSAKey.generate_key(BITS, private=True).as_pem(private=True).decode()


class SigningKeys:
    def __init__(self, database: Database, issuer: str) -> None:
        self._database = database
        self._issuer = issuer
        self._loaded: dict[str, RSAKey] = {}

    def sign(self, claims: dict[str, Any]) -> str:
        from joserfc import jwt

        key = self._current()
        return jwt.encode({"alg": ALGORITHM, "kid": key.kid, "typ": "JWT"}, claims, key, [ALGORITHM])

    def verify(self, token: str, audience: str = "") -> dict[str, Any]:
        """The claims of a token that this issuer signed and that is valid now; raises BadToken."""
        from joserfc import jwt
        from joserfc.errors import JoseError

        try:
            decoded = jwt.decode(token, self._key_set(), [ALGORITHM])
            required: dict[str, Any] = {"iss": {"essential": True, "value": self._issuer}, "exp": {"essential": True}}
            if audience:
                required["aud"] = {"essential": True, "value": audience}
            jwt.JWTClaimsRegistry(now=int(time.time()), leeway=int(LEEWAY.total_seconds()), **required).validate(
                decoded.claims
            )
        except (JoseError, ValueError, RecursionError) as error:
            raise BadToken(str(error)) from error
        return decoded.claims

    def published(self) -> dict[str, Any]:
        """The key set of /dex/keys: public parts only."""
        self._current()
        return {"keys": [key.as_dict(private=False, use="sig", alg=ALGORITHM) for key in self._keys().values()]}

    async def prepare(self) -> None:
        """Make the first key in a thread: at the first sign-in, since an idle gateway needs none."""
        if self._is_empty():
            made = await asyncio.to_thread(new_private_key)
            if self._is_empty():
                self.rotate(made)

    def _is_empty(self) -> bool:
        return not self._database.read("SELECT 1 FROM signing_keys LIMIT 1")

    def rotate(self, private_key: str = "") -> str:
        """Keep a new key, made here if none is given, which signs from now on; answers its id."""
        kid, now = secrets.token_hex(16), time.time()
        made = private_key or new_private_key()
        with self._database.transaction():
            self._database.write("INSERT INTO signing_keys VALUES (?, ?, ?)", kid, made, now)
            newest_useful = now - (ROTATE_AFTER + TOKEN_LIFE + LEEWAY).total_seconds()
            self._database.write("DELETE FROM signing_keys WHERE created < ?", newest_useful)
        return kid

    def _current(self) -> "RSAKey":
        rows = self._database.read("SELECT kid, created FROM signing_keys ORDER BY created DESC LIMIT 1")
        is_due = not rows or time.time() - rows[0][1] > ROTATE_AFTER.total_seconds()
        kid = self.rotate() if is_due else rows[0][0]
        return self._keys()[kid]

    def _keys(self) -> "dict[str, RSAKey]":
        """All that are published, newest first; each is decoded once."""
        from joserfc.jwk import RSAKey

        rows: Sequence[tuple[str, str]] = self._database.read(  # pyright: ignore[reportAssignmentType] - two columns
            "SELECT kid, private_key FROM signing_keys ORDER BY created DESC"
        )
        self._loaded = {kid: self._loaded.get(kid) or RSAKey.import_key(private, {"kid": kid}) for kid, private in rows}
        return self._loaded

    def _key_set(self) -> "KeySet":
        from joserfc.jwk import KeySet

        return KeySet(list(self._keys().values()))
