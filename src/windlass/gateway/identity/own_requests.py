"""The authorization requests that the gateway sends a browser with to its own provider. Pure.

Such a request is known to be well-formed, so its login page is shown without the libraries of OpenID Connect: they are
loaded when someone signs in, and check the request then.
"""

import base64
import hashlib
import re
from collections.abc import Mapping

from windlass.gateway.identity.clients import OWN_CLIENT, OWN_REDIRECT

SCOPE = "profile email groups openid"
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_FIXED = {
    "client_id": OWN_CLIENT,
    "redirect_uri": OWN_REDIRECT,
    "response_type": "code",
    "scope": SCOPE,
    "code_challenge_method": "S256",
}


def own_request(*, state: str, nonce: str, verifier: str) -> dict[str, str]:
    return {**_FIXED, "state": state, "code_challenge": challenge_of(verifier), "nonce": nonce}


def is_own_request(query: Mapping[str, str]) -> bool:
    """Whether a query has what `own_request` makes, and nothing else. A multidict has repeated parameters, too."""
    return (
        len(query) == len(_FIXED) + 3
        and all(query.get(name) == value for name, value in _FIXED.items())
        and bool(query.get("state") and query.get("nonce"))
        and _CHALLENGE.fullmatch(query.get("code_challenge", "")) is not None
    )


def challenge_of(verifier: str) -> str:
    """PKCE's S256 challenge (RFC 7636, section 4.2)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode("ascii")).digest()).rstrip(b"=").decode("ascii")
