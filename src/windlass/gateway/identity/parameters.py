"""Characters that the parameters of OpenID Connect requests may have (RFC 6749, appendix A). Pure."""

import re
from collections.abc import Mapping

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NOT_IN_ERRORS = re.compile(r"[^\x20-\x21\x23-\x5b\x5d-\x7e]")
"""Characters that the description of an error may not have. Authlib quotes the parameters below in it."""
QUOTED = frozenset(
    {"client_id", "code_challenge_method", "grant_type", "prompt", "redirect_uri", "response_mode", "response_type"}
)
UNCHECKED = frozenset({"client_secret", "code", "refresh_token", "token"})
"""Secrets: they are compared or hashed, and go nowhere."""


def problem(values: Mapping[str, str]) -> str | None:
    """Why a request is refused whatever else it says; None when it is not."""
    for name, value in values.items():
        refused = _NOT_IN_ERRORS if name in QUOTED else _CONTROL
        if name not in UNCHECKED and refused.search(value):
            shown = name if name.isascii() and name.isidentifier() else "a parameter"
            return f"{shown} has a character that it may not have"
    return None
