"""Objects that the conformance tests make again and again."""

from typing import Any


def named(api_version: str, kind: str, name: str, /, **fields: Any) -> dict[str, Any]:
    labels = fields.pop("labels", None)
    metadata: dict[str, Any] = {"name": name, **({"labels": labels} if labels else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def a_pod(name: str, **spec: Any) -> dict[str, Any]:
    return named("v1", "Pod", name, spec={"containers": [{"name": "main", "image": "nginx"}], **spec})


def a_definition(group: str, kind: str, schema: dict[str, Any] | None = None, **version: Any) -> dict[str, Any]:
    """A CustomResourceDefinition with one namespaced version, which takes anything unless it is told otherwise."""
    plural = f"{kind.lower()}s"
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    first = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema or anything}}
    return named(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        f"{plural}.{group}",
        labels={"group": group},
        spec={
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind},
            "versions": [{**first, **version}],
        },
    )


def an_object(**properties: Any) -> dict[str, Any]:
    """The schema of an object with these fields."""
    return {"type": "object", "properties": properties}


TEXT = {"type": "string"}
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
