"""Headers that a request has on its way to a backend.

A client may claim to be anyone: headers that carry an identity are removed in every spelling before the gateway sets
its own. A backend that maps `-` and `_` to the same variable (WSGI, CGI) must not see a second spelling either.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from windlass.apis.networking_istio_v1alpha3 import HeaderOperations

USER_HEADER = "kubeflow-userid"
GROUPS_HEADER = "kubeflow-groups"
MAY_WRITE_HEADER = "x-windlass-may-write"
"""By which the file browser of a volume knows that the user may change the volume's claim."""

WORKER_SCOPE_HEADER = "Service-Worker-Allowed"

_IDENTITY = frozenset(
    {
        USER_HEADER,
        GROUPS_HEADER,
        "x-forwarded-user",
        "x-forwarded-email",
        "x-forwarded-groups",
        "x-forwarded-preferred-username",
        "x-forwarded-access-token",
    }
)
_IDENTITY_PREFIXES = ("x-auth-request-", "x-goog-authenticated-user-", "x-windlass-")
_OF_ANOTHER_REQUEST = frozenset(
    {
        "x-forwarded-method",
        "x-forwarded-path",
        "x-forwarded-prefix",
        "x-forwarded-uri",
        "x-original-method",
        "x-original-uri",
        "x-original-url",
        "x-rewrite-url",
    }
)
"""Headers by which a proxy passes on the original request. A client that sends them would have a backend decide about
another request than the gateway has."""
_OF_ONE_CONNECTION = frozenset(
    {
        "connection",
        "expect",  # the gateway itself answers 100 Continue
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)

_OF_THE_MESSAGE = frozenset({"content-length", "host"})
"""Headers that stay even if `Connection` names them: without its length a body would be read as the next request."""

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\U0010ffff]*")

Pairs = Iterable[tuple[str, str]]


def claims_identity(name: str) -> bool:
    """Whether a header, in any case and with `_` for `-`, would name a user to a backend."""
    spelt = name.lower().replace("_", "-")
    return spelt in _IDENTITY or spelt.startswith(_IDENTITY_PREFIXES)


@lru_cache(maxsize=256)  # the same few names come with every request
def _is_refused(lower: str) -> bool:
    return claims_identity(lower) or lower.replace("_", "-") in _OF_ANOTHER_REQUEST


def forwarded_headers(
    headers: Pairs,
    *,
    connection: str = "",
    replaced: Collection[str] = (),
    hidden_cookies: frozenset[str] = frozenset(),
) -> Iterator[tuple[str, str]]:
    """The client's headers that a backend gets.

    Left out are identities, headers that speak of another request, headers of this connection (with those that
    `connection`, the value of that header, names), headers that the gateway replaces (in lower case), and cookies that
    are for the gateway alone.
    """
    named = {token.strip().lower() for token in connection.split(",")} - _OF_THE_MESSAGE
    dropped = named.union(_OF_ONE_CONNECTION, replaced)
    for name, value in headers:
        lower = name.lower()
        if lower in dropped or _is_refused(lower):
            continue
        if lower == "cookie" and hidden_cookies:
            value = _visible_cookies(value, hidden_cookies)
            if not value:
                continue
        yield name, value


def _visible_cookies(value: str, hidden: frozenset[str]) -> str:
    return ";".join(pair for pair in value.split(";") if pair.split("=", 1)[0].strip() not in hidden).strip()


def takes_session(header: bytes, value: bytes, hidden_cookies: frozenset[str]) -> bool:
    """Whether a header of a backend's answer would end the browser's session at the gateway, or set a cookie of it."""
    match header.lower():
        case b"clear-site-data":
            return True
        case b"set-cookie":
            name, has_name, _ = value.partition(b";")[0].partition(b"=")
            # Browsers send `=a=b` back as `a=b`, a cookie of any name.
            return bool(has_name and not name.strip()) or name.strip().decode("latin-1") in hidden_cookies
        case _:
            return False


def route_headers(operations: HeaderOperations) -> list[tuple[str, str]]:
    """What a route sets. Its author may be any user: headers that claim an identity or are malformed are left out."""
    return [
        (name, value)
        for name, value in (*operations.set_.items(), *operations.add.items())
        if _NAME.fullmatch(name) and _VALUE.fullmatch(value) and not claims_identity(name)
    ]


def identity_headers(user: str, groups: Iterable[str]) -> list[tuple[str, str]]:
    """What the gateway itself says about the user."""
    return [(USER_HEADER, user), (GROUPS_HEADER, ",".join(groups))]
