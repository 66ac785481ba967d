"""The table of protobuf fields agrees with the OpenAPI definitions, which know the same types by their JSON."""

import pytest

from tests.apiserver.protobuf.builders import kinds, type_of
from windlass.apiserver.builtin import RESOURCES
from windlass.apiserver.protobuf import table
from windlass.apiserver.protobuf.table import INLINE, LIST, MAP, SINGLE, Field, fields_of
from windlass.kube import definitions
from windlass.kube.schema import Schema

_JSON_ONLY = {"apiextensions.k8s.io/v1 CustomResourceDefinition", "apiregistration.k8s.io/v1 APIService"}
_TYPES = {
    "bool": {"boolean"},
    "int32": {"integer"},
    "int64": {"integer"},
    "string": {"string"},
    "bytes": {"string"},
    "time": {"string"},
    "microtime": {"string"},
    "duration": {"string"},
    "quantity": {"quantity"},
    "intorstring": {"int-or-string"},
    "json": {"any", "object", "map"},
    "strings": {"list"},
}
_TYPE_META = {"apiVersion", "kind"}  # which protobuf has in the envelope alone
_ALPHA = {"workloadRef"}  # of a field number that later versions took back


def test_every_served_kind_has_a_message() -> None:
    served = {f"{resource.api_version} {resource.kind}" for resource in RESOURCES}
    assert served - set(kinds()) == _JSON_ONLY


@pytest.mark.parametrize("kind", kinds())
def test_a_kinds_messages_have_the_fields_of_its_definition(kind: str) -> None:
    api_version, _, name = kind.partition(" ")
    group, _, version = api_version.rpartition("/")
    message = table.message_of(api_version, name)
    assert message
    _agree(message, definitions.schema_of(definitions.kind_names()[group, version, name]), set())


def _agree(message: str, schema: Schema, seen: set[str]) -> None:
    if message in seen:
        return
    seen.add(message)
    fields = _flat(message)
    assert set(fields) | _TYPE_META | _ALPHA >= set(schema.properties), message
    for name, field in fields.items():
        assert name in schema.properties, f"{message}.{name}"
        _agree_in_shape(f"{message}.{name}", field, schema.properties[name], seen)


def _agree_in_shape(where: str, field: Field, schema: Schema, seen: set[str]) -> None:
    if field.shape != SINGLE:
        assert schema.type == {LIST: "list", MAP: "map"}[field.shape], where
        assert schema.items is not None, where
        schema = schema.items
    if field.message:
        assert schema.type in ("object", "map"), where
        _agree(field.message, schema, seen)
    else:
        assert schema.type in _TYPES[type_of(field)], where


def _flat(message: str) -> dict[str, Field]:
    flat: dict[str, Field] = {}
    for field in fields_of(message).values():
        found = _flat(field.message) if field.shape == INLINE else {field.name: field}
        assert not flat.keys() & found.keys(), message
        flat |= found
    return flat
