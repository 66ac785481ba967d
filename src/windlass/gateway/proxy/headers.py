"""Headers that a request has on its way to a backend.

A client may claim to be anyone: headers that carry an identity are removed in every spelling before the gateway sets
its own. A backend that maps `-` and `_` to the same variable (WSGI, CGI) must not see a second spelling either.
"""

from collections.abc import Iterable

USER_HEADER = "kubeflow-userid"
GROUPS_HEADER = "kubeflow-groups"

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
_HOP_BY_HOP = frozenset(
    {
        "connection",
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

Pairs = Iterable[tuple[str, str]]


def claims_identity(name: str) -> bool:
    """Whether a header, in any case and with `_` for `-`, would tell a backend who the user is."""
    spelt = name.lower().replace("_", "-")
    return spelt in _IDENTITY or spelt.startswith(_IDENTITY_PREFIXES)


def without_identity(headers: Pairs) -> list[tuple[str, str]]:
    return [(name, value) for name, value in headers if not claims_identity(name)]


def without_hop_by_hop(headers: Pairs) -> list[tuple[str, str]]:
    """The headers that concern both ends, without those of one connection and those that `Connection` names."""
    pairs = list(headers)
    named = {
        token.strip().lower() for name, value in pairs if name.lower() == "connection" for token in value.split(",")
    }
    return [(name, value) for name, value in pairs if name.lower() not in _HOP_BY_HOP | named]


def without_cookies(headers: Pairs, names: frozenset[str]) -> list[tuple[str, str]]:
    """Remove cookies by name, so that a backend never sees the gateway's session."""
    kept: list[tuple[str, str]] = []
    for name, value in headers:
        if name.lower() == "cookie":
            pairs = [pair for pair in value.split(";") if pair.split("=", 1)[0].strip() not in names]
            if not pairs:
                continue
            value = ";".join(pairs).strip()
        kept.append((name, value))
    return kept


def identity_headers(user: str, groups: Iterable[str]) -> list[tuple[str, str]]:
    """What the gateway itself says about the user."""
    return [(USER_HEADER, user), (GROUPS_HEADER, ",".join(groups))]
