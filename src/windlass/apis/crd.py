"""The CustomResourceDefinition of a declared kind: versions, schema, defaults, enums, columns and subresources.

The schema is structural: structs are inlined (a CRD has no `$ref`), `| None` is dropped, `Literal` becomes `enum`,
`Meta` becomes bounds, class docstrings become descriptions. A zero default (`None`, 0, "", [], {}) means absent and
stays out of the schema; any other default goes in, and the server applies it. A field whose extra schema is
`{"x-windlass-definition": NAME}` gets the full schema of that type from Kubernetes' own API.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import msgspec
from msgspec import inspect

from windlass.kube.json import Object as Json
from windlass.kube.kind import KINDS, Column, Kind
from windlass.kube.meta import Object
from windlass.kube.structural import structural, with_key_defaults

DEFINITION = "x-windlass-definition"
BOUNDS = {
    "ge": "minimum",
    "gt": "minimum",
    "le": "maximum",
    "lt": "maximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
}
LENGTHS = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}


@dataclass(frozen=True, slots=True)
class OpenVersion:
    """A served version without a declared schema: it preserves all fields, and a conversion interprets them."""

    name: str
    columns: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True)
class SameSchema:
    """A served version with the schema and columns of the stored one."""

    name: str


Version: TypeAlias = type[Object] | OpenVersion | SameSchema


def definition(declared: type[Object], *others: Version, conversion: Json | None = None) -> Json:
    """Build the CustomResourceDefinition.

    Objects are stored in the version of `declared`; `others` are served too, each with its own schema. `conversion` is
    the `spec.conversion` for servers that do not convert in process.
    """
    kind = KINDS.of(declared)
    versions = [_version(KINDS.of(declared), declared, storage=True)]
    for other in others:
        match other:
            case OpenVersion():
                versions.append(_open_version(other))
            case SameSchema(name):
                versions.append({**versions[0], "name": name, "storage": False})
            case _:
                versions.append(_version(KINDS.of(other), other))
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": kind.group_resource},
        "spec": {
            "conversion": conversion or {"strategy": "None"},
            "group": kind.group,
            "names": _names(kind),
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "versions": versions,
        },
    }


def schema(declared: type[Object]) -> Json:
    """Build the openAPIV3Schema of a kind."""
    info = inspect.type_info(declared)
    assert isinstance(info, inspect.StructType)
    return {
        "type": "object",
        **_described(declared),
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            **_properties(info, ("metadata",), (declared,)),
        },
        **_required(info),
    }


def _names(kind: Kind) -> Json:
    names: Json = {
        "kind": kind.name,
        "listKind": f"{kind.name}List",
        "plural": kind.plural,
        "singular": kind.singular,
    }
    if kind.short:
        names["shortNames"] = list(kind.short)
    if kind.categories:
        names["categories"] = list(kind.categories)
    return names


def _open_version(version: OpenVersion) -> Json:
    anything: Json = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    made: Json = {
        "name": version.name,
        "served": True,
        "storage": False,
        "schema": {"openAPIV3Schema": {**anything, "properties": {"spec": {**anything}, "status": {**anything}}}},
        "subresources": {"status": {}},
    }
    if version.columns:
        made["additionalPrinterColumns"] = [_column(column) for column in version.columns]
    return made


def _version(kind: Kind, declared: type[Object], *, storage: bool = False) -> Json:
    version: Json = {
        "name": kind.version,
        "served": True,
        "storage": storage,
        "schema": {"openAPIV3Schema": schema(declared)},
    }
    subresources: Json = {"status": {}} if kind.status else {}
    if kind.scale:
        subresources["scale"] = {
            "specReplicasPath": kind.scale.spec_replicas,
            "statusReplicasPath": kind.scale.status_replicas,
        }
        if kind.scale.label_selector:
            subresources["scale"]["labelSelectorPath"] = kind.scale.label_selector
    if subresources:
        version["subresources"] = subresources
    if kind.columns:
        version["additionalPrinterColumns"] = [_column(column) for column in kind.columns]
    return version


def _column(column: Column) -> Json:
    optional = {"priority": column.priority, "format": column.format, "description": column.description}
    return {"name": column.name, "type": column.type, "jsonPath": column.json_path} | {
        key: value for key, value in optional.items() if value
    }


def _described(declared: type) -> Json:
    text = declared.__doc__ or ""
    return {"description": " ".join(text.split())} if text else {}


def _properties(info: inspect.StructType, skip: Iterable[str], inside: tuple[type, ...]) -> Json:
    return {f.encode_name: _field(f, inside) for f in info.fields if f.name not in skip}


def _field(field: inspect.Field, inside: tuple[type, ...]) -> Json:
    field_schema = _schema(field.type, inside)
    default = field.default
    if (
        default is not msgspec.NODEFAULT
        and default not in (None, 0, "", False)
        and not isinstance(default, msgspec.Struct)
    ):
        return {**field_schema, "default": default}
    return field_schema


def _schema(info: inspect.Type, inside: tuple[type, ...]) -> Json:
    match info:
        case inspect.Metadata():
            result = _with_extra(info, inside)
        case inspect.UnionType():
            result = _union(info, inside)
        case inspect.StructType():
            result = _struct(info, inside)
        case inspect.DictType():
            result = _mapping(info, inside)
        case inspect.ListType():
            result = {"type": "array", "items": _schema(info.item_type, inside)}
        case inspect.LiteralType():
            result = {"type": "string", "enum": list(info.values)}
        case inspect.StrType():
            result = {"type": "string"}
        case inspect.BoolType():
            result = {"type": "boolean"}
        case inspect.IntType():
            result = {"type": "integer"}
        case inspect.FloatType():
            result = {"type": "number"}
        case inspect.AnyType():
            result = {"x-kubernetes-preserve-unknown-fields": True}
        case _:
            raise TypeError(f"a CRD schema cannot express {info}")
    bounds = _bounds(info, result)
    return result | bounds if bounds else result


def _with_extra(info: inspect.Metadata, inside: tuple[type, ...]) -> Json:
    extra: Json = dict(cast(Json, info.extra_json_schema or {}))  # pyright: ignore[reportUnknownMemberType] - a bare dict
    if DEFINITION in extra:
        spelt_out = structural(extra.pop(DEFINITION))
        return {**spelt_out, **extra} if extra else spelt_out
    replaces = "anyOf" in extra or "x-kubernetes-preserve-unknown-fields" in extra
    return extra if replaces else with_key_defaults(_schema(info.type, inside) | extra)


def _union(info: inspect.UnionType, inside: tuple[type, ...]) -> Json:
    members = [member for member in info.types if not isinstance(member, inspect.NoneType)]
    if len(members) == 1:
        return _schema(members[0], inside)
    if {type(member) for member in members} <= {inspect.IntType, inspect.StrType, inspect.FloatType}:
        return {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
    raise TypeError(f"a structural schema has one type per field, not {info}")


def _struct(info: inspect.StructType, inside: tuple[type, ...]) -> Json:
    if info.cls in inside:
        raise TypeError(f"{info.cls.__name__} contains itself, which a structural schema cannot express")
    result: Json = {"type": "object", **_described(info.cls)}
    result["properties"] = _properties(info, (), (*inside, info.cls))
    return result | _required(info)


def _required(info: inspect.StructType) -> Json:
    names = [field.encode_name for field in info.fields if field.required]
    return {"required": names} if names else {}


def _mapping(info: inspect.DictType, inside: tuple[type, ...]) -> Json:
    if isinstance(info.value_type, inspect.AnyType):
        return {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"type": "object", "additionalProperties": _schema(info.value_type, inside)}


def _bounds(info: inspect.Type, field_schema: Json) -> Json:
    bounds: Json = {}
    for name, key in BOUNDS.items():
        value: Any = getattr(info, name, None)
        if value is not None:
            bounds[key] = value
            if name in ("gt", "lt"):
                bounds[f"exclusive{key.capitalize()}"] = True
    lengths = LENGTHS.get(field_schema.get("type", ""), ())
    for name, key in zip(("min_length", "max_length"), lengths, strict=False):
        if getattr(info, name, None) is not None:
            bounds[key] = getattr(info, name)
    return bounds
