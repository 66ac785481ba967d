"""The JSON form of protobuf messages, between dicts of `protobuf_messages` and JSON. Pure.

    to_json(RUN, decode(RUN, data))          # snake_case names; what is not set is left out
    encode(RUN, from_json(RUN, document))    # names that the message does not declare are skipped

`protojson` of the pipelines API checks what clients send as JSON; here the numbers of fields and the types have been
checked already, by the bytes.
"""

import base64
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias, cast

from windlass.formats.protobuf_messages import (
    BYTES,
    DOUBLE,
    INT64,
    EnumOf,
    ListOf,
    MapOf,
    Message,
    Type,
    decode,
    encode,
)
from windlass.formats.protobuf_well_known import ANY, DURATION, IN_ANY, LIST_VALUE, STRUCT, TIMESTAMP, VALUE
from windlass.formats.protobuf_wire import BadMessage

Values: TypeAlias = dict[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = -62_135_596_800, 253_402_300_799  # years 1 to 9999, as timestamp.proto says
_LONGEST = 315_576_000_000  # ten thousand years, as duration.proto says
_SECOND = 1_000_000_000
_MAX_EXACT = 1 << 53


def to_json(message: Message, values: Mapping[str, Any]) -> Any:
    """The JSON of a decoded message. Raises BadMessage where a well-known one has a value that JSON has no form for."""
    if message.name in _WELL_KNOWN:
        return _WELL_KNOWN[message.name][0](values)
    shown: Values = {}
    for name, value in values.items():
        type = message.fields[name][1]
        if not isinstance(type, ListOf | MapOf) or value:
            shown[name] = _shown(type, value)
    return shown


def _shown(type: Type, value: Any) -> Any:
    match type:
        case Message():
            return to_json(type, value)
        case ListOf(item):
            return [_shown(item, each) for each in value]
        case MapOf(item):
            return {str(key): _shown(item, each) for key, each in value.items()}
        case _ if type is INT64:
            return str(value)
        case _ if type is BYTES:
            return base64.b64encode(value).decode()
        case _ if type is DOUBLE and not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case _:
            return value


def from_json(message: Message, document: Any) -> Values:
    """What to encode for a JSON document that the server itself has made. Of a `oneof`, the last field is sent."""
    if message.name in _WELL_KNOWN:
        return _WELL_KNOWN[message.name][1](document)
    values = {
        name: _taken(type, document[name])
        for name, (_, type) in message.fields.items()
        if document.get(name) is not None or (type is VALUE and name in document)
    }
    for choice in message.choices.values():
        for name in [name for name in choice if name in values][:-1]:
            del values[name]
    return values


def _taken(type: Type, value: Any) -> Any:
    match type:
        case Message():
            return from_json(type, value)
        case ListOf(item):
            return [_taken(item, each) for each in value]
        case MapOf(item, key):
            return {int(name) if key is INT64 else name: _taken(item, each) for name, each in value.items()}
        case EnumOf():
            return value
        case _ if type is BYTES:
            return base64.b64decode(value)
        case _ if type is DOUBLE:
            return float(value)
        case _ if type is INT64:
            return int(value)
        case _:
            return value


def _value_to_json(value: Mapping[str, Any]) -> Any:
    """A Value without any of its fields counts as null, as Python's library has it."""
    match next(iter(value.items()), ("null_value", None)):
        case ("number_value", number):
            return _number(number)
        case ("struct_value", struct):
            return _struct_to_json(struct)
        case ("list_value", values):
            return _list_to_json(values)
        case ("null_value", _):
            return None
        case (_, simple):
            return simple


def _number(number: float) -> int | float:
    """JSON has one kind of number: 3.0 is written as 3."""
    if not math.isfinite(number):
        raise BadMessage("google.protobuf.Value.number_value: JSON has no such number")
    return int(number) if number.is_integer() and abs(number) < _MAX_EXACT else number


def _value_from_json(value: Any) -> Values:
    match value:
        case None:
            return {"null_value": "NULL_VALUE"}
        case bool():
            return {"bool_value": value}
        case str():
            return {"string_value": value}
        case int() | float():
            return {"number_value": float(value)}
        case list():
            return {"list_value": _list_from_json(cast(list[Any], value))}
        case _:
            return {"struct_value": _struct_from_json(value)}


def _struct_to_json(struct: Mapping[str, Any]) -> Values:
    return {name: _value_to_json(value) for name, value in struct["fields"].items()}


def _struct_from_json(value: Mapping[str, Any]) -> Values:
    return {"fields": {name: _value_from_json(each) for name, each in value.items()}}


def _list_to_json(values: Mapping[str, Any]) -> list[Any]:
    return [_value_to_json(each) for each in values["values"]]


def _list_from_json(values: list[Any]) -> Values:
    return {"values": [_value_from_json(each) for each in values]}


def _timestamp_to_json(value: Mapping[str, Any]) -> str:
    seconds, nanos = value.get("seconds", 0), value.get("nanos", 0)
    if not (_FIRST <= seconds <= _LAST and 0 <= nanos < _SECOND):
        raise BadMessage("google.protobuf.Timestamp: not between the years 1 and 9999")
    moment = _EPOCH + timedelta(seconds=seconds)
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}{_fraction(nanos)}Z"


def _timestamp_from_json(text: str) -> Values:
    moment = datetime.fromisoformat(text)
    since = moment - _EPOCH
    return {"seconds": since.days * 86_400 + since.seconds, "nanos": since.microseconds * 1000}


def _duration_to_json(value: Mapping[str, Any]) -> str:
    seconds, nanos = value.get("seconds", 0), value.get("nanos", 0)
    if abs(seconds) > _LONGEST or abs(nanos) >= _SECOND or seconds * nanos < 0:
        raise BadMessage("google.protobuf.Duration: out of range, or its parts differ in sign")
    sign = "-" if seconds < 0 or nanos < 0 else ""
    return f"{sign}{abs(seconds)}{_fraction(abs(nanos))}s"


def _duration_from_json(text: str) -> Values:
    whole, _, fraction = text.removesuffix("s").removeprefix("-").partition(".")
    sign = -1 if text.startswith("-") else 1
    return {"seconds": sign * int(whole), "nanos": sign * int(fraction.ljust(9, "0"))}


def _fraction(nanos: int) -> str:
    """With none, three, six or nine digits."""
    digits = f"{nanos:09d}"
    while digits.endswith("000"):
        digits = digits[:-3]
    return f".{digits}" if digits else ""


def _any_to_json(value: Mapping[str, Any]) -> Values:
    url, content = value.get("type_url", ""), value.get("value", b"")
    message = IN_ANY.get(url.rpartition("/")[2])
    if message is None:
        return {"@type": url, "value": base64.b64encode(content).decode()}
    return {"@type": url, **to_json(message, decode(message, content))}


def _any_from_json(value: Mapping[str, Any]) -> Values:
    url = value["@type"]
    message = IN_ANY.get(url.rpartition("/")[2])
    content = base64.b64decode(value["value"]) if message is None else encode(message, from_json(message, value))
    return {"type_url": url, "value": content}


_Pair: TypeAlias = tuple[Callable[[Mapping[str, Any]], Any], Callable[[Any], Values]]
_WELL_KNOWN: dict[str, _Pair] = {
    VALUE.name: (_value_to_json, _value_from_json),
    STRUCT.name: (_struct_to_json, _struct_from_json),
    LIST_VALUE.name: (_list_to_json, _list_from_json),
    TIMESTAMP.name: (_timestamp_to_json, _timestamp_from_json),
    DURATION.name: (_duration_to_json, _duration_from_json),
    ANY.name: (_any_to_json, _any_from_json),
}
"""To JSON and from it."""
