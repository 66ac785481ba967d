"""Protobuf messages as dicts: a message is declared as its fields' names, numbers and types.

    RANGE = Message("Range", first=(1, INT64), rest=(2, ListOf(INT64)))
    data = encode(RANGE, {"first": 1, "rest": [2, 3]})
    decode(RANGE, data)  # the same dict

A field that a dict does not have, or has as None, is not written; every other one is, zeros included. Fields that a
declaration does not name are skipped, as those of a newer client are.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, TypeAlias, cast

from windlass.formats.protobuf_wire import (
    FIXED64,
    LENGTH,
    VARINT,
    BadMessage,
    fields,
    signed,
    tag_bytes,
    varint_bytes,
    varints,
)

MAX_DEPTH = 100
"""Of messages in messages; protobuf's own libraries refuse more."""


class Scalar(Enum):
    INT64 = "int64"
    """Also of 32 bits: the same bytes."""
    BOOL = "bool"
    DOUBLE = "double"
    STRING = "string"


INT64, BOOL, DOUBLE, STRING = Scalar
_WIRE_TYPES = {INT64: VARINT, BOOL: VARINT, DOUBLE: FIXED64, STRING: LENGTH}


@dataclass(frozen=True)
class ListOf:
    item: "Single"


@dataclass(frozen=True)
class MapOf:
    """A map from texts, or from integers."""

    value: "Single"
    key: Scalar = STRING

    @cached_property
    def entry(self) -> "Message":
        return Message("Entry", key=(1, self.key), value=(2, self.value))


@dataclass(frozen=True)
class EnumOf:
    """Names, each at the place of its number."""

    names: Sequence[str]


class Message:
    def __init__(self, name: str, /, **declared: "tuple[int, Type]") -> None:
        self.name = name
        self.fields: dict[str, tuple[int, Type]] = declared

    def add(self, **declared: "tuple[int, Type]") -> None:
        """Declare fields afterwards, for a message that contains itself."""
        self.fields.update(declared)

    @cached_property
    def by_number(self) -> "dict[int, tuple[str, Type]]":
        return {number: (name, type) for name, (number, type) in self.fields.items()}


Single: TypeAlias = Scalar | EnumOf | Message
Type: TypeAlias = Single | ListOf | MapOf


def encode(message: Message, values: Mapping[str, Any]) -> bytes:
    """The bytes of a message. A name that the message does not declare raises KeyError."""
    parts: list[bytes] = []
    for name, value in values.items():
        number, type = message.fields[name]
        match type:
            case _ if value is None:
                continue
            case ListOf(item):
                parts.extend(_written(number, item, each) for each in value)
            case MapOf():
                entries = [{"key": key, "value": each} for key, each in value.items()]
                parts.extend(_written(number, type.entry, entry) for entry in entries)
            case _:
                parts.append(_written(number, type, value))
    return b"".join(parts)


def _written(number: int, type: Single, value: Any) -> bytes:
    match type:
        case Message():
            return _sized(number, encode(type, value))
        case EnumOf(names):
            return tag_bytes(number, VARINT) + varint_bytes(names.index(value))
        case Scalar.STRING:
            return _sized(number, value.encode("utf-8", "replace"))
        case Scalar.DOUBLE:
            return tag_bytes(number, FIXED64) + struct.pack("<d", value)
        case Scalar():
            return tag_bytes(number, VARINT) + varint_bytes(int(value))


def _sized(number: int, content: bytes) -> bytes:
    return tag_bytes(number, LENGTH) + varint_bytes(len(content)) + content


def decode(message: Message, data: bytes, depth: int = 0) -> dict[str, Any]:
    """The fields of a message that were sent, and all its lists and maps. Raises BadMessage, which names the field."""
    if depth > MAX_DEPTH:
        raise BadMessage(f"{message.name} is nested more than {MAX_DEPTH} levels deep")
    empty = {ListOf: list[Any], MapOf: dict[Any, Any]}
    values: dict[str, Any] = {
        name: empty[type.__class__]() for name, (_, type) in message.fields.items() if type.__class__ in empty
    }
    for number, wire_type, value in fields(data):
        name, type = message.by_number.get(number, ("", STRING))
        where = f"{message.name}.{name}"
        match type:
            case _ if not name:  # of a newer client
                continue
            case ListOf(item):
                values[name].extend(_items(item, wire_type, value, where, depth))
            case MapOf(content, key):
                entry = _read(type.entry, wire_type, value, where, depth)
                values[name][entry.get("key", _zero(key))] = entry.get("value", _zero(content))
            case _:
                values[name] = _read(type, wire_type, value, where, depth)
    return values


def _items(item: Single, wire_type: int, value: int | bytes, where: str, depth: int) -> list[Any]:
    """One item of a list, or several: numbers may be packed into one field."""
    if item in (INT64, BOOL) and wire_type == LENGTH:
        return [_read(item, VARINT, number, where, depth) for number in varints(cast(bytes, value))]
    return [_read(item, wire_type, value, where, depth)]


def _read(type: Single, wire_type: int, value: int | bytes, where: str, depth: int) -> Any:
    expected = _WIRE_TYPES[type] if isinstance(type, Scalar) else LENGTH if isinstance(type, Message) else VARINT
    if wire_type != expected:
        raise BadMessage(f"{where}: wrong wire type {wire_type}")
    match type:
        case Message():
            return decode(type, cast(bytes, value), depth + 1)
        case EnumOf(names):
            number = cast(int, value)
            return names[number] if number < len(names) else names[0]
        case Scalar.STRING:
            return _text(cast(bytes, value), where)
        case Scalar.DOUBLE:
            return struct.unpack("<d", cast(bytes, value))[0]
        case Scalar.BOOL:
            return bool(value)
        case Scalar.INT64:
            return signed(cast(int, value))


def _text(value: bytes, where: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise BadMessage(f"{where}: not UTF-8 ({error.reason})") from error


def _zero(type: Single) -> Any:
    match type:
        case Message():
            return decode(type, b"")
        case EnumOf(names):
            return names[0]
        case Scalar():
            return {INT64: 0, BOOL: False, DOUBLE: 0.0, STRING: ""}[type]
