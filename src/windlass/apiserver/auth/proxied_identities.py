"""Tokens that stand for the user of a proxied request, for the moment in which it is answered."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256

from windlass.apis.proxied_identity import TOKEN_PREFIX
from windlass.apiserver.auth.user import User

LIFE_SECONDS = 60.0
MAX_TOKENS = 10_000


class ProxiedIdentities:
    """Kept in memory: a server that restarts ends the requests that it proxied."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._users = OrderedDict[bytes, tuple[User, float]]()
        """By the digest of the token, in the order in which they expire."""

    def issue(self, user: User) -> str:
        self._drop_expired()
        token = TOKEN_PREFIX + secrets.token_urlsafe(32)
        self._users[sha256(token.encode()).digest()] = (user, self._now() + LIFE_SECONDS)
        return token

    def find(self, token: str) -> User | None:
        user, until = self._users.get(sha256(token.encode()).digest(), (None, 0.0))
        return user if self._now() < until else None

    def _drop_expired(self) -> None:
        now = self._now()
        while self._users:
            _, until = next(iter(self._users.values()))
            if until > now and len(self._users) < MAX_TOKENS:
                return
            self._users.popitem(last=False)
