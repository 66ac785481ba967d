"""Kinds and documents for the tests of the vocabulary: schemas of built-in kinds, a small CRD, random JSON."""

from typing import Any

from hypothesis import strategies as st

from windlass.kube.definitions import schema_of
from windlass.kube.schema import Schema, from_crd

_CORE, _APPS = "io.k8s.api.core.v1.", "io.k8s.api.apps.v1."


def core(kind: str) -> Schema:
    return schema_of(_CORE + kind)


def apps(kind: str) -> Schema:
    return schema_of(_APPS + kind)


def crd(**properties: Any) -> Schema:
    """A custom kind whose spec has these properties."""
    return from_crd({"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}})


def a_pod(*containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "namespace": "default"},
        "spec": {"containers": list(containers) or [{"name": "main", "image": "python"}], **spec},
    }


def a_deployment(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a", "namespace": "default"},
        "spec": spec,
    }


names = st.text("ab/~", min_size=0, max_size=3)
scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.text("xy", max_size=2)
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=8
)
json_objects = st.dictionaries(names, json_values, max_size=4)


def without_nulls(value: Any) -> Any:
    """Objects stripped of null fields, which a merge patch cannot set."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return value
