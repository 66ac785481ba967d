"""Signed statements of who sends a request, for apps outside of this process.

A header can be set by every client that reaches an app; an assertion cannot. It is for one app (`aud`) and for five
minutes, so one that an app leaks or passes on opens nothing else. Its issuer is not that of ID tokens: it is no way to
sign in.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from importlib import import_module
from typing import TypeAlias

from windlass.gateway.identity.signing_keys import SigningKeys
from windlass.gateway.request import Identity

HEADER = "x-windlass-assertion"
LIFE = timedelta(minutes=5)
REUSED_FOR = timedelta(minutes=1)
MAX_KNOWN = 1_000


_Key: TypeAlias = tuple[str, tuple[str, ...], str]


@dataclass
class Assertions:
    keys: SigningKeys
    origin: str
    clock: Callable[[], float] = time.time
    _known: "dict[_Key, tuple[float, str]]" = field(init=False, default_factory=lambda: {})

    @property
    def issuer(self) -> str:
        return f"{self.origin}/assertions"

    async def of(self, identity: Identity, audience: str) -> str:
        """A token for an app. Signing takes a millisecond, so one serves all requests of a minute."""
        key, now = (identity.user, identity.groups, audience), self.clock()
        known = self._known.get(key)
        if known is not None and 0 <= now - known[0] < REUSED_FOR.total_seconds():
            return known[1]
        await asyncio.to_thread(import_module, "joserfc.jwt")  # large, and loaded once
        await self.keys.prepare()
        token = self.keys.sign(
            {
                "iss": self.issuer,
                "sub": identity.user,
                "aud": audience,
                "iat": int(now),
                "exp": int(now + LIFE.total_seconds()),
                "groups": list(identity.groups),
            }
        )
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[key] = (now, token)
        return token
