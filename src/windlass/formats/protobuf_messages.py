"""Protobuf messages as dicts: a message is declared as its fields' names, numbers and types.

    RANGE = Message("Range", first=(1, INT64), rest=(2, ListOf(INT64)))
    data = encode(RANGE, {"first": 1, "rest": [2, 3]})
    decode(RANGE, data)  # the same dict

A field that a dict does not have, or has as None, is not written; every other one is, zeros included. Fields that a
declaration does not name are skipped, as those of a newer client are. `protobuf_json` gives messages their JSON form.
"""

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeAlias, cast

from windlass.formats.protobuf_wire import (
    FIXED64,
    LENGTH,
    VARINT,
    BadMessage,
    Field,
    fields,
    signed,
    signed32,
    tag_bytes,
    varint_bytes,
    varints,
)

MAX_DEPTH = 100
"""Of messages in messages; protobuf's own libraries refuse more."""
MAX_FIELDS = 1_000_000
"""Of a message with all that it contains: each takes some hundred bytes of memory, and as few as two on the wire."""


class Scalar(Enum):
    INT32 = "int32", VARINT
    INT64 = "int64", VARINT
    BOOL = "bool", VARINT
    DOUBLE = "double", FIXED64
    STRING = "string", LENGTH
    BYTES = "bytes", LENGTH

    def __init__(self, type_name: str, wire_type: int) -> None:
        self.type_name = type_name
        self.wire_type = wire_type


INT32, INT64, BOOL, DOUBLE, STRING, BYTES = Scalar
_CONTINUED = bytes(range(0x80, 0x100))
"""Bytes of a varint that are not its last."""
_ZEROS: dict[Scalar, Any] = {INT32: 0, INT64: 0, BOOL: False, DOUBLE: 0.0, STRING: "", BYTES: b""}


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
    """Names, each at the place of its number; empty where a number has none."""

    names: Sequence[str]
    type_name: str = ""
    """Of a type of its own; without one it is a part of the message, with the name of its field."""
    wire_type: ClassVar[int] = VARINT

    def name_of(self, number: int) -> str:
        """The name of a number; that of 0 for a number of a newer client."""
        known = self.names[number] if 0 <= number < len(self.names) else ""
        return known or self.names[0]


class Message:
    wire_type: ClassVar[int] = LENGTH

    def __init__(self, name: str, /, **declared: "tuple[int, Type]") -> None:
        self.name = name
        """With its package, unless that is the package of the message that contains it."""
        self.fields: dict[str, tuple[int, Type]] = declared
        self.choices: dict[str, tuple[str, ...]] = {}
        """The fields of each `oneof`, by its name: at most one of them is set."""

    def one_of(self, choice: str, *names: str) -> "Message":
        self.choices[choice] = names
        return self

    def add(self, **declared: "tuple[int, Type]") -> None:
        """Declare fields afterwards, for a message that contains itself."""
        self.fields.update(declared)

    @cached_property
    def by_number(self) -> "dict[int, _Field]":
        return {number: self._field(name, type) for name, (number, type) in self.fields.items()}

    def _field(self, name: str, type: "Type") -> "_Field":
        choice = next((names for names in self.choices.values() if name in names), ())
        return _Field(name, type, f"{self.name}.{name}", tuple(other for other in choice if other != name))

    @cached_property
    def containers(self) -> "list[tuple[str, Callable[[], Any]]]":
        """The lists and maps, which a message has even if they are empty."""
        made: dict[type, Callable[[], Any]] = {ListOf: list[Any], MapOf: dict[Any, Any]}
        return [(name, made[each.__class__]) for name, (_, each) in self.fields.items() if each.__class__ in made]


class _Field(NamedTuple):
    name: str
    type: "Type"
    where: str
    """Its name in messages about it."""
    rivals: tuple[str, ...]
    """The fields of the same `oneof`, which it replaces."""


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
        case EnumOf(names, _):
            return tag_bytes(number, VARINT) + varint_bytes(names.index(value))
        case Scalar.STRING:
            return _sized(number, value.encode("utf-8", "replace"))
        case Scalar.BYTES:
            return _sized(number, value)
        case Scalar.DOUBLE:
            return tag_bytes(number, FIXED64) + struct.pack("<d", value)
        case Scalar():
            return tag_bytes(number, VARINT) + varint_bytes(int(value))


def _sized(number: int, content: bytes) -> bytes:
    return tag_bytes(number, LENGTH) + varint_bytes(len(content)) + content


@dataclass
class _Budget:
    """How many fields a message may still have."""

    left: int

    def fields(self, data: bytes) -> list[Field]:
        found = fields(data, self.left)
        self.left -= len(found)
        return found

    def varints(self, data: bytes) -> list[int]:
        self.left -= len(data.translate(None, _CONTINUED))
        if self.left < 0:
            raise BadMessage("too many numbers")
        return varints(data)


def decode(message: Message, data: bytes) -> dict[str, Any]:
    """The fields of a message that were sent, and all its lists and maps. Raises BadMessage, which names the field."""
    return _decoded(message, data, 0, _Budget(MAX_FIELDS))


def _decoded(message: Message, data: bytes, depth: int, budget: _Budget) -> dict[str, Any]:
    if depth > MAX_DEPTH:
        raise BadMessage(f"{message.name} is nested more than {MAX_DEPTH} levels deep")
    values: dict[str, Any] = {name: make() for name, make in message.containers}
    parts: dict[str, list[bytes]] = {}  # of a message that comes in several parts, which count as one
    for number, wire_type, value in budget.fields(data):
        field = message.by_number.get(number)
        if field is None:  # of a newer client
            continue
        name, type, where, rivals = field
        for rival in rivals:
            values.pop(rival, None)
            parts.pop(rival, None)
        match type:
            case Message() if wire_type == LENGTH:
                parts.setdefault(name, []).append(cast(bytes, value))
            case ListOf(item):
                values[name].extend(_items(item, wire_type, value, where, depth, budget))
            case MapOf(content, key):
                entry = _read(type.entry, wire_type, value, where, depth, budget)
                item_key = entry["key"] if "key" in entry else _zero(key)
                values[name][item_key] = entry["value"] if "value" in entry else _zero(content)
            case _:
                values[name] = _read(type, wire_type, value, where, depth, budget)
    for name, found in parts.items():
        whole = found[0] if len(found) == 1 else b"".join(found)
        values[name] = _decoded(cast(Message, message.fields[name][1]), whole, depth + 1, budget)
    return values


def _items(item: Single, wire_type: int, value: int | bytes, where: str, depth: int, budget: _Budget) -> list[Any]:
    """One item of a list, or several: numbers may be packed into one field."""
    if item.wire_type == VARINT and wire_type == LENGTH:
        return [_read(item, VARINT, number, where, depth, budget) for number in budget.varints(cast(bytes, value))]
    return [_read(item, wire_type, value, where, depth, budget)]


def _read(type: Single, wire_type: int, value: int | bytes, where: str, depth: int, budget: _Budget) -> Any:
    if wire_type != type.wire_type:
        raise BadMessage(f"{where}: wrong wire type {wire_type}")
    match type:
        case Message():
            return _decoded(type, cast(bytes, value), depth + 1, budget)
        case EnumOf():
            return type.name_of(cast(int, value))
        case Scalar.STRING:
            return _text(cast(bytes, value), where)
        case Scalar.BYTES:
            return value
        case Scalar.DOUBLE:
            return struct.unpack("<d", cast(bytes, value))[0]
        case Scalar.BOOL:
            return bool(value)
        case Scalar.INT64:
            return signed(cast(int, value))
        case Scalar.INT32:
            return signed32(cast(int, value))


def _text(value: bytes, where: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise BadMessage(f"{where}: not UTF-8 ({error.reason})") from error


def _zero(type: Single) -> Any:
    match type:
        case Message():
            return decode(type, b"")
        case EnumOf(names, _):
            return names[0]
        case Scalar():
            return _ZEROS[type]
