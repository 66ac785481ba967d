"""A small custom kind whose schema uses what custom schemas have and built-in ones have not."""

from typing import Any

from windlass.apiserver.resources import Resource
from windlass.kube.json import Object
from windlass.kube.schema import ANY

SCHEMA: Object = {
    "type": "object",
    "description": "A thing.",
    "required": ["spec"],
    "properties": {
        "metadata": {"type": "object"},
        "spec": {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "minimum": 1, "default": 3},
                "port": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
                "any": {
                    "type": "object",
                    "x-kubernetes-preserve-unknown-fields": True,
                    "properties": {"known": {"type": "string"}},
                },
                "maybe": {"type": "object", "nullable": True, "properties": {"x": {"type": "string"}}},
                "map": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
            },
        },
    },
}


def a_thing(schema: Object = SCHEMA, **fields: Any) -> Resource:
    return Resource(
        group="example.org",
        version="v1",
        kind="Thing",
        plural="things",
        namespaced=True,
        custom=True,
        subresources=frozenset({"status"}),
        load_schema=lambda: ANY,
        openapi=lambda: schema,
        **fields,
    )
