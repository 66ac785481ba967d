"""Strict decoding: what Kubernetes says about an object that its kind does not describe, and how it lets go of it."""

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

from windlass.kube.json import Json, Object, encode
from windlass.kube.schema.node import Schema, format_error, quantity_error, short_name
from windlass.kube.series import Series

_CONTAINERS: Final = (dict, list)
MAX_UNKNOWN: Final = 100  # fields that are named, as in Kubernetes
MAX_PATH: Final = 1_000  # characters of a path, in which keys of any length may stand
OBJECT_META_NAME: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


@dataclass(slots=True)
class Findings:
    """What strict decoding has to say about an object."""

    unknown: list[str] = field(default_factory=list[str])
    type_error: str | None = None
    restore_error: str | None = None  # the same in the words of Kubernetes' converter, which reads patched objects
    nulls: bool = False  # somewhere a field is null: `drop_nulls` has work to do


def check(schema: Schema, obj: Json) -> Findings:
    """Unknown fields by path, and the first value of a wrong type in the words of Go's JSON decoder."""
    findings = Findings()
    if not _fits(schema, obj):
        _inspect(schema, obj, _Place(), findings)
    return findings


_fitting: Series[bool] = Series()


def _fits(schema: Schema, obj: Json) -> bool:
    """What `schema.fits` says; most of an object of a built-in kind is its spec, and many objects have the same one."""
    spec_schema = schema.properties.get("spec") if schema.name and isinstance(obj, dict) else None
    spec: Any = cast(Object, obj).get("spec") if spec_schema is not None else None
    if spec_schema is None or spec.__class__ is not dict:
        return schema.fits(schema, obj)
    likeness = b"%b %b" % (schema.name.encode(), encode(spec))
    if not _fitting.get(likeness):
        if not spec_schema.fits(spec_schema, spec):
            return False
        _fitting.put(likeness, True)
    return schema.fits(schema, {name: value for name, value in cast(Object, obj).items() if name != "spec"})


def drop_unknown(schema: Schema, value: Json) -> None:
    """Remove, in place, every field that the schema does not have: what Kubernetes does after naming them."""
    kind = schema.type
    if kind == "object" and isinstance(value, dict):
        fields, properties = cast(Object, value), schema.properties
        if not schema.preserve_unknown:
            for key in [key for key in fields if key not in properties]:
                del fields[key]
        for key, item in fields.items():
            child = properties.get(key)
            if child is not None and item.__class__ in _CONTAINERS:
                drop_unknown(child, item)
    elif schema.items is not None and _holds_items(kind, value):
        for item in cast(Object, value).values() if kind == "map" else cast(list[Any], value):
            if item.__class__ in _CONTAINERS:
                drop_unknown(schema.items, item)


def drop_nulls(schema: Schema, value: Json) -> None:
    """Treat null as Go's typed decoding does, in place: an absent field, or the zero value inside a map or a list."""
    kind = schema.type
    if kind == "object" and isinstance(value, dict):
        fields, properties = cast(Object, value), schema.properties
        for key in [key for key, item in fields.items() if item is None and key in properties]:
            del fields[key]
        for key, item in fields.items():
            if item.__class__ in _CONTAINERS and key in properties:
                drop_nulls(properties[key], item)
    elif schema.items is not None and _holds_items(kind, value):
        slots = cast(Any, value.items() if kind == "map" else enumerate(value))
        for key, item in list(slots):
            if item is None:
                value[key] = _zero(schema.items)
            elif item.__class__ in _CONTAINERS:
                drop_nulls(schema.items, item)


def drop_nulls_of_metadata(schema: Schema, value: Json) -> None:
    """The same in the metadata of a custom resource, and of objects that are embedded in it, and nowhere else."""
    if schema.name == OBJECT_META_NAME:
        drop_nulls(schema, value)
    elif schema.type == "object" and isinstance(value, dict):
        for key, item in cast(Object, value).items():
            child = schema.properties.get(key)
            if child is not None and item.__class__ in _CONTAINERS:
                drop_nulls_of_metadata(child, item)
    elif schema.items is not None and _holds_items(schema.type, value):
        for item in cast(Object, value).values() if schema.type == "map" else cast(list[Any], value):
            if item.__class__ in _CONTAINERS:
                drop_nulls_of_metadata(schema.items, item)


def _holds_items(kind: str, value: Json) -> bool:
    return isinstance(value, dict) if kind == "map" else kind == "list" and isinstance(value, list)


_ZERO: Final = {"string": "", "integer": 0, "number": 0, "boolean": False, "int-or-string": 0, "quantity": "0"}


def _zero(schema: Schema) -> Json:
    return {} if schema.type == "object" else _ZERO.get(schema.type)


class _Place(NamedTuple):
    """Where in the object the slow look is."""

    path: str = ""  # as Kubernetes names an unknown field: spec.containers[0].env
    field: str = ""  # as Go names a field, without list positions and map keys: spec.containers.env
    owner: str = ""  # the struct that the field is in: Container

    def at(self, name: str, owner: str) -> "_Place":
        return _Place(_joined(self.path, name), _joined(self.field, name), owner)


def _joined(path: str, name: str) -> str:
    return (f"{path}.{name}" if path else name)[:MAX_PATH]


def _inspect(schema: Schema, value: Json, place: _Place, findings: Findings) -> None:
    """The slow look, taken when something is wrong."""
    if value is None:
        findings.nulls = True
    elif schema.plain is value.__class__:
        return
    elif schema.type == "object" and isinstance(value, dict):
        _inspect_object(schema, cast(Object, value), place, findings)
    elif schema.type == "map" and isinstance(value, dict):
        for key, item in cast(Object, value).items():
            _inspect(cast(Schema, schema.items), item, place._replace(path=_joined(place.path, key)), findings)
    elif schema.type == "list" and isinstance(value, list):
        for index, item in enumerate(cast(list[Any], value)):
            _inspect(
                cast(Schema, schema.items), item, place._replace(path=f"{place.path}[{index}]"[:MAX_PATH]), findings
            )
    elif findings.type_error is None and not schema.fits(schema, value):
        findings.type_error = _type_error(schema, value, place)
        findings.restore_error = _restore_error(schema, value, findings.type_error)


def _inspect_object(schema: Schema, value: Object, place: _Place, findings: Findings) -> None:
    properties, owner = schema.properties, short_name(schema.name)
    for key, item in value.items():
        child = properties.get(key)
        if child is not None:
            _inspect(child, item, place.at(key, owner), findings)
        elif not schema.preserve_unknown and len(findings.unknown) < MAX_UNKNOWN:
            findings.unknown.append(_joined(place.path, key))


def _type_error(schema: Schema, value: Json, place: _Place) -> str:
    if schema.type == "quantity" and isinstance(value, str):
        return str(quantity_error(value))
    if schema.type == "string" and isinstance(value, str):
        return str(format_error(schema.format, value))
    target = f"struct field {place.owner}.{place.field}" if place.field else "value"
    return f"json: cannot unmarshal {_json_kind(value, schema)} into Go {target} of type {_go_type(schema)}"


_GO_KINDS: Final = {bool: "bool", int: "int64", float: "float64", str: "string", list: "slice", dict: "map"}


def _restore_error(schema: Schema, value: Json, decoded: str) -> str:
    """Why a value cannot become what a typed object has in its place; `decoded`: what Go's JSON decoder says of it."""
    kind = _GO_KINDS[value.__class__]
    match schema.type:
        case "map":
            return f"cannot restore map from {kind}"
        case "list":
            return f"cannot restore slice from {kind}"
        case "object":
            return f"cannot restore struct from: {kind}"
        case "string" | "integer" | "number" if kind in ("int64", "float64"):
            return f"cannot convert {kind} to {_go_type(schema)}"
        case "integer" | "number" | "boolean":
            return f"unrecognized type: {_go_type(schema)}"
        case "string" if kind != "string":
            return "unrecognized type: string"
        case _:  # quantities, times and similar types are decoded from JSON here too
            return decoded


def _json_kind(value: Json, schema: Schema) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return f"number {value}" if schema.type == "integer" else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


_GO_TYPES: Final = {
    "string": "string",
    "number": "float64",
    "boolean": "bool",
    "int-or-string": "intstr.IntOrString",
    "quantity": "resource.Quantity",
    "any": "interface {}",
}


def _go_type(schema: Schema) -> str:
    if schema.type == "integer":
        return schema.format or "int64"
    if schema.type == "list":
        return "[]" + _go_type(cast(Schema, schema.items))
    if schema.type == "map":
        return "map[string]" + _go_type(cast(Schema, schema.items))
    if schema.type == "object":
        return ".".join(schema.name.split(".")[-2:]) or "map[string]interface {}"
    return _GO_TYPES[schema.type]
