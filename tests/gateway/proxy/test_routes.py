"""Routes come from VirtualServices, and no namespace serves the paths of another."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.gateway.proxy.routes import Backend, RoutingTable, duration, may_serve, routes_of


def a_route(prefix: str, *, namespace: str = "ml", name: str = "lab", **http: Any) -> VirtualService:
    route = {
        "match": [{"uri": {"prefix": prefix}}],
        "route": [{"destination": {"host": f"{name}.{namespace}.svc.cluster.local", "port": {"number": 80}}}],
        **http,
    }
    return msgspec.convert(
        {
            "metadata": {"name": f"vs-{name}", "namespace": namespace},
            "spec": {"gateways": ["kubeflow/kubeflow-gateway"], "hosts": ["*"], "http": [route]},
        },
        VirtualService,
    )


def table_of(services: list[VirtualService]) -> RoutingTable:
    return RoutingTable(route for service in services for route in routes_of(service))


def test_a_path_goes_to_the_service_of_its_prefix() -> None:
    table = table_of([a_route("/notebook/ml/lab/"), a_route("/notebook/ml/other/", name="other")])

    found = table.find("/notebook/ml/lab/tree")
    assert found is not None
    assert found.backend == Backend("ml", "lab", 80)
    assert table.find("/notebook/ml/lab2/tree") is None
    assert table.find("/elsewhere") is None


def test_the_longest_prefix_wins() -> None:
    table = table_of(
        [a_route("/x/", namespace="kubeflow", name="short"), a_route("/x/y/", namespace="kubeflow", name="long")]
    )

    assert [table.find(path).backend.service for path in ("/x/y/z", "/x/z")] == ["long", "short"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("rewrite", "path", "asked"),
    [
        (None, "/notebook/ml/lab/tree", "/notebook/ml/lab/tree"),
        ("/", "/notebook/ml/lab/tree/a", "/tree/a"),
        ("/", "/notebook/ml/lab/", "/"),
        ("/base/", "/notebook/ml/lab/tree", "/base/tree"),
    ],
)
def test_a_rewrite_replaces_the_matched_prefix(rewrite: str | None, path: str, asked: str) -> None:
    http: dict[str, Any] = {"rewrite": {"uri": rewrite}} if rewrite else {}
    route = table_of([a_route("/notebook/ml/lab/", **http)]).find(path)

    assert route is not None
    assert route.rewritten(path) == asked


@pytest.mark.parametrize(
    ("namespace", "prefix", "may"),
    [
        ("ml", "/notebook/ml/lab/", True),
        ("ml", "/notebook/other/lab/", False),
        ("ml", "/", False),
        ("ml", "/jupyter/", False),
        ("ml", "/dex/", False),
        ("kubeflow", "/pipeline/", True),
        ("kubeflow", "/dex/", False),
        ("kubeflow", "/oauth2", False),
    ],
)
def test_a_namespace_serves_its_own_paths_only(namespace: str, prefix: str, may: bool) -> None:
    assert may_serve(namespace, prefix) is may
    assert bool(table_of([a_route(prefix, namespace=namespace)]).find(prefix)) is may


def test_a_namespace_routes_to_its_own_services_only() -> None:
    destination: dict[str, Any] = {"route": [{"destination": {"host": "lab.victim.svc.cluster.local"}}]}

    assert table_of([a_route("/notebook/ml/lab/", **destination)]).find("/notebook/ml/lab/") is None


@pytest.mark.parametrize(
    ("text", "seconds"), [("300s", 300), ("1h30m", 5400), ("50ms", 0.05), ("", None), ("soon", None), ("5", None)]
)
def test_a_timeout_is_read_as_istio_writes_it(text: str, seconds: float | None) -> None:
    assert duration(text) == (None if seconds is None else timedelta(seconds=seconds))
