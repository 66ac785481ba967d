"""From the JSON of a specification to its structs."""

from typing import Any

import msgspec

from windlass.apps.pipelines.ir.errors import InvalidPipeline
from windlass.apps.pipelines.ir.spec import PipelineSpec
from windlass.kube.json import Object, is_list, is_object

_KEPT_NULLS = frozenset({"constant", "defaultValue"})
_OPAQUE = frozenset({"constant", "defaultValue", "metadata", "literals"})
"""Fields with any JSON as their value."""


def read_spec(document: Object) -> PipelineSpec:
    """Raises InvalidPipeline with the path of a field of another type."""
    try:
        return msgspec.convert(without_nulls(document), PipelineSpec, strict=False)
    except (msgspec.ValidationError, RecursionError) as error:
        raise InvalidPipeline(f"the pipeline specification is invalid: {error}") from error


def without_nulls(value: Any) -> Any:
    """The document without fields that are null: in protobuf's JSON form they are not set."""
    if is_object(value):
        return {
            key: item if key in _OPAQUE else without_nulls(item)
            for key, item in value.items()
            if item is not None or key in _KEPT_NULLS
        }
    if is_list(value):
        return [without_nulls(item) for item in value]
    return value
