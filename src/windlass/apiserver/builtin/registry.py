"""Builds the `Resource` of a built-in kind: finds its OpenAPI definition and its columns."""

from collections.abc import Callable
from typing import Any

from windlass.apiserver.builtin.strategy import Builtin
from windlass.apiserver.resources import ALL_VERBS, Resource, Strategy

_PREFIXES = {
    "": "io.k8s.api.core",
    "apiextensions.k8s.io": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
    "apiregistration.k8s.io": "io.k8s.kube-aggregator.pkg.apis.apiregistration",
}

CREATE_ONLY = ("create",)


def definition_name(group: str, version: str, kind: str) -> str:
    """The name of a built-in kind in Kubernetes' OpenAPI, such as `io.k8s.api.apps.v1.Deployment`."""
    prefix = _PREFIXES.get(group) or f"io.k8s.api.{group.partition('.')[0]}"
    return f"{prefix}.{version}.{kind}"


def resource(
    group: str,
    version: str,
    kind: str,
    plural: str,
    *short_names: str,
    namespaced: bool,
    strategy: type[Strategy] = Builtin,
    categories: tuple[str, ...] = (),
    subresources: tuple[str, ...] = (),
    verbs: tuple[str, ...] = ALL_VERBS,
    **more: Any,
) -> Resource:
    """Build a built-in resource; its schema and columns are loaded on first use."""
    return Resource(
        group=group,
        version=version,
        kind=kind,
        plural=plural,
        namespaced=namespaced,
        short_names=short_names,
        categories=categories,
        verbs=verbs,
        subresources=frozenset(subresources),
        strategy=strategy(has_status="status" in subresources) if issubclass(strategy, Builtin) else strategy(),
        load_schema=_schema_loader(definition_name(group, version, kind)),
        load_columns=_columns_loader(group, kind),
        **more,
    )


def _schema_loader(name: str) -> Callable[[], Any]:
    def load() -> Any:
        from windlass.kube import definitions

        return definitions.schema_of(name)

    return load


def _columns_loader(group: str, kind: str) -> Callable[[], Any]:
    def load() -> Any:
        from windlass.apiserver import tables

        return tables.columns_for(group, kind)

    return load
