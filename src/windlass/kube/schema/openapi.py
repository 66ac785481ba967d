"""Schemas of the built-in kinds, from the OpenAPI definitions that Kubernetes publishes."""

import re
from collections.abc import Callable
from typing import Any, Final, cast

from windlass.kube.json import Object
from windlass.kube.schema.node import ATOMIC_ANY, TYPES, Schema, short_name

Resolve = Callable[[str], Schema]

_REF: Final = re.compile(r"#/(?:\$defs|definitions|components/schemas)/(.+)")
# Definitions whose OpenAPI text does not say what they are.
_SPECIAL: Final = {
    "IntOrString": Schema("int-or-string"),
    "Quantity": Schema("quantity"),
    "RawExtension": ATOMIC_ANY,
    "JSON": ATOMIC_ANY,
    "JSONSchemaPropsOrArray": ATOMIC_ANY,
    "JSONSchemaPropsOrBool": ATOMIC_ANY,
    "JSONSchemaPropsOrStringArray": ATOMIC_ANY,
    "FieldsV1": ATOMIC_ANY,
}
# Defaults of list keys, which the published definitions leave out.
_KEY_DEFAULTS: Final[dict[str, Object]] = {
    "io.k8s.api.core.v1.ContainerPort": {"protocol": "TCP"},
    "io.k8s.api.core.v1.ServicePort": {"protocol": "TCP"},
}
_COPIED: Final = tuple(slot for slot in Schema.__slots__ if slot != "_load")
_scalars: dict[tuple[str, str, tuple[str, ...]], Schema] = {}


def from_openapi(definition: Object, resolve: Resolve, name: str = "") -> Schema:
    """The schema of one OpenAPI definition; `resolve` gives that of a name in a `$ref`, when it is first needed.

    `name` is the definition's own, by which the few special types (IntOrString, Quantity, opaque JSON) are known.
    """
    ref = definition.get("$ref")
    if ref is not None:
        return _reference(cast(str, ref), definition, resolve)
    special = _SPECIAL.get(short_name(name))
    if special is not None:
        return special
    kind = _openapi_type(definition)
    merging = merging_of(definition)
    if kind == "object":
        return _openapi_object(definition, resolve, name, merging)
    if kind == "array":
        items = cast(Object, definition.get("items") or {})
        defaults = _KEY_DEFAULTS.get(_ref_name(cast(str, items.get("$ref", ""))), {})
        return Schema("list", items=from_openapi(items, resolve), key_defaults=defaults, **merging)
    if kind not in TYPES:
        return ATOMIC_ANY
    key = (kind, cast(str, definition.get("format", "")), cast("tuple[str, ...]", merging.get("patch_strategy", ())))
    found = _scalars.get(key)
    if found is None:
        found = _scalars[key] = Schema(kind, format=key[1], patch_strategy=key[2])
    return found


def _openapi_object(definition: Object, resolve: Resolve, name: str, merging: Object) -> Schema:
    values = definition.get("additionalProperties")
    if "properties" not in definition and values:
        items = from_openapi(cast(Object, values), resolve) if isinstance(values, dict) else ATOMIC_ANY
        return Schema("map", items=items, **merging)
    fields = cast(dict[str, Object], definition.get("properties") or {})
    return Schema(
        "object",
        properties={key: from_openapi(value, resolve) for key, value in fields.items()},
        required=tuple(cast(list[str], definition.get("required") or ())),
        name=name or _kind_name(definition),
        **merging,
    )


def _reference(ref: str, definition: Object, resolve: Resolve) -> Schema:
    name, merging = _ref_name(ref), merging_of(definition)
    special = _SPECIAL.get(short_name(name))
    if special is not None:
        return special

    def load(schema: Schema) -> None:
        target = resolve(name)
        for slot in _COPIED:
            setattr(schema, slot, merging.get(slot) or getattr(target, slot))
        schema.name = name
        schema.whole = (schema.list_type if schema.type == "list" else schema.map_type) == "atomic"

    return Schema.lazy(load)


def _ref_name(ref: str) -> str:
    found = _REF.match(ref)
    return found[1] if found else ref


def _openapi_type(definition: Object) -> str:
    declared: Any = definition.get("type", "")
    if isinstance(declared, list):
        declared = next((each for each in cast(list[str], declared) if each != "null"), "")
    return cast(str, declared) or ("object" if "properties" in definition else "")


def merging_of(definition: Object) -> Object:
    """How this list or map merges, as far as the definition says."""
    merging: Object = {}
    for extension, slot in _EXTENSIONS.items():
        if extension in definition:
            merging[slot] = definition[extension]
    if "list_keys" in merging:
        merging["list_keys"] = tuple(merging["list_keys"])
    if "patch_strategy" in merging:
        merging["patch_strategy"] = tuple(merging["patch_strategy"].split(","))
    return merging


_EXTENSIONS: Final = {
    "x-kubernetes-list-type": "list_type",
    "x-kubernetes-list-map-keys": "list_keys",
    "x-kubernetes-map-type": "map_type",
    "x-kubernetes-patch-strategy": "patch_strategy",
    "x-kubernetes-patch-merge-key": "merge_key",
}


def _kind_name(definition: Object) -> str:
    kinds = cast(list[Object], definition.get("x-kubernetes-group-version-kind") or [])
    return f"{kinds[0]['version']}.{kinds[0]['kind']}" if kinds else ""
