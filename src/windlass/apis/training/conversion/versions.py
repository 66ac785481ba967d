"""What a version of a kind must say so that it can be converted to and from v1, the version that is stored."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from windlass.kube.json import Object

Rule: TypeAlias = Callable[[Object], Object]
"""From a spec (or a status) of one version to another's; leaves its argument alone and never raises."""


def unchanged(value: Object) -> Object:
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One old version. What `raised` and `lowered` lose of each other's specs is kept elsewhere."""

    name: str
    raised: Rule
    """Its spec -> a v1 spec."""
    lowered: Rule
    """A v1 spec -> its spec."""
    raised_status: Rule = unchanged
    lowered_status: Rule = unchanged
    keyed: Rule = unchanged
    """Its spec with lists whose elements have names as maps, so that they are compared by name."""
    listed: Rule = unchanged
    """The opposite of `keyed`."""
    shape_of: Callable[[Object], str] = lambda spec: ""
    """Another version whose form this spec has."""
    annotated: Callable[[Object, bool], Object] = lambda annotations, storing: annotations
    """Its own changes to annotations, on the way to v1 (`storing`) or back."""
