"""The token by which a server in a pod recognises the gateway: where the server finds it, and how it is sent.

Programs of images import this module too, so it needs nothing but Python 3.9.
"""

from __future__ import annotations

import hmac

VARIABLE = "WINDLASS_SERVER_TOKEN"
HEADER = "x-windlass-server-token"
HEALTH_PATH = "/healthz"
"""Answered without the token, for probes: it says that the server runs, and nothing else."""
REFUSAL = "this server answers the gateway only: open its page there"


def is_gateway(token: str, given: str | None) -> bool:
    """Whether a request with this header comes from the gateway. An empty token admits nobody.

    The time that it takes does not depend on where two tokens differ.
    """
    sent = (given or "").encode("utf-8", "surrogateescape")
    return bool(token) and hmac.compare_digest(token.encode(), sent)
