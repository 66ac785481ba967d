"""The types in an OpenAPI document: Kubernetes' definitions and schemas of custom resources, in version 3 or 2.

A `Components` collects types by reference: `of(resource, KIND)` returns a reference, and `schemas` then has that type
and every type that it refers to.
"""

from typing import Any

from windlass.apiserver.openapi import custom
from windlass.apiserver.openapi.enums import ENUMS
from windlass.apiserver.resources import Resource
from windlass.kube.definitions import definition, kind_names
from windlass.kube.json import Object

_INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"

# Types that the two versions write differently, and that the bundled file has in a form of its own.
_SPECIAL: dict[int, dict[str, Object]] = {
    3: {
        _INT_OR_STRING: {
            "description": "A number, or a string such as a percentage or the name of a port.",
            "format": "int-or-string",
            "oneOf": [{"type": "integer"}, {"type": "string"}],
        },
        _QUANTITY: {
            "description": "An amount with an optional suffix, such as 500m, 1.5, 2Gi or 1e3.",
            "oneOf": [{"type": "string"}, {"type": "number"}],
        },
    },
    2: {
        _INT_OR_STRING: {
            "description": "A number, or a string such as a percentage or the name of a port.",
            "format": "int-or-string",
            "type": "string",
        },
        _QUANTITY: {
            "description": "An amount with an optional suffix, such as 500m, 1.5, 2Gi or 1e3.",
            "type": "string",
        },
    },
}
_PREFIXES = {3: "#/components/schemas/", 2: "#/definitions/"}

KIND, KIND_LIST = "", "List"


class Components:
    """The types that a document refers to, by name, in one version of OpenAPI."""

    def __init__(self, version: int) -> None:
        self.version = version
        self._prefix = _PREFIXES[version]
        self._special = _SPECIAL[version]
        self._made: dict[str, Object] = {}
        self._wanted: list[str] = []
        self._seen: set[str] = set()

    def of(self, resource: Resource, name: str) -> Object:
        """A reference to the KIND or KIND_LIST of a resource, or to a definition by its name."""
        if name not in (KIND, KIND_LIST):
            return self._reference(name)
        own = kind_name(resource)
        if own not in self._seen and is_custom(resource):
            self._seen.update((own, f"{own}List"))
            self._made[own] = custom.kind(resource, self.version, self._field)
            self._made[f"{own}List"] = custom.kind_list(resource, {"$ref": self._prefix + own}, self._field)
        return self._reference(f"{own}{name}")

    def _reference(self, name: str) -> Object:
        if name not in self._seen:
            self._seen.add(name)
            self._wanted.append(name)
        return {"$ref": self._prefix + name}

    def schemas(self) -> dict[str, Object]:
        """Return every referenced type, including indirect references."""
        while self._wanted:
            name = self._wanted.pop()
            self._made[name] = self._special.get(name) or _with_values(name, self._convert(definition(name)))
        return dict(sorted(self._made.items()))

    def _field(self, name: str, description: str) -> Object:
        return self._described({"$ref": name, "description": description} if description else {"$ref": name})

    def _described(self, schema: Object) -> Object:
        """A reference with a description. Version 3 allows nothing beside `$ref`, so it is wrapped."""
        reference = self._reference(schema["$ref"].rpartition("/")[2])
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        if not beside:
            return reference
        return {**beside, "allOf": [reference]} if self.version == 3 else {**beside, **reference}

    def _convert(self, schema: Object) -> Object:
        if "$ref" in schema:
            return self._described(schema)
        made: Object = {}
        for key, value in schema.items():
            match key:
                case "type":
                    made[key] = value if isinstance(value, str) else next(one for one in value if one != "null")
                case "properties":
                    made[key] = {name: self._convert(field) for name, field in value.items()}
                case "items" | "additionalProperties" if isinstance(value, dict):
                    made[key] = self._convert(_schema(value))
                case "enum":  # the bundled file has it only for apiVersion and kind, where Kubernetes has none
                    continue
                case _:
                    made[key] = value
        return made


def _with_values(name: str, schema: Object) -> Object:
    """The type with the enum values of its fields, also listed in their descriptions as in Kubernetes."""
    for field, values in ENUMS.get(name, {}).items():
        found: Object = schema["properties"][field]
        found["enum"] = list(values)
        lines = "".join(f'\n - `"{value}"`' for value in values)
        found["description"] = f"{found.get('description', '')}\n\nPossible enum values:{lines}"
    return schema


def _schema(value: Any) -> Object:
    return value


def is_custom(resource: Resource) -> bool:
    return resource.openapi is not None or (resource.group, resource.version, resource.kind) not in kind_names()


def kind_name(resource: Resource) -> str:
    """The type name: `io.k8s.api.apps.v1.Deployment` for Kubernetes' own, `org.example.v1.Thing` for example.org."""
    if is_custom(resource):
        return ".".join((*reversed(resource.group.split(".")), resource.version, resource.kind))
    return kind_names()[resource.group, resource.version, resource.kind]
