"""The identity of a client: a name, groups and extra attributes, however it was authenticated.

A `User` is immutable and its hash is cached, so the authorizer can cache decisions per user at the price of a dict
lookup. All authenticated users are in `system:authenticated`; `ANONYMOUS` is everyone else.
"""

from collections.abc import Iterable, Mapping

import msgspec

from windlass.kube.json import Object

AUTHENTICATED = "system:authenticated"
UNAUTHENTICATED = "system:unauthenticated"
MASTERS = "system:masters"
NODES = "system:nodes"
SERVICE_ACCOUNTS = "system:serviceaccounts"
SERVICE_ACCOUNT_PREFIX = "system:serviceaccount:"

Extra = tuple[tuple[str, tuple[str, ...]], ...]


class User(msgspec.Struct, frozen=True, cache_hash=True):
    """An identity. `extra` is a sorted tuple of (key, values), so that it can be hashed."""

    name: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Extra = ()

    def extra_object(self) -> dict[str, list[str]]:
        return {key: list(values) for key, values in self.extra}

    def info(self) -> Object:
        """The UserInfo of reviews, admission webhooks and certificate requests."""
        info: Object = {"username": self.name}
        if self.uid:
            info["uid"] = self.uid
        if self.groups:
            info["groups"] = list(self.groups)
        if self.extra:
            info["extra"] = self.extra_object()
        return info


ANONYMOUS = User("system:anonymous", groups=(UNAUTHENTICATED,))


def extra_of(values: Mapping[str, Iterable[str]]) -> Extra:
    return tuple(sorted((key, tuple(found)) for key, found in values.items()))


def authenticated(name: str, uid: str = "", groups: Iterable[str] = (), extra: Extra = ()) -> User:
    """An authenticated user: in `system:authenticated` besides their own groups."""
    unique = dict.fromkeys(groups)
    unique[AUTHENTICATED] = None
    return User(name, uid, tuple(unique), extra)


def service_account_name(namespace: str, name: str) -> str:
    return f"{SERVICE_ACCOUNT_PREFIX}{namespace}:{name}"


def service_account_groups(namespace: str) -> tuple[str, str]:
    return SERVICE_ACCOUNTS, f"{SERVICE_ACCOUNTS}:{namespace}"


def split_service_account(username: str) -> tuple[str, str] | None:
    """The (namespace, name) of a service account's user name; None for others."""
    if not username.startswith(SERVICE_ACCOUNT_PREFIX):
        return None
    namespace, colon, name = username[len(SERVICE_ACCOUNT_PREFIX) :].partition(":")
    return (namespace, name) if colon and namespace and name and ":" not in name else None
