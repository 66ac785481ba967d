"""The protobuf wire format: splits a message's bytes into numbered fields, independent of their meaning.

    for number, wire_type, value in fields(data): ...

The value of a VARINT field is an int, unsigned as on the wire; that of any other is bytes. Invalid bytes raise a
`WireError`.
"""

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5

_MAX_VARINT_BITS = 63


class WireError(ValueError):
    """Bytes that are not a valid message."""


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at `at`, and the index of its end."""
    value = shift = 0
    try:
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & 0xFFFF_FFFF_FFFF_FFFF, at
            shift += 7
            if shift > _MAX_VARINT_BITS:
                raise WireError("proto: integer overflow")
    except IndexError:
        raise WireError("unexpected EOF") from None


def fields(data: bytes) -> list[tuple[int, int, int | bytes]]:
    """Yield number, wire type and value of each field, in the order of the bytes."""
    found: list[tuple[int, int, int | bytes]] = []
    at, end = 0, len(data)
    while at < end:
        tag = data[at]
        if tag < 0x80:  # nearly always, and worth not calling for
            at += 1
        else:
            tag, at = varint(data, at)
        number, wire_type = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise WireError(f"proto: illegal tag {number} (wire type {wire_type})")
        if wire_type == VARINT:
            value, at = varint(data, at)
        else:
            value, at = _bytes(data, at, wire_type)
        found.append((number, wire_type, value))
    return found


def _bytes(data: bytes, at: int, wire_type: int) -> tuple[bytes, int]:
    if wire_type == LENGTH:
        size, at = varint(data, at)
    elif wire_type == FIXED64:
        size = 8
    elif wire_type == FIXED32:
        size = 4
    else:  # groups, which Kubernetes' messages do not have
        raise WireError(f"proto: illegal wireType {wire_type}")
    raw = data[at : at + size]
    if len(raw) != size:
        raise WireError("unexpected EOF")
    return raw, at + size


def varints(data: bytes) -> list[int]:
    """Yield the numbers of a packed field."""
    found: list[int] = []
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found
