"""How an old version of a kind is converted to and from v1, the stored version."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from windlass.kube.json import Object

Rule: TypeAlias = Callable[[Object], Object]
"""Converts a spec (or a status) between versions; leaves its argument unchanged and never raises."""


def unchanged(value: Object) -> Object:
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """An old version. The differences that `raised` and `lowered` lose are saved separately."""

    name: str
    raised: Rule
    """Converts a spec of this version to v1."""
    lowered: Rule
    """Converts a v1 spec to this version."""
    raised_status: Rule = unchanged
    lowered_status: Rule = unchanged
    keyed: Rule = unchanged
    """Turns lists of named elements in a spec into maps, so that they are compared by name."""
    listed: Rule = unchanged
    """Reverses `keyed`."""
    shape_of: Callable[[Object], str] = lambda spec: ""
    """Another version whose format the spec uses."""
    annotated: Callable[[Object, bool], Object] = lambda annotations, storing: annotations
    """Changes the annotations, on the way to v1 (`storing`) or back."""
