"""The wire format of protobuf messages, read field by field, without definitions."""

from collections.abc import Iterator
from typing import TypeAlias

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_MAX_VARINT_BYTES = 10

Field: TypeAlias = tuple[int, int, int | bytes]
"""A field's number, its wire type, and its value: an integer for varints, the bytes otherwise."""


class BadMessage(ValueError):
    """The bytes are not a protobuf message."""


def fields(message: bytes) -> Iterator[Field]:
    """The fields of a message in their order. Raises `BadMessage` at the first one that cannot be read."""
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        number, wire_type = key >> 3, key & 7
        if number == 0:
            raise BadMessage("a field has the number 0")
        if wire_type == VARINT:
            value, at = varint(message, at)
            yield number, wire_type, value
            continue
        match wire_type:
            case 1:
                length = 8
            case 2:
                length, at = varint(message, at)
            case 5:
                length = 4
            case _:
                raise BadMessage(f"field {number} has the unknown wire type {wire_type}")
        if at + length > len(message):
            raise BadMessage(f"field {number} ends after its message")
        yield number, wire_type, message[at : at + length]
        at += length


def varint(message: bytes, at: int) -> tuple[int, int]:
    """The unsigned integer at a position, and the position after it."""
    value = 0
    for index in range(_MAX_VARINT_BYTES):
        if at + index >= len(message):
            raise BadMessage("an integer ends after its message")
        byte = message[at + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at + index + 1
    raise BadMessage("an integer has more than ten bytes")


def signed(value: int) -> int:
    """A varint of an `int32` or `int64` field as the signed integer that it stands for."""
    return value - (1 << 64) if value >= 1 << 63 else value
