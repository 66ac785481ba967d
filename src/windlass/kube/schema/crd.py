"""Schemas of custom kinds, from the `openAPIV3Schema` of a CustomResourceDefinition's version."""

from typing import Final, cast

from windlass.kube.json import Object
from windlass.kube.schema import shared
from windlass.kube.schema.node import ANY, ATOMIC_ANY, Schema
from windlass.kube.schema.openapi import merging_of


def from_crd(schema: Object) -> Schema:
    """The schema of a CRD version's `openAPIV3Schema`; apiVersion, kind and metadata need not be declared."""
    root = _crd_node(schema)
    root.properties.update(_type_meta())
    return root


@shared.once
def _crd_node(node: Object) -> Schema:
    preserve = bool(node.get("x-kubernetes-preserve-unknown-fields"))
    given: Object = merging_of(node)
    given["preserve_unknown"] = preserve
    given["nullable"] = bool(node.get("nullable"))
    given["format"] = node.get("format", "")
    if node.get("x-kubernetes-int-or-string"):
        return Schema("int-or-string", **given)
    kind = node.get("type", "")
    if kind == "array":
        items = cast(Object, node.get("items") or {})
        return Schema("list", items=_crd_node(items), key_defaults=_crd_key_defaults(items, given), **given)
    if kind in ("string", "integer", "number", "boolean"):
        return Schema(kind, **given)
    if kind == "object" or "properties" in node or "additionalProperties" in node:
        return _crd_object(node, given)
    return ANY


def _crd_object(node: Object, given: Object) -> Schema:
    fields = {key: _crd_node(value) for key, value in cast(dict[str, Object], node.get("properties") or {}).items()}
    if node.get("x-kubernetes-embedded-resource"):
        fields.update(_type_meta())
    values = node.get("additionalProperties")
    if values and not fields:
        return Schema("map", items=_crd_node(cast(Object, values)) if isinstance(values, dict) else ANY, **given)
    if isinstance(values, bool):  # fields that are not declared are kept; whether they may be there is for validation
        given = {**given, "preserve_unknown": True}
    return Schema("object", properties=fields, required=tuple(cast(list[str], node.get("required") or ())), **given)


def _crd_key_defaults(items: Object, given: Object) -> Object:
    fields = cast(dict[str, Object], items.get("properties") or {})
    keys = cast("tuple[str, ...]", given.get("list_keys", ()))
    return {key: fields[key]["default"] for key in keys if "default" in fields.get(key, {})}


def _type_meta() -> dict[str, Schema]:
    return {"apiVersion": _STRING, "kind": _STRING, "metadata": OBJECT_META}


_STRING: Final = Schema("string")
_TIME: Final = Schema("string", format="date-time")
_INT64: Final = Schema("integer", format="int64")
_STRINGS: Final = Schema("map", items=_STRING)
_BOOLEAN: Final = Schema("boolean")
_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1."
_OWNER: Final = Schema(
    "object",
    name=_META + "OwnerReference",
    map_type="atomic",
    required=("apiVersion", "kind", "name", "uid"),
    properties={
        "apiVersion": _STRING,
        "kind": _STRING,
        "name": _STRING,
        "uid": _STRING,
        "controller": _BOOLEAN,
        "blockOwnerDeletion": _BOOLEAN,
    },
)
_MANAGER: Final = Schema(
    "object",
    name=_META + "ManagedFieldsEntry",
    properties={
        "manager": _STRING,
        "operation": _STRING,
        "apiVersion": _STRING,
        "time": _TIME,
        "fieldsType": _STRING,
        "fieldsV1": ATOMIC_ANY,
        "subresource": _STRING,
    },
)
OBJECT_META: Final = Schema(
    "object",
    name=_META + "ObjectMeta",
    properties={
        "name": _STRING,
        "generateName": _STRING,
        "namespace": _STRING,
        "selfLink": _STRING,
        "uid": _STRING,
        "resourceVersion": _STRING,
        "generation": _INT64,
        "creationTimestamp": _TIME,
        "deletionTimestamp": _TIME,
        "deletionGracePeriodSeconds": _INT64,
        "labels": _STRINGS,
        "annotations": _STRINGS,
        "finalizers": Schema("list", items=_STRING, list_type="set", patch_strategy=("merge",)),
        "ownerReferences": Schema(
            "list", items=_OWNER, list_type="map", list_keys=("uid",), patch_strategy=("merge",), merge_key="uid"
        ),
        "managedFields": Schema("list", items=_MANAGER),
    },
)
