"""Builders of CustomResourceDefinitions: each takes only what a test is about."""

from typing import Any

from windlass.apiserver.crds.definition import CrdStrategy
from windlass.kube.json import Object


def a_version(name: str = "v1", *, storage: bool = True, schema: Object | None = None, **more: Any) -> Object:
    properties: Object = {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}
    whole = schema or {"type": "object", "properties": properties}
    return {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": whole}, **more}


def a_crd(*versions: Object, names: Object | None = None, **spec: Any) -> Object:
    """A definition of widgets.example.com, with defaults filled in and prepared as on create."""
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", **(names or {})},
            "versions": list(versions) or [a_version()],
            **spec,
        },
    }
    CrdStrategy().default(crd)
    CrdStrategy().prepare_create(crd)
    return crd


def an_object_schema(**properties: Object) -> Object:
    """A root schema whose spec has these properties."""
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


def causes_of(crd: Object) -> list[str]:
    """What is wrong with a definition, as `field: message` lines."""
    return [f"{cause.field}: {cause.message}" for cause in CrdStrategy().validate(crd)]
