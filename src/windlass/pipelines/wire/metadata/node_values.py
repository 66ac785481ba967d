"""Properties of nodes, from JSON, as Kubeflow's launcher writes them. Pure."""

from collections.abc import Mapping
from typing import Any, cast

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
    return {"struct_value": _struct(values)}


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


def _struct(values: Mapping[str, Any], depth: int = 0) -> Object:
    return {"fields": {str(name): _json(value, depth + 1) for name, value in values.items()}}


def _json(value: Any, depth: int) -> Object:
    match value:
        case None:
            return {"null_value": "NULL_VALUE"}
        case bool():
            return {"bool_value": value}
        case str():
            return {"string_value": value}
        case int() | float():
            return {"number_value": float(value)} if abs(value) < _INT64 else {"string_value": str(value)}
        case _ if depth >= MAX_DEPTH:
            return {"string_value": encode(value).decode()}
        case _ if is_list(value):
            return {"list_value": {"values": [_json(item, depth + 1) for item in value]}}
        case _:
            return {"struct_value": _struct(value if is_object(value) else {}, depth)}
