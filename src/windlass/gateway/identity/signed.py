"""Values that a browser carries for the gateway: JSON with a keyed digest and a time, so that nobody can change them.

Nothing is kept on the server for them, so requests without a session cost no space.
"""

import base64
import binascii
import hashlib
import hmac
import json
from typing import Any, cast


class Signer:
    """Signs and reads values of one purpose; a value of another purpose does not verify."""

    def __init__(self, secret: str, purpose: str) -> None:
        self._key = hashlib.sha256(f"{purpose}\0{secret}".encode()).digest()

    def sign(self, value: dict[str, Any], now: float) -> str:
        body = _encode(json.dumps({"at": int(now), "v": value}, separators=(",", ":")).encode())
        return f"{body}.{_encode(self._digest(body))}"

    def read(self, text: str, now: float, max_age: float) -> dict[str, Any] | None:
        """The value, if it is genuine and at most `max_age` seconds old; a clock set back makes it no older."""
        body, dot, digest = text.partition(".")
        given = _decode(digest)
        if not dot or given is None or not hmac.compare_digest(given, self._digest(body)):
            return None
        content = json.loads(_decode(body) or b"{}")
        return cast(dict[str, Any], content["v"]) if now - content["at"] <= max_age else None

    def _digest(self, body: str) -> bytes:
        return hmac.digest(self._key, body.encode(), "sha256")


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes | None:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
