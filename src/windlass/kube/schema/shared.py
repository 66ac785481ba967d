"""Parts of schemas that many kinds have in common, such as a pod template: kept once, and compiled once.

A part that is kept stays for ever, so that its identity stands for its content.
"""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from windlass.kube.json import Json, Object, is_object

_Made = TypeVar("_Made")
_kept: dict[int, Object] = {}
_names: dict[int, str] = {}
_alike: dict[frozenset[str], list[Object]] = {}
"""By the names of their fields, which is where a search for an equal one begins."""


def keep(part: Object, name: str = "") -> Object:
    """Make `part` the one copy of itself; `name` is that of its definition. It must not change afterwards."""
    _kept[id(part)] = part
    if name:
        _names[id(part)] = name
    properties = part.get("properties")
    if is_object(properties):
        _alike.setdefault(frozenset(properties), []).append(part)
    return part


def is_kept(part: Object) -> bool:
    return id(part) in _kept


def name_of(part: Object) -> str:
    """The definition that a kept part is; empty for any other."""
    return _names.get(id(part), "")


def sharing(schema: Json) -> Json:
    """`schema` with each part that equals a kept one replaced by that one, in place."""
    if not is_object(schema) or is_kept(schema):
        return schema
    properties = schema.get("properties")
    if is_object(properties):
        for part in _alike.get(frozenset(properties), ()):
            if part == schema:
                return part
        for name, inner in properties.items():
            properties[name] = sharing(inner)
    for word in ("items", "additionalProperties"):
        if word in schema:
            schema[word] = sharing(schema[word])
    return schema


def once(make: Callable[[Object], _Made]) -> Callable[[Object], _Made]:
    """What `make` makes of a kept part is made once, and for any other at each call."""
    made: dict[int, _Made] = {}

    @wraps(make)
    def remembering(part: Object) -> _Made:
        if not is_kept(part):
            return make(part)
        if id(part) not in made:
            made[id(part)] = make(part)
        return made[id(part)]

    return remembering
