"""Protobuf's JSON form: names in snake_case or camelCase are read, snake_case is written, zeros are left out.

A message is a mapping from field names to types. `decode` gives a dict of the fields that were sent, by their
snake_case names, and refuses everything else with the path of the field; `encode` gives what is sent.
"""

import base64
import binascii
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cached_property, lru_cache
from typing import Any, TypeAlias, cast

from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.kube.json import Object

MAX_INT32, MAX_INT64 = (1 << 31) - 1, (1 << 63) - 1
MAX_DEPTH = 100


class Scalar(Enum):
    STRING = "a string"
    BOOL = "a boolean"
    INT32 = "a 32-bit integer"
    INT64 = "a 64-bit integer"
    DOUBLE = "a number"
    TIMESTAMP = "a timestamp (RFC 3339)"
    BYTES = "a base64 text"
    STRUCT = "an object"
    """google.protobuf.Struct: any JSON object."""
    VALUE = "a value"
    """google.protobuf.Value: any JSON."""
    OPTIONAL_INT64 = "a 64-bit integer or nothing"
    OPTIONAL_DOUBLE = "a number or nothing"


STRING, BOOL, INT32, INT64, DOUBLE, TIMESTAMP, BYTES, STRUCT, VALUE, OPTIONAL_INT64, OPTIONAL_DOUBLE = Scalar
SENT_AS_ZERO = frozenset({TIMESTAMP, VALUE, OPTIONAL_INT64, OPTIONAL_DOUBLE})
"""Types whose zeros are sent; all but times are left out where they have no value."""


@dataclass(frozen=True)
class ListOf:
    item: "Type"


@dataclass(frozen=True)
class MapOf:
    value: "Type"


@dataclass(frozen=True)
class EnumOf:
    numbers: Mapping[str, int]
    """By name; the name with number 0 is the one that is left out."""


@dataclass(frozen=True)
class Message:
    fields: Mapping[str, "Type"]
    names: Mapping[str, str] | None = None
    """Names on the wire that are neither of the two usual forms."""

    @cached_property
    def encoder(self) -> "Encoder":
        return message_encoder(self)


Type: TypeAlias = Scalar | ListOf | MapOf | EnumOf | Message


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def bad(path: str, problem: str) -> InvalidArgument:
    return InvalidArgument(f"{path}: {problem}" if path else problem)


def decode(message: Message, value: Any, path: str = "") -> Object:
    """The fields of a message that were sent; null counts as not sent. Raises InvalidArgument."""
    if not isinstance(value, dict):
        raise bad(path, "must be an object")
    by_name = {spelling: name for name in message.fields for spelling in (name, camel(name))}
    decoded: Object = {}
    for spelling, item in cast(Object, value).items():
        name = by_name.get(spelling)
        where = f"{path}.{spelling}" if path else spelling
        if name is None:
            raise bad(where, "unknown field")
        if name in decoded:
            raise bad(where, "is given twice")
        if item is not None:
            decoded[name] = decode_value(message.fields[name], item, where)
    return decoded


def decode_value(type: Type, value: Any, path: str) -> Any:
    match type:
        case Message():
            return decode(type, value, path)
        case ListOf(item):
            if not isinstance(value, list):
                raise bad(path, "must be a list")
            return [decode_value(item, each, f"{path}[{at}]") for at, each in enumerate(cast(list[Any], value))]
        case MapOf(item):
            if not isinstance(value, dict):
                raise bad(path, "must be an object")
            items = cast(Object, value).items()
            return {checked_text(key, path): decode_value(item, each, f"{path}.{key}") for key, each in items}
        case EnumOf(numbers):
            return decode_enum(numbers, value, path)
        case Scalar():
            return decode_scalar(type, value, path)


def decode_enum(numbers: Mapping[str, int], value: Any, path: str) -> str:
    """The name, whether the name or the number was sent."""
    if isinstance(value, str) and value in numbers:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        for name, number in numbers.items():
            if number == value:
                return name
    raise bad(path, f"must be one of {', '.join(numbers)}")


def decode_scalar(type: Scalar, value: Any, path: str) -> Any:
    match type:
        case Scalar.STRING if isinstance(value, str):
            return checked_text(value, path)
        case Scalar.BOOL if isinstance(value, bool):
            return value
        case Scalar.INT32 | Scalar.INT64 | Scalar.OPTIONAL_INT64:
            return decode_integer(type, value, path)
        case Scalar.DOUBLE | Scalar.OPTIONAL_DOUBLE:
            return decode_number(value, path)
        case Scalar.TIMESTAMP if isinstance(value, str):
            return parse_time(value, path)
        case Scalar.BYTES if isinstance(value, str):
            try:
                return base64.b64decode(value, validate=True)
            except (binascii.Error, ValueError) as error:
                raise bad(path, "must be base64") from error
        case Scalar.STRUCT if isinstance(value, dict):
            return checked_json(cast(Object, value), path)
        case Scalar.VALUE:
            return checked_json(value, path)
        case _:
            raise bad(path, f"must be {type.value}")


def decode_integer(type: Scalar, value: Any, path: str) -> int:
    limit = MAX_INT32 if type is Scalar.INT32 else MAX_INT64
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,20}", value):
        value = int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not -limit - 1 <= value <= limit:
        raise bad(path, f"must be {type.value}")
    return value


def decode_number(value: Any, path: str) -> float:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError as error:
            raise bad(path, "must be a number") from error
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise bad(path, "must be a number")
    return float(value)


def parse_time(text: str, path: str) -> float:
    """Seconds since 1970. Raises InvalidArgument."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise bad(path, "must be a timestamp such as 2026-01-31T09:30:00Z") from error
    if moment.tzinfo is None:
        raise bad(path, "the timestamp has no time zone: end it with Z")
    try:
        return moment.timestamp()
    except (OverflowError, ValueError) as error:
        raise bad(path, "the timestamp is out of range") from error


def checked_text(text: str, path: str) -> str:
    """Databases keep neither NUL characters nor half of a surrogate pair."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise bad(path, "has a character that cannot be stored")
    return text


def checked_json(value: Any, path: str, depth: int = 0) -> Any:
    """Any JSON, of a bounded depth and with storable texts."""
    if depth > MAX_DEPTH:
        raise bad(path, f"is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, str):
        return checked_text(value, path)
    if isinstance(value, dict):
        return {
            checked_text(key, path): checked_json(item, path, depth + 1) for key, item in cast(Object, value).items()
        }
    if isinstance(value, list):
        return [checked_json(item, path, depth + 1) for item in cast(list[Any], value)]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_INT64:
        return float(value)
    return value


def encode(message: Message, values: Mapping[str, Any]) -> Object:
    """What is sent of a message: `values` by field name. Times are always sent, also those that have not come yet."""
    return message.encoder(values)


Encoder: TypeAlias = Callable[[Any], Any]
"""Gives what is sent of a value that is not None."""


def message_encoder(message: Message) -> Encoder:
    """Put together once for each type: the run of a loop has thousands of tasks with some thirty fields each."""
    names = message.names or {}
    fields = [
        (name, names.get(name, name), value_encoder(type), isinstance(type, Scalar) and type in SENT_AS_ZERO)
        for name, type in message.fields.items()
    ]

    def encode_message(values: Mapping[str, Any]) -> Object:
        encoded: Object = {}
        for name, sent_name, encode_field, is_sent_as_zero in fields:
            value = values.get(name)
            if value is None:
                continue
            if encode_field is not None:
                value = encode_field(value)
            if value or is_sent_as_zero:
                encoded[sent_name] = value
        return encoded

    return encode_message


def value_encoder(type: Type) -> Encoder | None:
    """None for a type whose values are sent as they are."""
    match type:
        case Message():
            return lambda value: type.encoder(value)  # messages may contain themselves
        case ListOf(item):
            encode_item = value_encoder(item)
            return None if encode_item is None else lambda values: [encode_item(value) for value in values]
        case MapOf(item):
            encode_item = value_encoder(item)
            if encode_item is None:
                return None
            return lambda values: {key: encode_item(value) for key, value in values.items()}
        case EnumOf(numbers):
            return lambda value: None if numbers.get(str(value), 0) == 0 else str(value)
        case Scalar.INT64:
            return lambda value: str(value) if value else None
        case Scalar.OPTIONAL_INT64:
            return str
        case Scalar.TIMESTAMP:
            return time_text
        case Scalar.BYTES:
            return lambda value: base64.b64encode(value).decode()
        case _:
            return None


def time_text(seconds: float) -> str:
    """RFC 3339 with whole seconds."""
    try:
        return _second_text(int(seconds))
    except (OverflowError, ValueError, OSError):
        return _second_text(0)


@lru_cache(4096)
def _second_text(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
