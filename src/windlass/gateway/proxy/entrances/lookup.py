"""The entrances of all apps, by the path of a request and by the right that entering needs."""

from collections.abc import Mapping
from functools import cache

from windlass.apis.access import Access
from windlass.apis.app import Entrance
from windlass.apps import entrances
from windlass.kube.kind import Kind


@cache
def _by_prefix() -> Mapping[str, Entrance]:
    return {entrance.prefix: entrance for entrance in entrances()}


@cache
def _by_resource() -> Mapping[tuple[str, str], Entrance]:
    return {(entrance.declared.group, entrance.declared.plural): entrance for entrance in entrances()}


@cache
def prefixes() -> frozenset[str]:
    """The first segments of paths that lead to servers of objects."""
    return frozenset(_by_prefix())


def entrance_at(path: str) -> Entrance | None:
    """The entrance at `/<prefix>/<namespace>/<name>/…`; None for other paths, which name no object."""
    segments = path.split("/", 4)
    return _by_prefix().get(segments[1]) if len(segments) >= 4 else None


def entrance_of(access: Access | None) -> Entrance | None:
    """The entrance to the object that a right names; None if the object's kind has none."""
    return _by_resource().get((access.group, access.resource)) if access is not None else None


def entrance_to(kind: Kind) -> Entrance:
    """The entrance to objects of a kind. Raises KeyError for a kind without an entrance."""
    return _by_resource()[kind.group, kind.plural]


def needed_access(path: str) -> Access | None:
    """The right that a path needs; None for the platform's own routes, which need an identity only."""
    segments = path.split("/", 4)
    entrance = _by_prefix().get(segments[1]) if len(segments) >= 4 else None
    return entrance.access(segments[2], segments[3]) if entrance is not None else None
