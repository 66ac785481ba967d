"""The wire format of protobuf messages: numbered fields, independent of their meaning.

    for number, wire_type, value in fields(message): ...

The value of a VARINT field is an int, unsigned as on the wire; that of any other is bytes. Invalid bytes raise
`BadMessage`, in the words of Go's library, which clients of Kubernetes know. `protobuf_messages` gives fields names.
"""

from typing import TypeAlias

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5

Field: TypeAlias = tuple[int, int, int | bytes]
"""A field's number, its wire type and its value."""
_MAX_VARINT_BITS = 63
_UNSIGNED = 0xFFFF_FFFF_FFFF_FFFF


class BadMessage(ValueError):
    """The bytes are not a protobuf message."""


def fields(message: bytes, limit: int | None = None) -> list[Field]:
    """The fields of a message, in the order of the bytes; more than `limit` are refused before they are held."""
    result: list[Field] = []
    at, end = 0, len(message)
    while at < end:
        if limit is not None and len(result) >= limit:
            raise BadMessage("too many fields")
        tag = message[at]
        if tag < 0x80:  # nearly always, and worth not calling for
            at += 1
        else:
            tag, at = varint(message, at)
        number, wire_type = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise BadMessage(f"proto: illegal tag {number} (wire type {wire_type})")
        if wire_type == VARINT:
            value, at = varint(message, at)
        else:
            value, at = _bytes(message, at, wire_type)
        result.append((number, wire_type, value))
    return result


def varint(message: bytes, at: int) -> tuple[int, int]:
    """The unsigned integer at a position, and the position after it."""
    value = shift = 0
    try:
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & _UNSIGNED, at
            shift += 7
            if shift > _MAX_VARINT_BITS:
                raise BadMessage("proto: integer overflow")
    except IndexError:
        raise BadMessage("unexpected EOF") from None


def varints(data: bytes) -> list[int]:
    """The numbers of a packed field."""
    numbers: list[int] = []
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        numbers.append(value)
    return numbers


def signed(value: int) -> int:
    """A varint of an `int64` field as the signed integer that it stands for."""
    return value - (1 << 64) if value >> 63 else value


def signed32(value: int) -> int:
    """A varint of an `int32` field as the signed integer that it stands for, which is that of its lower 32 bits."""
    value &= 0xFFFF_FFFF
    return value - (1 << 32) if value >> 31 else value


def varint_bytes(value: int) -> bytes:
    """An integer as it is written; a negative one takes ten bytes."""
    value &= _UNSIGNED
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def tag_bytes(number: int, wire_type: int) -> bytes:
    return varint_bytes(number << 3 | wire_type)


def _bytes(message: bytes, at: int, wire_type: int) -> tuple[bytes, int]:
    if wire_type == LENGTH:
        size, at = varint(message, at)
    elif wire_type == FIXED64:
        size = 8
    elif wire_type == FIXED32:
        size = 4
    else:  # groups, which nobody writes
        raise BadMessage(f"proto: illegal wireType {wire_type}")
    value = message[at : at + size]
    if len(value) != size:
        raise BadMessage("unexpected EOF")
    return value, at + size
