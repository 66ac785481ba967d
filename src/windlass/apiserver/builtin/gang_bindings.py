"""The group `scheduling.windlass.dev`, which only Windlass' server has: GangBinding, created and never stored."""

from dataclasses import replace

from windlass.apiserver.builtin.registry import CREATE_ONLY, resource
from windlass.apiserver.builtin.strategy import Plain
from windlass.kube.json import Object
from windlass.kube.schema import Schema


def _text(description: str) -> Object:
    return {"type": "string", "description": description}


_METADATA: Object = {
    "type": "object",
    "required": ["name"],
    "description": "Which pod: its name, and its uid so that a namesake is not bound in its place.",
    "properties": {
        "name": _text("Name of the pod."),
        "namespace": _text("Namespace of the pod, which is that of the request."),
        "uid": _text("The uid that the pod must have."),
        "resourceVersion": _text("The version that the pod must have; in the answer, the one that it has got."),
        "annotations": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "Annotations that the pod gets with its node.",
        },
    },
}
_TARGET: Object = {
    "type": "object",
    "required": ["name"],
    "description": "The node.",
    "properties": {"apiVersion": _text("v1"), "kind": _text("Node"), "name": _text("Name of the node.")},
}
_BINDING: Object = {"type": "object", "properties": {"metadata": _METADATA, "target": _TARGET}}
SHAPE: Object = {
    "type": "object",
    "description": "GangBinding gives all the pods it names their nodes in one transaction, or none of them.",
    "required": ["bindings"],
    "properties": {"bindings": {"type": "array", "description": "One for each pod.", "items": _BINDING}},
}


def _schema() -> Schema:
    from windlass.kube.schema import from_crd

    return from_crd(SHAPE)


_GANG_BINDING = resource(
    "scheduling.windlass.dev",
    "v1",
    "GangBinding",
    "gangbindings",
    namespaced=True,
    strategy=Plain,
    verbs=CREATE_ONLY,
    openapi=lambda: SHAPE,
)

RESOURCES = (replace(_GANG_BINDING, load_schema=_schema),)
