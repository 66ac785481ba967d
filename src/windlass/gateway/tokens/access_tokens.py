"""Personal access tokens: 256 random bits that stand for a person, with scopes and an end."""

import hashlib
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from windlass.gateway.database import Database

PREFIX = "wlp_"
SCOPES = ("api", "gateway", "notebooks")
"""`api`: the Kubernetes API; `gateway`: the web apps' REST and what runs in pods; `notebooks`: servers of notebooks."""
DEFAULT_SCOPES = ("api", "gateway")
LONGEST_LIFE = timedelta(days=366)
LONGEST_NAME = 63


class TokenError(Exception):
    """A token cannot be made as asked; the message says why."""


@dataclass(frozen=True, slots=True)
class AccessToken:
    email: str
    name: str
    scopes: tuple[str, ...]
    created: float
    expires: float
    digest: str = ""
    """What the token is known by once it is used, in hexadecimal; it opens nothing."""


class AccessTokens:
    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, email: str, name: str, life: timedelta, scopes: Sequence[str] = DEFAULT_SCOPES) -> str:
        """The token itself, which is not kept; another of the same name is replaced."""
        if not name or len(name) > LONGEST_NAME or not name.replace("-", "").replace("_", "").isalnum():
            raise TokenError(f"a token's name has 1 to {LONGEST_NAME} letters, digits, - and _")
        if not timedelta(0) < life <= LONGEST_LIFE:
            raise TokenError(f"a token lives for up to {LONGEST_LIFE.days} days")
        unknown = sorted(set(scopes) - set(SCOPES))
        if unknown or not scopes:
            raise TokenError(f"unknown scope {', '.join(unknown)}; there are {', '.join(SCOPES)}")
        token, now = PREFIX + secrets.token_urlsafe(32), time.time()
        self._database.write(
            "INSERT OR REPLACE INTO access_tokens VALUES (?, ?, ?, ?, ?, ?)",
            _digest(token), email, name, json.dumps(sorted(set(scopes))), now, now + life.total_seconds(),
        )  # fmt: skip
        return token

    def find(self, token: str) -> AccessToken | None:
        """What a token stands for, if it has not ended."""
        rows = self._database.read(
            "SELECT email, name, scopes, created, expires FROM access_tokens WHERE hash = ?", _digest(token)
        )
        if not rows or rows[0][4] <= time.time():
            return None
        email, name, scopes, created, expires = rows[0]
        return AccessToken(email, name, tuple(json.loads(scopes)), created, expires, _digest(token).hex())

    def is_alive(self, digest: str) -> bool:
        """Whether the token of this digest is neither revoked nor expired. One that replaced it is another."""
        rows = self._database.read("SELECT expires FROM access_tokens WHERE hash = ?", bytes.fromhex(digest))
        return bool(rows) and rows[0][0] > time.time()

    def list(self, email: str) -> list[AccessToken]:
        rows = self._database.read(
            "SELECT email, name, scopes, created, expires FROM access_tokens WHERE email = ? ORDER BY name", email
        )
        return [AccessToken(row[0], row[1], tuple(json.loads(row[2])), row[3], row[4]) for row in rows]

    def revoke(self, email: str, name: str) -> bool:
        return self._database.write("DELETE FROM access_tokens WHERE email = ? AND name = ?", email, name) > 0


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
