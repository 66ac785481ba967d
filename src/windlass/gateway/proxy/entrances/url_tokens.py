"""Personal access tokens as IDEs send them to servers: `?token=…` and `Authorization: token …`. Pure.

Only below entrances that declare a scope of such tokens, and only values that are access tokens of ours: a page's own
tokens are between the page and its server. A recognised token is removed before a request goes to the server.
"""

from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote_plus

from windlass.gateway.proxy.entrances.lookup import entrance_at
from windlass.gateway.proxy.paths import BadPath, normalise
from windlass.gateway.tokens.access_tokens import PREFIX

SCHEME = "token "


@dataclass(frozen=True, slots=True)
class UrlToken:
    token: str
    scope: str
    """The scope for which the token counts here, besides `gateway`."""


def scope_at(raw_path: str) -> str:
    """The scope of tokens for the server that a path, as it was sent, leads to; empty if it leads to none.

    The path is decided on in the form in which it is routed.
    """
    try:
        path = normalise(raw_path)
    except BadPath:
        return ""
    entrance = entrance_at(path)
    return entrance.token_scope if entrance is not None and all(path.split("/", 4)[1:4]) else ""


def token_of(authorization: str, raw_path: str) -> UrlToken | None:
    """The access token that a request to a server carries in one of the two forms; None for none."""
    path, _, query = raw_path.partition("?")
    given = [authorization[len(SCHEME) :].strip()] if authorization.lower().startswith(SCHEME) else []
    if "oken=" in query:
        given += [value for name, value in parse_qsl(query) if name == "token"]
    token = next((value for value in given if value.startswith(PREFIX)), "")
    scope = scope_at(path) if token else ""
    return UrlToken(token, scope) if scope else None


def contains_token(encoded: str) -> bool:
    return PREFIX in encoded or ("%" in encoded and PREFIX in unquote_plus(encoded))


def without_token(query: str) -> str:
    """A query, with its question mark, without access tokens; the rest as it was sent."""
    if not contains_token(query):
        return query
    kept = [pair for pair in query.removeprefix("?").split("&") if not contains_token(pair)]
    return f"?{'&'.join(kept)}" if kept else ""
