"""Requests to the authorizer, its decisions, and Kubernetes' wording of a refusal."""

from typing import Protocol

import msgspec

from windlass.apiserver.auth.user import User
from windlass.kube.errors import Forbidden
from windlass.kube.json import encode


class Attributes(msgspec.Struct, frozen=True, cache_hash=True):
    """A request as RBAC sees it. A request for a non-resource path has `path` and no `resource`."""

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""


class Decision(msgspec.Struct, frozen=True):
    allowed: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.allowed


class Authorize(Protocol):
    """The type of `Rbac.allowed`, for modules that only call it."""

    def __call__(self, user: User, attributes: Attributes, /) -> Decision: ...


_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def quoted(text: str) -> str:
    """Quote a string as Go's %q does."""
    return encode(text).decode()


def quoted_list(texts: list[str] | tuple[str, ...]) -> str:
    """Quote a list of strings as Go's %q does: `["a" "b"]`."""
    return f"[{' '.join(quoted(text) for text in texts)}]"


def forbidden_error(user: User, attributes: Attributes, reason: str = "") -> Forbidden:
    """Build the 403 for a user without permission; `reason` is the Decision's."""
    message = _cannot(user, attributes).translate(_ESCAPES)
    if reason:
        message = f"{message}: {reason}"
    return forbidden_resource(attributes.resource, attributes.group, attributes.name, message)


def forbidden_resource(resource: str, group: str, name: str, why: str) -> Forbidden:
    """Build the error `pods "a" is forbidden: why`, with the details that clients read."""
    if not resource:
        return Forbidden(f"forbidden: {why}")
    qualified = f"{resource}.{group}" if group else resource
    subject = f"{qualified} {quoted(name)}" if name else qualified
    return Forbidden(f"{subject} is forbidden: {why}", kind=resource, group=group, name=name)


def _cannot(user: User, asked: Attributes) -> str:
    who = f"User {quoted(user.name)} cannot {asked.verb}"
    if not asked.resource:
        return f"{who} path {quoted(asked.path)}"
    resource = f"{asked.resource}/{asked.subresource}" if asked.subresource else asked.resource
    where = f"in the namespace {quoted(asked.namespace)}" if asked.namespace else "at the cluster scope"
    return f"{who} resource {quoted(resource)} in API group {quoted(asked.group)} {where}"
