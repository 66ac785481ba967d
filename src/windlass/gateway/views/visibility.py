"""Hide the names of objects in namespaces that a user may not see, in reasons and in what is computed of all. Pure."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from windlass.apis.reasons import GangReason, Kept, MadeRoomFor, Reason, Terminating

R = TypeVar("R", bound=msgspec.Struct)
OTHERS = "another namespace"
"""Stands for a gang or pod that the user may not see."""
NAMED = re.compile(r"(?<![\w./-])([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
"""`namespace/name` in a sentence; `nvidia.com/gpu` is none, since a namespace has no dot."""


@dataclass(frozen=True, slots=True)
class Visible:
    """The namespaces of which a user may see jobs and pods; None: all."""

    namespaces: frozenset[str] | None

    def __contains__(self, namespace: object) -> bool:
        return self.namespaces is None or namespace in self.namespaces

    def sees(self, name: str) -> bool:
        """Whether `namespace/name` is in one of them."""
        namespace, slash, _ = name.partition("/")
        return self.namespaces is None or (bool(slash) and namespace in self.namespaces)

    def named(self, name: str) -> str:
        return name if self.sees(name) else OTHERS

    def scrubbed(self, sentence: str) -> str:
        """A sentence without the names of objects of others."""
        if self.namespaces is None:
            return sentence
        return NAMED.sub(lambda match: match[0] if match[1] in self else OTHERS, sentence)


EVERYTHING = Visible(None)


def only(namespaces: Collection[str]) -> Visible:
    return Visible(frozenset(namespaces))


def masked(reason: Reason, visible: Visible) -> Reason:
    """The reason without names of others; the same object where it has none."""
    return reason if visible.namespaces is None else _masked(reason, visible)


def masked_gang(reason: GangReason, visible: Visible) -> GangReason:
    return reason if visible.namespaces is None else _masked(reason, visible)


def _masked(value: R, visible: Visible) -> R:
    changes: dict[str, Any] = {}
    for field in value.__struct_fields__:
        before: Any = getattr(value, field)
        after = _masked_name(value, field, before, visible)
        if after is not before:
            changes[field] = after
    return msgspec.structs.replace(value, **changes) if changes else value


def _masked_name(owner: msgspec.Struct, field: str, value: Any, visible: Visible) -> Any:
    if isinstance(value, msgspec.Struct):
        return _masked(value, visible)
    if isinstance(value, tuple):
        items: list[Any] = [_masked(one, visible) if isinstance(one, msgspec.Struct) else one for one in value]  # pyright: ignore[reportUnknownVariableType] - reasons hold tuples of structs or texts
        return tuple(items) if any(a is not b for a, b in zip(items, value, strict=True)) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - as above
    is_name = (isinstance(owner, Kept | MadeRoomFor) and field == "gang") or (
        isinstance(owner, Terminating) and field == "pod"
    )
    return visible.named(value) if is_name and value and not visible.sees(value) else value
