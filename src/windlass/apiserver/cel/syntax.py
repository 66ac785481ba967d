"""The syntax tree of a compiled expression, parsed from the runtime's serialized form.

The runtime exposes no tree to Python, only the bytes of a `CheckedExpr` message (inside an `Any`). This reads the few
necessary messages from the protobuf wire format, without a protobuf library.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

Fields: TypeAlias = dict[int, list[int | bytes]]

# field numbers of google/api/expr/v1alpha1: checked.proto and syntax.proto
_ANY_VALUE, _EXPR, _SOURCE = 2, 4, 5
_LINE_OFFSETS, _POSITIONS = 3, 4
_ID, _CONST, _IDENT, _SELECT, _CALL, _LIST, _STRUCT, _COMPREHENSION = 2, 3, 4, 5, 6, 7, 8, 9


@dataclass(slots=True)
class Expression:
    """A node. `kind` determines which of the other fields are used."""

    id: int
    kind: str  # const, ident, select, call, list, struct, comprehension
    name: str = ""  # of an identifier, a selected field or a function; the text of a string constant
    parts: "list[Expression]" = field(default_factory=list["Expression"])
    """Operand, target and arguments, elements, or: range, start, condition, step, result."""
    tested: bool = False
    """Whether the field is only tested for presence: `has(self.x)`."""
    variables: tuple[str, str, str] = ("", "", "")
    """The variables of a comprehension: element (or index), second element, accumulator."""


@dataclass(slots=True)
class Tree:
    root: Expression
    positions: dict[int, int]
    """The source offset of each node's operator."""


def tree_of(serialised: bytes) -> Tree:
    checked = _message(_bytes(_message(serialised), _ANY_VALUE))
    source = _message(_bytes(checked, _SOURCE))
    positions: dict[int, int] = {}
    for entry in source.get(_POSITIONS, []):
        if isinstance(entry, bytes):
            pair = _message(entry)
            positions[_int(pair, 1)] = _int(pair, 2)
    return Tree(_expression(_bytes(checked, _EXPR)), positions)


def _expression(raw: bytes) -> Expression:
    fields = _message(raw)
    number = _int(fields, _ID)
    if _IDENT in fields:
        return Expression(number, "ident", _text(_message(_bytes(fields, _IDENT)), 1))
    if _SELECT in fields:
        select = _message(_bytes(fields, _SELECT))
        operand = [_expression(_bytes(select, 1))]
        return Expression(number, "select", _text(select, 2), operand, _int(select, 3) == 1)
    if _CALL in fields:
        call = _message(_bytes(fields, _CALL))
        return Expression(number, "call", _text(call, 2), [*_expressions(call, 1), *_expressions(call, 3)])
    if _LIST in fields:
        return Expression(number, "list", parts=list(_expressions(_message(_bytes(fields, _LIST)), 1)))
    if _STRUCT in fields:
        return Expression(number, "struct", parts=list(_entries(_message(_bytes(fields, _STRUCT)))))
    if _COMPREHENSION in fields:
        return _comprehension(number, _message(_bytes(fields, _COMPREHENSION)))
    constant = _message(_bytes(fields, _CONST)) if _CONST in fields else {}
    return Expression(number, "const", _text(constant, 6))


def _comprehension(number: int, fields: Fields) -> Expression:
    parts = [_expression(_bytes(fields, part)) for part in (2, 4, 5, 6, 7)]
    variables = (_text(fields, 1), _text(fields, 8), _text(fields, 3))
    return Expression(number, "comprehension", "", parts, variables=variables)


def _entries(fields: Fields) -> Iterator[Expression]:
    for entry in fields.get(2, []):
        if isinstance(entry, bytes):
            for part in (3, 4):
                yield from _expressions(_message(entry), part)


def _expressions(fields: Fields, number: int) -> Iterator[Expression]:
    for raw in fields.get(number, []):
        if isinstance(raw, bytes):
            yield _expression(raw)


# the wire format


def _message(raw: bytes) -> Fields:
    """Decode all fields of a message by number: integers, or bytes for length-delimited fields."""
    fields: Fields = {}
    at = 0
    while at < len(raw):
        tag, at = _varint(raw, at)
        number, wire = tag >> 3, tag & 7
        value: int | bytes
        if wire == 0:
            value, at = _varint(raw, at)
        elif wire == 2:
            length, at = _varint(raw, at)
            value, at = raw[at : at + length], at + length
        else:
            size = 8 if wire == 1 else 4
            value, at = raw[at : at + size], at + size
        fields.setdefault(number, []).append(value)
    return fields


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = raw[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _int(fields: Fields, number: int) -> int:
    found = fields.get(number, [0])[-1]
    return found if isinstance(found, int) else 0


def _bytes(fields: Fields, number: int) -> bytes:
    found = fields.get(number, [b""])[-1]
    return found if isinstance(found, bytes) else b""


def _text(fields: Fields, number: int) -> str:
    return _bytes(fields, number).decode()
