"""What one version says and another cannot, kept beside the converted object so that the way back finds it.

A `Difference` is a place where the object, converted and converted back, would not be what it was. It notes what would
stand there and what did. On the way back it applies only where the former still stands: what a user has changed
meanwhile, in the other version, wins.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from windlass.kube.json import Json, Object, is_list, is_object

Step = str | int
ABSENT: Any = msgspec.UNSET


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """At `path` the way back alone finds `found`, where there `was` something else. Either may be absent."""

    path: tuple[Step, ...]
    found: Any = msgspec.UNSET
    was: Any = msgspec.UNSET


def differences(found: Json, was: Json, path: tuple[Step, ...] = ()) -> Iterator[Difference]:
    """All places where two JSON values differ, as small as they can be told."""
    if is_object(found) and is_object(was):
        for key in dict.fromkeys((*found, *was)):
            yield from differences(found.get(key, ABSENT), was.get(key, ABSENT), (*path, key))
    elif is_list(found) and is_list(was) and len(found) == len(was):
        for index, (one, other) in enumerate(zip(found, was, strict=True)):
            yield from differences(one, other, (*path, index))
    elif not _same(found, was):
        yield Difference(path, found, was)


def restored(value: Json, kept: Sequence[Difference]) -> Json:
    """`value` (left alone) with what was, wherever the way back found what it was expected to find."""
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


def _same(one: Json, other: Json) -> bool:
    """Equality of JSON values, in which True is not 1."""
    if one is ABSENT or other is ABSENT:
        return one is other
    return one == other and msgspec.json.encode(one, order="sorted") == msgspec.json.encode(other, order="sorted")


def _copy(value: Json) -> Json:
    return value if value is ABSENT else msgspec.json.decode(msgspec.json.encode(value))


class Kept(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of the annotation. `shape` is the version whose form the object had, where it was not its own."""

    differences: tuple[Difference, ...] = ()
    shape: str = ""


def encoded(kept: Kept) -> str:
    return msgspec.json.encode(kept).decode()


def read(annotation: Json) -> Kept:
    """What was kept; nothing where somebody has spoilt it, for it is only a courtesy."""
    if not isinstance(annotation, str):
        return Kept()
    try:
        return msgspec.json.decode(annotation, type=Kept)
    except msgspec.MsgspecError:
        return Kept()


def without(obj: Object, *names: str) -> Object:
    return {key: value for key, value in obj.items() if key not in names}
