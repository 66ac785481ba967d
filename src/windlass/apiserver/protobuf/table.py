"""Which numbered protobuf field is which JSON field, per message: facts from fields.json, read when first needed.

fields.json is written by tools/protobuf_fields.py. It gives the message of each kind (`apps/v1 Deployment`), and for
every message lists its fields as "number name type", where the type is

    bool, int32, int64, string, bytes                a scalar
    time, microtime, duration, quantity, json, …     a small message that JSON has as one value (`values.CONVERTERS`)
    core/v1.PodSpec                                  a message of this table

and before it, `[]` says a list, `{}` a map from strings, `*` a value that JSON has even when it is zero: in Go a
pointer, a struct or a field without `omitempty`. A zero that is not so marked was only never set. The name `+` is a
message whose fields JSON has among its parent's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from windlass.apiserver.protobuf.values import CONVERTERS
from windlass.formats.protobuf_wire import LENGTH
from windlass.kube.json import Json

SINGLE, LIST, MAP, INLINE = range(4)
_SHAPES = {"[]": LIST, "{}": MAP}


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    shape: int
    keep_zero: bool
    wire_type: int
    convert: Callable[[Any], Json] | None
    """Converts a value to JSON, unless it is a message."""
    message: str = ""


class _Table(msgspec.Struct):
    kinds: dict[str, str]
    messages: dict[str, msgspec.Raw]


@cache
def _table() -> _Table:
    return msgspec.json.decode(Path(__file__).with_name("fields.json").read_bytes(), type=_Table)


def message_of(api_version: str, kind: str) -> str | None:
    """The message of a kind's bodies, or None for a kind without a protobuf format here."""
    if kind == "DeleteOptions":  # which every group has
        return "meta/v1.DeleteOptions"
    return _table().kinds.get(f"{api_version} {kind}")


@cache
def fields_of(message: str) -> dict[int, Field]:
    """The fields of a message by number."""
    rows = msgspec.json.decode(_table().messages[message], type=list[str])
    return dict(_field(*row.split(" ")) for row in rows)


def _field(number: str, name: str, type_: str) -> tuple[int, Field]:
    shape = INLINE if name == "+" else _SHAPES.get(type_[:2], SINGLE)
    base = type_.lstrip("*[]{}")
    wire_type, convert = CONVERTERS.get(base, (LENGTH, None))
    return int(number), Field(name, shape, type_[0] == "*", wire_type, convert, "" if convert else base)
