"""User impersonation: the `Impersonate-*` headers and their authorization.

The real user needs the verb `impersonate` for every part that is requested (user, each group, uid, each extra value);
parts that are not requested are not inherited.
"""

from collections.abc import Iterable
from urllib.parse import unquote

from windlass.apiserver.auth.attributes import Attributes, Authorize, forbidden_error, quoted
from windlass.apiserver.auth.user import (
    ANONYMOUS,
    AUTHENTICATED,
    UNAUTHENTICATED,
    User,
    extra_of,
    service_account_groups,
    split_service_account,
)
from windlass.kube.errors import BadRequest

PREFIX = b"impersonate-"
EXTRA_PREFIX = "impersonate-extra-"


class _Asked:
    """The identity that the headers request."""

    __slots__ = ("extra", "groups", "uid", "user")

    def __init__(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self.user = self.uid = ""
        self.groups: list[str] = []
        self.extra: dict[str, list[str]] = {}
        for raw_name, raw_value in headers:
            name, value = raw_name.lower().decode("latin-1"), raw_value.decode("utf-8", "replace")
            if name == "impersonate-user":
                self.user = value
            elif name == "impersonate-uid":
                self.uid = value
            elif name == "impersonate-group":
                self.groups.append(value)
            elif name.startswith(EXTRA_PREFIX):
                self.extra.setdefault(unquote(name[len(EXTRA_PREFIX) :]), []).append(value)


def impersonate(user: User, headers: Iterable[tuple[bytes, bytes]], authorize: Authorize) -> User:
    """Return the impersonated user; `user` itself without such headers. Raises Forbidden or BadRequest."""
    wanted = [(name, value) for name, value in headers if name[:12].lower() == PREFIX]
    if not wanted:
        return user
    asked = _Asked(wanted)
    if not asked.user:
        parts = [f"Group {quoted(group)}" for group in asked.groups] + [f"UserExtra {quoted(k)}" for k in asked.extra]
        parts += [f"UID {quoted(asked.uid)}"] * bool(asked.uid)
        raise BadRequest(f"requested [{', '.join(parts)}] without impersonating a user")
    for attributes in _checks(asked):
        decision = authorize(user, attributes)
        if not decision.allowed:
            raise forbidden_error(user, attributes, decision.reason)
    return User(asked.user, asked.uid, _groups(asked), extra_of(asked.extra))


def _checks(asked: _Asked) -> Iterable[Attributes]:
    account = split_service_account(asked.user)
    if account is not None:
        yield Attributes("impersonate", "", "serviceaccounts", "", *account)
    else:
        yield Attributes("impersonate", "", "users", name=asked.user)
    for group in asked.groups:
        yield Attributes("impersonate", "", "groups", name=group)
    for key, values in asked.extra.items():
        for value in values:
            yield Attributes("impersonate", "authentication.k8s.io", "userextras", key, name=value)
    if asked.uid:
        yield Attributes("impersonate", "authentication.k8s.io", "uids", name=asked.uid)


def _groups(asked: _Asked) -> tuple[str, ...]:
    groups = dict.fromkeys(asked.groups)
    account = split_service_account(asked.user)
    if account is not None and not groups:
        groups.update(dict.fromkeys(service_account_groups(account[0])))
    if AUTHENTICATED not in groups and UNAUTHENTICATED not in groups:
        groups[UNAUTHENTICATED if asked.user == ANONYMOUS.name else AUTHENTICATED] = None
    return tuple(groups)
