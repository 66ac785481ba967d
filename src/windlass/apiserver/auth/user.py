"""Who is asking: a name, groups and extra facts, however they were proven.

A `User` is immutable and its hash is kept, so the authoriser can remember decisions per user at the price of a dict
lookup. Everybody who proved who they are is in `system:authenticated`; `ANONYMOUS` is everybody else.
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
    """An identity. `extra` is a sorted tuple of (key, values), so that the whole can be hashed."""

    name: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Extra = ()

    def extra_object(self) -> dict[str, list[str]]:
        return {key: list(values) for key, values in self.extra}

    def info(self) -> Object:
        """The UserInfo that reviews, admission webhooks and certificate requests carry."""
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
    """A user who proved who they are: in `system:authenticated` besides their own groups."""
    unique = dict.fromkeys(groups)
    unique[AUTHENTICATED] = None
    return User(name, uid, tuple(unique), extra)


def service_account_name(namespace: str, name: str) -> str:
    return f"{SERVICE_ACCOUNT_PREFIX}{namespace}:{name}"


def service_account_groups(namespace: str) -> tuple[str, str]:
    return SERVICE_ACCOUNTS, f"{SERVICE_ACCOUNTS}:{namespace}"


def split_service_account(username: str) -> tuple[str, str] | None:
    """(namespace, name) when `username` is that of a service account."""
    if not username.startswith(SERVICE_ACCOUNT_PREFIX):
        return None
    namespace, colon, name = username[len(SERVICE_ACCOUNT_PREFIX) :].partition(":")
    return (namespace, name) if colon and namespace and name and ":" not in name else None
