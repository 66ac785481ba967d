# pyright: strict
"""The header WWW-Authenticate, by which a registry says where to get a token. Pure."""

import re

from msgspec import Struct

_SCHEME = re.compile(r"\s*([A-Za-z]+)\s+")
_PARAMETER = re.compile(r'\s*([A-Za-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*(?:,|$)')


class Challenge(Struct, frozen=True):
    """`scheme` is in lower case: basic or bearer."""

    scheme: str
    parameters: dict[str, str]


def parse(header: str) -> Challenge | None:
    """Return the first challenge of a header; None if it is malformed."""
    start = _SCHEME.match(f"{header} ")
    if start is None:
        return None
    parameters: dict[str, str] = {}
    at = start.end()
    while (found := _PARAMETER.match(header, at)) is not None:
        quoted = found[2]
        parameters[found[1].lower()] = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else found[3]
        at = found.end()
    return Challenge(start[1].lower(), parameters)
