"""Validation of the openAPIV3Schema of a CustomResourceDefinition: structural, with valid x-kubernetes-* extensions.

`schema_causes` returns every violation with the field path that Kubernetes reports, for example
`spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields`.
`word_rules` validates single keywords, `branch_rules` the contents of allOf, anyOf, oneOf and not.
"""

from collections.abc import Iterator

from windlass.apiserver.crds.branch_rules import branch_causes, completeness_causes, pattern_causes
from windlass.apiserver.crds.schema_positions import FIELD, ITEM, ROOT, SchemaPosition, children
from windlass.apiserver.crds.word_rules import word_causes
from windlass.kube.errors import Cause, forbidden, invalid, required
from windlass.kube.json import Object, dig_object, is_list, is_object
from windlass.kube.schema import shared

_PRESERVE, _EMBEDDED = "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"
_INT_OR_STRING = "x-kubernetes-int-or-string"
_NO_TYPE = {
    ROOT: "must not be empty at the root",
    FIELD: "must not be empty for specified object fields",
    ITEM: "must not be empty for specified array items",
}
_METADATA_FIELDS = frozenset({"name", "generateName"})
_METADATA_WORDS = frozenset({"type", "default", "example", "properties"})
_METADATA = "must not specify anything other than name and generateName, but metadata is implicitly specified"


def schema_causes(schema: Object, path: str) -> list[Cause]:
    """Return every structural rule that `schema` at `path` violates. Rules on values (defaults, CEL) are separate."""
    causes = list(_node(schema, path, SchemaPosition()))
    causes += completeness_causes(schema, path)
    return causes


def _node(schema: Object, path: str, position: SchemaPosition) -> Iterator[Cause]:
    yield from word_causes(schema, path, position)
    yield from _type(schema, path, position.level)
    yield from _additional(schema, path, position.level)
    yield from _extensions(schema, path)
    yield from _type_meta(schema, path, position.level)
    yield from pattern_causes(schema, path)
    yield from branch_causes(schema, path, position)
    for sub, at, below in children(schema, path, position):
        if not (shared.is_kept(sub) and _is_sound(sub)):
            yield from _node(sub, at, below)


@shared.once
def _is_sound(schema: Object) -> bool:
    """Whether a shared part of many schemas is valid at any position."""
    return next(_node(schema, "", SchemaPosition(FIELD)), None) is None


def _type(schema: Object, path: str, level: str) -> Iterator[Cause]:
    kind, at = schema.get("type") or "", f"{path}.type"
    if schema.get(_EMBEDDED) is True and kind != "object":
        why = f"must be object if {_EMBEDDED} is true"
        yield invalid(at, kind, why) if kind else required(at, why)
    elif not kind and schema.get(_INT_OR_STRING) is not True and schema.get(_PRESERVE) is not True:
        yield required(at, _NO_TYPE[level])
    if level == ROOT and kind and kind != "object":
        yield invalid(at, kind, "must be object at the root")
    if level == ROOT and schema.get("nullable") is True:
        yield forbidden(f"{path}.nullable", "nullable cannot be true at the root")
    if kind == "array" and not is_object(schema.get("items")) and not is_list(schema.get("items")):
        yield required(f"{path}.items", "must be specified")


def _additional(schema: Object, path: str, level: str) -> Iterator[Cause]:
    if schema.get("additionalProperties") is None:
        return
    at = f"{path}.additionalProperties"
    if level == ROOT:
        yield forbidden(at, "must not be used at the root")
    if schema.get(_EMBEDDED) is True:
        yield forbidden(at, f"must not be used if {_EMBEDDED} is set")


def _extensions(schema: Object, path: str) -> Iterator[Cause]:
    if schema.get(_INT_OR_STRING) is True:
        for word in (_PRESERVE, _EMBEDDED):
            if schema.get(word) is True:
                yield invalid(f"{path}.{word}", True, f"must be false if {_INT_OR_STRING} is true")
    if schema.get(_EMBEDDED) is True and schema.get(_PRESERVE) is not True and not schema.get("properties"):
        yield required(f"{path}.properties", f"must not be empty if {_EMBEDDED} is true without {_PRESERVE}")


def _type_meta(schema: Object, path: str, level: str) -> Iterator[Cause]:
    """Validate the restrictions on apiVersion, kind and metadata, which the server itself defines."""
    if level != ROOT and schema.get(_EMBEDDED) is not True:
        return
    properties = dig_object(schema, "properties")
    for name, kind in (("kind", "string"), ("apiVersion", "string"), ("metadata", "object")):
        declared = properties.get(name)
        if is_object(declared) and declared.get("type") != kind:
            yield invalid(f"{path}.properties[{name}].type", declared.get("type") or "", f"must be {kind}")
    metadata = dig_object(properties, "metadata")
    if level != ROOT or not metadata:
        return
    words = {word for word, value in metadata.items() if value not in (None, False, "", [], {})}
    if not words <= _METADATA_WORDS or not set(dig_object(metadata, "properties")) <= _METADATA_FIELDS:
        yield forbidden(f"{path}.properties[metadata]", _METADATA)
