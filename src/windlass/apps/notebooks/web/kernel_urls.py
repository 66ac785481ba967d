"""Personal access tokens as IDEs send them to notebook servers: `?token=…` and `Authorization: token …`. Pure.

Only below `/notebook/<namespace>/<name>/`, and only values that are access tokens of ours: a page's own tokens are
between the page and its server. What is recognised is taken out before a request goes to the server.
"""

from urllib.parse import parse_qsl, unquote_plus

from windlass.gateway.proxy.paths import BadPath, normalise
from windlass.gateway.tokens.access_tokens import PREFIX

APP = "notebook"
SCHEME = "token "


def is_notebook_path(raw_path: str) -> bool:
    """Whether a path, as it was sent, leads to one notebook: it is decided on in the form in which it is routed."""
    try:
        segments = normalise(raw_path).split("/")
    except BadPath:
        return False
    return len(segments) >= 4 and segments[1] == APP and all(segments[1:4])


def token_of(authorization: str, raw_path: str) -> str:
    """The access token that a request to a notebook carries in one of the two forms; empty for none."""
    path, _, query = raw_path.partition("?")
    given = [authorization[len(SCHEME) :].strip()] if authorization.lower().startswith(SCHEME) else []
    if "oken=" in query:
        given += [value for name, value in parse_qsl(query) if name == "token"]
    token = next((value for value in given if value.startswith(PREFIX)), "")
    return token if token and is_notebook_path(path) else ""


def contains_token(encoded: str) -> bool:
    return PREFIX in unquote_plus(encoded)


def without_token(query: str) -> str:
    """A query, with its question mark, without access tokens; the rest as it was sent."""
    if not contains_token(query):
        return query
    kept = [pair for pair in query.removeprefix("?").split("&") if not contains_token(pair)]
    return f"?{'&'.join(kept)}" if kept else ""


def url_of(origin: str, namespace: str, name: str, token: str) -> str:
    """What an IDE is given as the address of a Jupyter server."""
    return f"{origin}/{APP}/{namespace}/{name}/?token={token}"
