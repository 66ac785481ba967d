"""Validation of single keywords of a CRD's schema: the part of OpenAPI that Kubernetes supports."""

from collections.abc import Iterator

from windlass.apiserver.crds.list_rules import list_causes, map_causes
from windlass.apiserver.crds.schema_positions import SchemaPosition
from windlass.kube.errors import Cause, forbidden, invalid, not_supported
from windlass.kube.json import Object, is_list

_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_UNSUPPORTED_IF_FILLED = ("id", "patternProperties", "definitions")
_UNSUPPORTED = ("additionalItems", "dependencies", "$ref")
_PRESERVE, _EMBEDDED = "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"


def word_causes(schema: Object, path: str, position: SchemaPosition) -> Iterator[Cause]:
    """Return the errors in the keywords of one schema, without its sub-schemas."""
    kind = schema.get("type") or ""
    if kind and kind not in _TYPES:
        yield not_supported(f"{path}.type", kind, _TYPES)
    if kind == "null":
        yield forbidden(f"{path}.type", "type cannot be set to null, use nullable as an alternative")
    if schema.get("default") is not None and position.no_default:
        yield forbidden(f"{path}.default", f"must not be set {position.no_default}")
    yield from _unsupported(schema, path)
    if schema.get("uniqueItems") is True:
        why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        yield forbidden(f"{path}.uniqueItems", why)
    if position.in_metadata and schema.get(_EMBEDDED) is True:
        yield forbidden(f"{path}.{_EMBEDDED}", "must not be used inside of resource meta")
    # `true` says no more than `properties` alone, so only a schema or `false` contradicts them.
    if schema.get("properties") and schema.get("additionalProperties") not in (None, True):
        why = "additionalProperties and properties are mutual exclusive"
        yield forbidden(f"{path}.additionalProperties", why)
    if schema.get(_PRESERVE) is False:
        yield invalid(f"{path}.{_PRESERVE}", False, "must be true or undefined")
    yield from map_causes(schema, path)
    yield from list_causes(schema, path)


def _unsupported(schema: Object, path: str) -> Iterator[Cause]:
    for word in _UNSUPPORTED_IF_FILLED:
        if schema.get(word):
            yield forbidden(f"{path}.{word}", f"{word} is not supported")
    for word in _UNSUPPORTED:
        if schema.get(word) is not None:
            yield forbidden(f"{path}.{word}", f"{word} is not supported")
    if schema.get("$schema"):
        yield invalid(path, "", "OpenAPIV3Schema 'schema' is not supported")
    if is_list(schema.get("items")):
        yield forbidden(f"{path}.items", "items must be a schema object and not an array")
