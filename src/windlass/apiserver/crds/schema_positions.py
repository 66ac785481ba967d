"""Iteration over the sub-schemas of values: each with its path and its position."""

from collections.abc import Iterator
from typing import NamedTuple

from windlass.kube.json import Object, dig_object, is_object

ROOT, FIELD, ITEM = "root", "field", "item"
TYPE_META = frozenset({"apiVersion", "kind", "metadata"})
_IN_MAPS_OF_METADATA = "inside additionalProperties applying to object metadata"


class SchemaPosition(NamedTuple):
    """The position of a schema within a CustomResourceDefinition's."""

    level: str = ROOT
    in_metadata: bool = False
    """Whether the schema is, or is part of, the apiVersion, kind or metadata of an object."""
    no_default: str = ""
    """Why no default may be set; empty if one may."""


def children(schema: Object, path: str, position: SchemaPosition) -> Iterator[tuple[Object, str, SchemaPosition]]:
    """Yield the sub-schemas of the values of `schema`."""
    is_resource = position.level == ROOT or schema.get("x-kubernetes-embedded-resource") is True
    for name, sub in dig_object(schema, "properties").items():
        if is_object(sub):
            below = position._replace(level=FIELD)
            if is_resource and name in TYPE_META:
                below = SchemaPosition(
                    FIELD, True, f"in top-level {name}" if position.level == ROOT else position.no_default
                )
            yield sub, f"{path}.properties[{name}]", below
    if is_object(rest := schema.get("additionalProperties")):
        reason = _IN_MAPS_OF_METADATA if position.in_metadata else position.no_default
        yield rest, f"{path}.additionalProperties", SchemaPosition(FIELD, position.in_metadata, reason)
    if is_object(items := schema.get("items")):
        yield items, f"{path}.items", position._replace(level=ITEM)
