"""One-time sign-in links, which `windlass open` makes: 256 random bits, good once within a minute."""

import hashlib
import secrets
import time
from datetime import timedelta

from windlass.gateway.database import Database

LIFE = timedelta(seconds=60)


class SignInLinks:
    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, email: str) -> str:
        token, now = secrets.token_urlsafe(32), time.time()
        self._database.write("DELETE FROM sign_in_links WHERE expires < ?", now)
        self._database.write(
            "INSERT INTO sign_in_links VALUES (?, ?, ?)", _digest(token), email, now + LIFE.total_seconds()
        )
        return token

    def redeem(self, token: str) -> str | None:
        """The user of a link that was not used before."""
        rows = self._database.read("SELECT email, expires FROM sign_in_links WHERE hash = ?", _digest(token))
        is_first = self._database.write("DELETE FROM sign_in_links WHERE hash = ?", _digest(token)) if rows else 0
        return str(rows[0][0]) if is_first and time.time() <= rows[0][1] <= time.time() + LIFE.total_seconds() else None


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
