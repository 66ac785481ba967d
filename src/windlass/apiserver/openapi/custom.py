"""The OpenAPI types of custom resources: the declared schema, with the fields that every object has.

A schema that contains a type of Kubernetes' own, such as a pod template, refers to that type, which has descriptions.
OpenAPI 2 cannot express all of a definition's schema. The rest is left out there, so that a client which validates with
it is too lenient and never too strict.
"""

from collections.abc import Callable
from typing import TypeAlias

from windlass.apiserver.resources import Resource
from windlass.kube.json import Object, dig_object, is_object
from windlass.kube.schema import shared

FieldReference: TypeAlias = Callable[[str, str], Object]
"""Builds the schema of a field from a definition's name and the field's description."""

_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_LIST_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"
_CONVENTIONS = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
_API_VERSION: Object = {
    "description": "Which version of the API this object is written in: its group and version. "
    f"More info: {_CONVENTIONS}#resources",
    "type": "string",
}
_KIND: Object = {
    "description": f"What the object is, in CamelCase. It cannot be changed. More info: {_CONVENTIONS}#types-kinds",
    "type": "string",
}
_NOT_IN_V2 = frozenset(("oneOf", "anyOf", "allOf", "not", "nullable", "default", "x-kubernetes-validations"))


def kind(resource: Resource, version: int, reference: FieldReference) -> Object:
    """The type of a custom resource in a version of OpenAPI."""
    declared = resource.openapi() if resource.openapi else {}
    declared = _referring(declared, reference)
    schema = _v2(declared) if version == 2 else dict(declared)
    schema["type"] = "object"
    keeps_all = declared.get("x-kubernetes-preserve-unknown-fields") and version == 2
    if not keeps_all:
        schema["properties"] = {
            **dig_object(schema, "properties"),
            "apiVersion": _API_VERSION,
            "kind": _KIND,
            "metadata": reference(_OBJECT_META, f"Standard object's metadata. More info: {_CONVENTIONS}#metadata"),
        }
    schema["x-kubernetes-group-version-kind"] = [_tag(resource, resource.kind)]
    return schema


def kind_list(resource: Resource, item: Object, reference: FieldReference) -> Object:
    """The type of a list of a custom resource."""
    return {
        "description": f"{resource.list_kind_name} is a list of {resource.kind}",
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": _API_VERSION,
            "items": {"description": f"List of {resource.plural}.", "type": "array", "items": item},
            "kind": _KIND,
            "metadata": reference(_LIST_META, f"Standard list metadata. More info: {_CONVENTIONS}#types-kinds"),
        },
        "x-kubernetes-group-version-kind": [_tag(resource, resource.list_kind_name)],
    }


def _referring(schema: Object, reference: FieldReference) -> Object:
    """Replace types that many schemas have in common by references."""
    if name := shared.name_of(schema):
        return reference(name, "")
    made = dict(schema)
    if is_object(properties := schema.get("properties")):
        made["properties"] = {name: _referring(field, reference) for name, field in properties.items()}
    for word in ("items", "additionalProperties"):
        if is_object(inner := schema.get(word)):
            made[word] = _referring(inner, reference)
    return made


def _tag(resource: Resource, kind: str) -> Object:
    return {"group": resource.group, "kind": kind, "version": resource.version}


def _v2(schema: Object) -> Object:
    """The part of a schema that OpenAPI 2 can express."""
    made: Object = {}
    for key, value in schema.items():
        if key in _NOT_IN_V2:
            continue
        if key == "properties":
            made[key] = {name: _v2(field) for name, field in value.items()}
        elif key in ("items", "additionalProperties"):
            made[key] = _v2(value) if is_object(value) else value
        else:
            made[key] = value
    for key in _unsaid(schema):
        made.pop(key, None)
    return made


def _unsaid(schema: Object) -> tuple[str, ...]:
    """Keys that a client of version 2 would interpret too strictly."""
    if schema.get("nullable"):
        return "type", "items", "properties", "additionalProperties"
    if schema.get("x-kubernetes-int-or-string"):
        return ("type",)
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return "items", "properties", "additionalProperties", *(() if schema.get("type") == "object" else ("type",))
    return ()
