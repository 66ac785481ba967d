"""Untyped Kubernetes objects: what JSON decodes to, and safe ways to look inside it.

Foreign kinds pass through Windlass as plain dicts. These helpers keep such code short and typed: `dig` never raises on
a missing or odd-shaped path, so callers that run before validation can use it too.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeAlias, TypeGuard, TypeVar

import msgspec

from windlass.formats.nesting import MAX_DEPTH, TOO_DEEP, is_too_deep

Json: TypeAlias = Any
Object: TypeAlias = dict[str, Any]
T = TypeVar("T")

encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode
decode: Callable[[bytes | str], Any] = msgspec.json.Decoder().decode


class BadJson(ValueError):
    """The text is not JSON, or is nested too deeply."""


def parse(text: bytes | str) -> Json:
    """Decode JSON that a user wrote. Raises BadJson, also if it is nested deeper than MAX_DEPTH levels.

    Functions that recurse over the value can then not exceed Python's limit.
    """
    try:
        value = decode(text)
    except RecursionError as error:
        raise BadJson(TOO_DEEP) from error
    except (msgspec.DecodeError, UnicodeError) as error:
        raise BadJson(str(error)) from error
    brackets = text.count("{") + text.count("[") if isinstance(text, str) else text.count(b"{") + text.count(b"[")
    if brackets > MAX_DEPTH:
        check_depth(value)
    return value


def parse_as(text: bytes | str, form: type[T]) -> T:
    """Decode JSON that a user wrote into a type. Raises BadJson, also for unknown fields that are nested too deeply."""
    try:
        return msgspec.json.decode(text, type=form)
    except RecursionError as error:
        raise BadJson(TOO_DEEP) from error
    except (msgspec.DecodeError, UnicodeError) as error:
        raise BadJson(str(error)) from error


def check_depth(value: Json) -> None:
    """Raise BadJson for a value with more than MAX_DEPTH levels of objects and lists."""
    if is_too_deep(value):
        raise BadJson(TOO_DEEP)


def is_object(value: object) -> TypeGuard[Object]:
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def dig(value: Json, *path: str) -> Json:
    """The value at `path`, or None where any step is missing or is not an object."""
    for step in path:
        if not isinstance(value, dict):
            return None
        value = value.get(step)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - JSON is Any
    return value  # pyright: ignore[reportUnknownVariableType] - JSON is Any


def dig_object(value: Json, *path: str) -> Object:
    """The object at `path`; an empty one (not attached to `value`) where there is none."""
    found = dig(value, *path)
    return found if is_object(found) else {}


def dig_list(value: Json, *path: str) -> list[Any]:
    """The list at `path`; an empty one (not attached to `value`) where there is none."""
    found = dig(value, *path)
    return found if is_list(found) else []


def timestamp(moment: datetime | None = None) -> str:
    """RFC 3339 to the second in UTC, as `metav1.Time` prints it."""
    return (moment or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro_timestamp(moment: datetime | None = None) -> str:
    """RFC 3339 with microseconds in UTC, as `metav1.MicroTime` prints it."""
    return (moment or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
