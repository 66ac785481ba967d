"""Differences between an object and its round trip through another version, saved in an annotation.

A `Difference` is a path at which the object changes when it is converted and converted back: it records the value after
the round trip and the original value. Converting back restores the original only where the round-trip value is still
there: changes that a user made in the other version win.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from windlass.kube.json import Json, Object, is_list, is_object

Step = str | int
ABSENT: Any = msgspec.UNSET


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """The value at `path` after a round trip (`found`) and the original value (`was`). Either may be absent."""

    path: tuple[Step, ...]
    found: Any = msgspec.UNSET
    was: Any = msgspec.UNSET


def differences(found: Json, was: Json, path: tuple[Step, ...] = ()) -> Iterator[Difference]:
    """Yield all paths at which two JSON values differ, as deep as possible."""
    if is_object(found) and is_object(was):
        for key in dict.fromkeys((*found, *was)):
            yield from differences(found.get(key, ABSENT), was.get(key, ABSENT), (*path, key))
    elif is_list(found) and is_list(was) and len(found) == len(was):
        for index, (one, other) in enumerate(zip(found, was, strict=True)):
            yield from differences(one, other, (*path, index))
    elif not _same(found, was):
        yield Difference(path, found, was)


def restored(value: Json, kept: Sequence[Difference]) -> Json:
    """Return a copy of `value` with the originals restored, wherever the value is as expected."""
    result = _copy(value)
    leaving = {_spelled(each.path): each.path for each in kept if each.was is ABSENT}
    # What goes away goes first: it may leave its place to the same thing under another spelling.
    for difference in sorted(kept, key=lambda each: each.was is not ABSENT):
        other = leaving.get(_spelled(difference.path)) if difference.found is ABSENT else None
        if other is None or _at(result, other) is ABSENT:
            result = _restore(result, difference.path, difference)
    return result


def _spelled(path: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(step.lower() if isinstance(step, str) else step for step in path)


def _at(value: Json, path: tuple[Step, ...]) -> Json:
    for step in path:
        if is_object(value) and isinstance(step, str):
            value = value.get(step, ABSENT)
        elif is_list(value) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return ABSENT
    return value


def _restore(value: Json, path: Sequence[Step], difference: Difference) -> Json:
    if not path:
        return _copy(difference.was) if _same(value, difference.found) else value
    step, *rest = path
    if is_object(value) and isinstance(step, str):
        changed = _restore(value.get(step, ABSENT), rest, difference)
        if changed is ABSENT:
            value.pop(step, None)
        else:
            value[step] = changed
    elif is_list(value) and isinstance(step, int) and step < len(value):
        value[step] = _restore(value[step], rest, difference)
    return value


def _same(value: Json, other: Json) -> bool:
    """Compare JSON values; True does not equal 1."""
    if value is ABSENT or other is ABSENT:
        return value is other
    return value == other and msgspec.json.encode(value, order="sorted") == msgspec.json.encode(other, order="sorted")


def _copy(value: Json) -> Json:
    return value if value is ABSENT else msgspec.json.decode(msgspec.json.encode(value))


class Kept(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of the annotation. `shape` is the version whose format the object used, if not its own."""

    differences: tuple[Difference, ...] = ()
    shape: str = ""


def encoded(kept: Kept) -> str:
    return msgspec.json.encode(kept).decode()


def read(annotation: Json) -> Kept:
    """Decode the annotation; empty if it is invalid, since a user may have edited it."""
    if not isinstance(annotation, str):
        return Kept()
    try:
        return msgspec.json.decode(annotation, type=Kept)
    except (msgspec.MsgspecError, RecursionError):
        return Kept()


def without(obj: Object, *names: str) -> Object:
    return {key: value for key, value in obj.items() if key not in names}
