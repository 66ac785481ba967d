"""Converts protobuf values to Kubernetes' JSON: numbers, and the types that are a single string in JSON.

Each function takes what `fields` yields for one value. None is a value that is null in JSON (a time that was never
set), which is the same as absent.
"""

from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from windlass.formats.protobuf_wire import LENGTH, VARINT, BadMessage, fields, signed, signed32
from windlass.kube.json import BadJson, Json, parse

_EPOCH = datetime.fromtimestamp(0, UTC).replace(tzinfo=None)
_MICROSECOND, _MILLISECOND, _SECOND = 1_000, 1_000_000, 1_000_000_000


def text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise BadMessage(f"invalid UTF-8 in a string: {error.reason}") from error


def _bytes(value: bytes) -> str:
    return b64encode(value).decode()


def _parts(value: bytes, **expected: int) -> list[Any]:
    """The last value of each of a small message's fields 1, 2, …, given their names and wire types."""
    wire_types = list(expected.values())
    found: list[Any] = [b"" if wire_type == LENGTH else 0 for wire_type in wire_types]
    for number, wire_type, part in fields(value):
        if number > len(found):
            continue
        if wire_type != wire_types[number - 1]:
            raise BadMessage(f"proto: wrong wireType = {wire_type} for field {list(expected)[number - 1]}")
        found[number - 1] = part
    return found


def _moment(value: bytes, precision: str) -> str:
    seconds, nanos = _parts(value, seconds=VARINT, nanos=VARINT)
    try:
        moment = _EPOCH + timedelta(seconds=signed(seconds), microseconds=signed32(nanos) // 1000)
    except OverflowError as error:
        raise BadMessage("year outside of range [0,9999]") from error
    return f"{moment.isoformat(timespec=precision)}Z"


def _time(value: bytes) -> str | None:
    return _moment(value, "seconds") if value else None


def _microtime(value: bytes) -> str | None:
    return _moment(value, "microseconds") if value else None


def _duration(value: bytes) -> str:
    return go_duration(signed(_parts(value, duration=VARINT)[0]))


def go_duration(nanoseconds: int) -> str:
    """Format a time.Duration as Go does: 1h0m0.5s, 1.5ms, 0s."""
    sign, rest = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    if rest < _SECOND:
        for unit, size in (("ms", _MILLISECOND), ("µs", _MICROSECOND), ("ns", 1)):
            if rest >= size:
                return f"{sign}{_decimal(rest, size)}{unit}"
        return "0s"
    minutes, rest = divmod(rest, 60 * _SECOND)
    seconds = f"{_decimal(rest, _SECOND)}s"
    if not minutes:
        return sign + seconds
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}h{minutes}m{seconds}" if hours else f"{sign}{minutes}m{seconds}"


def _decimal(value: int, unit: int) -> str:
    whole, fraction = divmod(value, unit)
    return f"{whole}.{fraction:0{len(str(unit)) - 1}d}".rstrip("0") if fraction else str(whole)


def _quantity(value: bytes) -> str:
    return text(_parts(value, string=LENGTH)[0]) or "0"


def _int_or_string(value: bytes) -> int | str:
    is_string, number, string = _parts(value, type=VARINT, intVal=VARINT, strVal=LENGTH)
    return text(string) if is_string else signed32(number)


def _json(value: bytes) -> Json:
    raw = cast(bytes, _parts(value, raw=LENGTH)[0])
    try:
        return parse(raw) if raw else None
    except BadJson as error:
        raise BadMessage(f"json parse error: {error}") from error


def _strings(value: bytes) -> list[str]:
    items: list[str] = []
    for number, wire_type, item in fields(value):
        if number == 1:
            if wire_type != LENGTH:
                raise BadMessage(f"proto: wrong wireType = {wire_type} for field items")
            items.append(text(cast(bytes, item)))
    return items


CONVERTERS: dict[str, tuple[int, Callable[[Any], Json]]] = {
    "bool": (VARINT, bool),
    "int32": (VARINT, signed32),
    "int64": (VARINT, signed),
    "string": (LENGTH, text),
    "bytes": (LENGTH, _bytes),
    "time": (LENGTH, _time),
    "microtime": (LENGTH, _microtime),
    "duration": (LENGTH, _duration),
    "quantity": (LENGTH, _quantity),
    "intorstring": (LENGTH, _int_or_string),
    "json": (LENGTH, _json),
    "strings": (LENGTH, _strings),
}
"""The wire type and the JSON conversion of each type that is not a message with fields."""
