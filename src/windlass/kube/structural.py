"""Types of Kubernetes' own API, spelt out as a CustomResourceDefinition may say them: structural, without references.

Descriptions are left out: a pod template is 70 KB without them and 700 KB with them, in every kind that has one.
"""

from functools import cache

from windlass.kube.definitions import definition
from windlass.kube.json import Json, Object, dig_list, dig_object, is_list, is_object
from windlass.kube.quantity import PATTERN as QUANTITY_PATTERN
from windlass.kube.schema import shared

POD_TEMPLATE = "io.k8s.api.core.v1.PodTemplateSpec"
_KEPT_WORDS = (
    "format",
    "required",
    "default",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
)
_INT_OR_STRING: Object = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
_ANYTHING: Object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_SPECIAL: dict[str, Object] = {
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": _INT_OR_STRING,
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {**_INT_OR_STRING, "pattern": QUANTITY_PATTERN},
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": _ANYTHING,
    "io.k8s.apimachinery.pkg.runtime.RawExtension": _ANYTHING,
}


@cache
def structural(name: str) -> Object:
    """The schema of a definition, the same object for all who ask: look, do not change."""
    found = _SPECIAL.get(name)
    return shared.keep(found if found is not None else _spelt_out(definition(name)), name)


def sharing(schema: Object) -> Object:
    """`schema` with what it has of a pod template replaced by the one copy that all kinds have in common, in place."""
    structural(POD_TEMPLATE)
    found = shared.sharing(schema)
    assert is_object(found)
    return found


def _spelt_out(schema: Object) -> Object:
    ref = schema.get("$ref")
    if ref is not None:
        return structural(str(ref).rpartition("/")[2])
    made: Object = {"type": _type(schema)}
    for word in _KEPT_WORDS:
        if word in schema:
            made[word] = schema[word]
    properties = dig_object(schema, "properties")
    if properties:
        made["properties"] = {name: _spelt_out(inner) for name, inner in properties.items()}
    for word in ("items", "additionalProperties"):
        if is_object(inner := schema.get(word)):
            made[word] = _spelt_out(inner)
    return with_key_defaults(made)


def _type(schema: Object) -> str:
    """The bundled definitions allow null wherever a field may be left out; a structural schema says that otherwise."""
    told: Json = schema.get("type")
    if is_list(told):
        return str(next(word for word in told if word != "null"))
    return str(told or "object")


def with_key_defaults(made: Object) -> Object:
    """Keys of a list are required or have a default; those that Kubernetes says neither of may be empty."""
    items = dig_object(made, "items")
    lacking = [
        key
        for key in dig_list(made, "x-kubernetes-list-map-keys")
        if key not in dig_list(items, "required") and "default" not in dig_object(items, "properties", key)
    ]
    if not lacking:
        return made
    fields = dig_object(items, "properties")
    defaulted = {key: {**fields[key], "default": ""} for key in lacking}
    return {**made, "items": {**items, "properties": {**fields, **defaulted}}}
