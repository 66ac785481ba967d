"""Properties of nodes, from JSON, as Kubeflow's launcher writes them. Pure."""

from collections.abc import Mapping
from typing import Any, cast

from windlass.formats.protobuf_json import from_json
from windlass.formats.protobuf_well_known import STRUCT
from windlass.kube.json import Object, encode, is_list, is_object

MAX_DEPTH = 24
"""Of JSON in a struct, below which values are written as JSON text: each level takes up to three messages, and
protobuf's libraries read a hundred."""
_INT64 = 1 << 63


def text(value: str) -> Object:
    return {"string_value": value}


def integer(value: int) -> Object:
    return {"int_value": value}


def struct(values: Mapping[str, Any]) -> Object:
    return {"struct_value": from_json(STRUCT, _shallow(dict(values), 0))}


def metadata_value(value: Any) -> Object | None:
    """A value of an artifact's metadata: truth values are 1 and 0, lists and objects are wrapped in a struct."""
    match value:
        case None:
            return None
        case bool():
            return integer(int(value))
        case str():
            return text(value)
        case int() | float():
            return {"double_value": float(value)} if abs(value) < _INT64 else text(str(value))
        case list():
            return struct({"list": cast(list[Any], value)})
        case _:
            return struct({"struct": value})


def _shallow(value: Any, depth: int) -> Any:
    """The value without what is nested too deeply, and without numbers that a double does not hold."""
    match value:
        case bool():
            return value
        case int() | float() if abs(value) >= _INT64:
            return str(value)
        case _ if depth >= MAX_DEPTH and (is_list(value) or is_object(value)):
            return encode(value).decode()
        case _ if is_list(value):
            return [_shallow(item, depth + 1) for item in value]
        case _ if is_object(value):
            return {str(name): _shallow(each, depth + 1) for name, each in value.items()}
        case _:
            return value
