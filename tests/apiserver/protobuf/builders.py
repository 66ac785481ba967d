"""A small protobuf writer, and objects of any kind to write with it: what a client does, for tests to read back."""

import base64
import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from windlass.apiserver.protobuf import table
from windlass.apiserver.protobuf.table import INLINE, LIST, MAP, Field, fields_of
from windlass.apiserver.protobuf.values import CONVERTERS

_TYPES = {convert: name for name, (_, convert) in CONVERTERS.items()}


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


def number(at: int, value: int) -> bytes:
    return varint(at << 3) + varint(value)


def block(at: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return varint(at << 3 | 2) + varint(len(raw)) + raw


def body(api_version: str, kind: str, raw: bytes) -> bytes:
    """What a client sends: magic bytes, then apiVersion, kind and message in an envelope."""
    return b"k8s\x00" + block(1, block(1, api_version) + block(2, kind)) + block(2, raw) + block(3, "") + block(4, "")


def encoded(obj: dict[str, Any]) -> bytes:
    """The protobuf form of an object of a kind in the table."""
    message = table.message_of(obj["apiVersion"], obj["kind"])
    assert message
    fields = {name: value for name, value in obj.items() if name not in ("apiVersion", "kind")}
    return body(obj["apiVersion"], obj["kind"], _message(message, fields))


def type_of(field: Field) -> str:
    return _TYPES[field.convert] if field.convert else field.message


def names_of(message: str) -> set[str]:
    """The JSON fields of a message, those of inlined messages among them."""
    names: set[str] = set()
    for field in fields_of(message).values():
        names |= names_of(field.message) if field.shape == INLINE else {field.name}
    return names


def _message(message: str, obj: dict[str, Any]) -> bytes:
    written = b""
    for at, field in sorted(fields_of(message).items()):
        if field.shape == INLINE:
            inner = names_of(field.message)
            written += block(at, _message(field.message, {key: obj[key] for key in obj.keys() & inner}))
        elif field.name not in obj:
            continue
        elif field.shape == LIST:
            written += b"".join(_value(at, field, value) for value in obj[field.name])
        elif field.shape == MAP:
            entries = obj[field.name].items()
            written += b"".join(block(at, block(1, key) + _value(2, field, value)) for key, value in entries)
        else:
            written += _value(at, field, obj[field.name])
    return written


def _value(at: int, field: Field, value: Any) -> bytes:
    type_ = type_of(field)
    if type_ in ("bool", "int32", "int64"):
        return number(at, int(value))
    return block(at, _message(field.message, value) if field.message else _special(type_, value))


def _special(type_: str, value: Any) -> bytes | str:
    match type_:
        case "bytes":
            return base64.b64decode(value)
        case "time" | "microtime":
            moment = datetime.fromisoformat(value).astimezone(UTC)
            return number(1, int(moment.replace(microsecond=0).timestamp())) + number(2, moment.microsecond * 1000)
        case "duration":
            return number(1, int(value.removesuffix("ns")))
        case "quantity":
            return block(1, value)
        case "intorstring":
            return number(1, isinstance(value, str)) + (
                block(3, value) if isinstance(value, str) else number(2, int(value))
            )
        case "json":
            return block(1, json.dumps(value))
        case "strings":
            return b"".join(block(1, item) for item in value)
        case _:
            return value


_TEXT = st.text(max_size=5)
_INT32 = st.integers(-(2**31), 2**31 - 1)
_MOMENTS = st.datetimes()
_STRATEGIES: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.booleans(),
    "int32": _INT32,
    "int64": st.integers(-(2**63), 2**63 - 1),
    "string": _TEXT,
    "bytes": st.binary(max_size=5).map(lambda raw: base64.b64encode(raw).decode()),
    "time": _MOMENTS.map(lambda moment: f"{moment.replace(microsecond=0).isoformat()}Z"),
    "microtime": _MOMENTS.map(lambda moment: f"{moment.isoformat(timespec='microseconds')}Z"),
    "duration": st.integers(1, 999).map("{}ns".format),
    "quantity": st.integers(0).map(str),
    "intorstring": _INT32 | _TEXT,
    "json": st.dictionaries(_TEXT, st.booleans(), max_size=2),
    "strings": st.lists(_TEXT, max_size=2),
}


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    """An object of any kind, with a few of its fields, as Go would print it."""
    kind = draw(st.sampled_from(kinds()))
    api_version, _, name = kind.partition(" ")
    message = table.message_of(api_version, name)
    assert message
    return {"apiVersion": api_version, "kind": name, **_drawn(draw, message)}


def kinds() -> list[str]:
    return sorted(table._table().kinds)


def _drawn(draw: st.DrawFn, message: str) -> dict[str, Any]:
    obj: dict[str, Any] = {}
    fields = list(fields_of(message).values())
    for field in draw(st.lists(st.sampled_from(fields), max_size=3, unique_by=id)) if fields else ():
        if field.shape == INLINE:
            obj |= _drawn(draw, field.message)
        elif field.shape == LIST:
            obj[field.name] = [_drawn_value(draw, field) for _ in range(draw(st.integers(1, 2)))]
        elif field.shape == MAP:
            keys = draw(st.lists(_TEXT, min_size=1, max_size=2, unique=True))
            obj[field.name] = {key: _drawn_value(draw, field) for key in keys}
        else:
            value = _drawn_value(draw, field)
            if value or field.keep_zero:
                obj[field.name] = value
    return obj


def _drawn_value(draw: st.DrawFn, field: Field) -> Any:
    return _drawn(draw, field.message) if field.message else draw(_STRATEGIES[type_of(field)])
