"""One value for equal values: thousands of objects in a cache repeat the same labels, owners, tolerations and times.

A decoder makes new strings, lists and structs, and empty ones where a field is absent. Caches keep objects for
long, so it pays to put one value in place of its equals: a Pod then takes a quarter of the memory. It holds because
nobody changes an object of a cache.
"""

from sys import intern
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin

import msgspec
from msgspec.structs import force_setattr

from windlass.kube import meta
from windlass.kube.objects import AnyObject

MAX_SHARED_VALUES = 1024  # then it is cleared: equal values mostly arrive close together
LONGEST_VALUE = 1024  # bytes as JSON; longer ones are seldom equal
UNLIKE = frozenset(("resource_version",))  # no two are equal

_encode = msgspec.json.Encoder().encode
_values: dict[tuple[object, bytes], Any] = {}
"""By where they are (the same JSON is another value elsewhere) and their JSON."""


def share_values(obj: AnyObject) -> None:
    """Do so in a typed object that nobody has seen yet: its values stay equal, but it is written to."""
    if isinstance(obj, meta.Object | meta.PartialObjectMetadata):
        for part in obj.__struct_fields__:  # metadata, spec, status: they differ, and what is in them may not
            value = getattr(obj, part)
            if isinstance(value, msgspec.Struct):
                _share_fields(value)


def _share_fields(struct: msgspec.Struct) -> None:
    """This is done to every object that comes, so it is written to be quick."""
    cls: type[msgspec.Struct] = type(struct)
    for name, is_text in _PLANS.get(cls) or _plan(cls):
        value = getattr(struct, name)
        if value is None:
            continue
        if is_text:
            if value and type(value) is str:
                shared = intern(value)
                if shared is not value:
                    force_setattr(struct, name, shared)
            continue
        shared = _shared(value, (cls, name)) if value else _NOTHING.get(cast(Any, type(value)), value)
        if shared is not value:
            force_setattr(struct, name, shared)


_NOTHING: dict[type, Any] = {list: [], dict: {}}
_PLANS: dict[type, tuple[tuple[str, bool], ...]] = {}


def _plan(cls: type[msgspec.Struct]) -> tuple[tuple[str, bool], ...]:
    """The fields that may repeat, and whether they are texts: numbers cost nothing, versions are all different."""
    found: list[tuple[str, bool]] = []
    for each in msgspec.structs.fields(cls):
        parts = get_args(each.type) if get_origin(each.type) in (Union, UnionType) else (each.type,)
        parts = [part for part in parts if part not in (int, bool, float, NoneType)]
        if parts and each.name not in UNLIKE:
            found.append((each.name, all(part is str or get_origin(part) is Literal for part in parts)))
    return _PLANS.setdefault(cls, tuple(found))


def _shared(value: Any, place: object) -> Any:
    text = _encode(value)
    if len(text) > LONGEST_VALUE:
        return value
    key = (place, text)
    found = _values.get(key)
    if found is None:
        if len(_values) >= MAX_SHARED_VALUES:
            _values.clear()
        found = _values[key] = _inside_shared(value)
    return found


def _inside_shared(value: Any) -> Any:
    if isinstance(value, dict):
        return {intern(name): _text_shared(each) for name, each in cast(dict[str, Any], value).items()}
    for each in cast(list[Any], value) if isinstance(value, list) else (value,):
        if isinstance(each, msgspec.Struct):
            _share_fields(each)
    return cast(Any, value)


def _text_shared(value: Any) -> Any:
    return intern(value) if type(value) is str else value
