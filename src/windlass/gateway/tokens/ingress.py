"""Tokens by which Istio's ingress lets a browser's request pass: they say who it is, and open nothing at the gateway.

The ingress asks the gateway about a session and adds the token to the request. The gateway decides by the session's
cookie as it does without an ingress, so a token that leaks is no credential, and CSRF rules hold.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module

from windlass.gateway.identity.signing_keys import SigningKeys
from windlass.gateway.request import Identity
from windlass.gateway.tokens.bearer import claims_of

AUDIENCE = "istio-ingressgateway"
LIFE = timedelta(minutes=1)
_BEARER = "bearer "


@dataclass(frozen=True)
class IngressTokens:
    keys: SigningKeys
    issuer: str
    clock: Callable[[], float] = time.time

    async def of(self, identity: Identity) -> str:
        await asyncio.to_thread(import_module, "joserfc.jwt")  # large, and loaded once
        await self.keys.prepare()
        now = int(self.clock())
        return self.keys.sign(
            {
                "iss": self.issuer,
                "sub": identity.user,
                "aud": AUDIENCE,
                "iat": now,
                "exp": now + int(LIFE.total_seconds()),
                "email": identity.user,
                "groups": list(identity.groups),
            }
        )


def is_ingress_token(authorization: str) -> bool:
    """Whether a header says no more than that the ingress has asked: it is not looked at any further."""
    if not authorization.lower().startswith(_BEARER):
        return False
    return claims_of(authorization[len(_BEARER) :].strip()).get("aud") == AUDIENCE
