"""Refuses fields of a Workflow by name that Windlass does not carry out, wherever they are, and odd shapes."""

from collections.abc import Iterator
from typing import Any

from windlass.apps.pipelines.workflow_schema import POD_TYPE
from windlass.kube.json import Object, dig_list, dig_object, is_list, is_object
from windlass.kube.structural import structural

CORE = "io.k8s.api.core.v1."
MAX_PROBLEMS = 20
"""Messages of one refusal."""
_TYPES: dict[str, type] = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}


def unknown_fields(value: Any, schema: Object, path: str, *, is_typed: bool = True) -> Iterator[str]:
    """One message for each field that the schema does not declare, and for each value of another type.

    With `is_typed` unset, only names are checked: in Kubernetes' own types a tag may stand in place of a number.
    """
    expected = _TYPES.get(str(schema.get("type"))) if is_typed else None
    if value is None:
        return
    if expected is not None and (not isinstance(value, expected) or (expected is int and isinstance(value, bool))):
        yield f"{path}: Invalid value: must be of type {schema['type']}"
    elif is_list(value):
        items = dig_object(schema, "items")
        for index, item in enumerate(value):
            if item is None and items.get("type"):
                yield f"{path}[{index}]: Invalid value: must not be null"
            yield from unknown_fields(item, items, f"{path}[{index}]", is_typed=is_typed)
    elif is_object(value):
        yield from _members(value, schema, path, is_typed=is_typed and POD_TYPE not in schema)


def _members(value: Object, schema: Object, path: str, *, is_typed: bool) -> Iterator[str]:
    declared, values = _declared(schema), dig_object(schema, "additionalProperties")
    for name, inner in value.items():
        if name in declared:
            yield from unknown_fields(inner, declared[name], f"{path}.{name}", is_typed=is_typed)
        elif values:
            yield from unknown_fields(inner, values, f"{path}[{name}]", is_typed=is_typed)
        elif declared:
            yield f"{path}.{name}: Forbidden: unknown field, or a field that Windlass does not support"
    if is_typed:
        yield from (
            f"{path}.{name}: Required value" for name in dig_list(schema, "required") if value.get(name) is None
        )


def _declared(schema: Object) -> Object:
    """Fields of an object; none where any are allowed."""
    if POD_TYPE not in schema:
        return dig_object(schema, "properties")
    kubernetes = dig_object(structural(f"{CORE}{schema[POD_TYPE]}"), "properties")
    return {**kubernetes, **dig_object(schema, "properties")}
