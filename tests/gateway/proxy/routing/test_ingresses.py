"""Ingresses add routes of hosts and paths, and no namespace serves those of another."""

from typing import Any

import msgspec
import pytest

from windlass.apis.networking_v1 import Ingress
from windlass.gateway.access.reviews import Access
from windlass.gateway.proxy.routing.ingresses import DOMAINS, may_serve_host, routes_of
from windlass.gateway.proxy.routing.routes import Backend, RoutingTable

GATEWAY = "kubeflow.corp.example"


def to(service: str, port: int | str = 80) -> dict[str, Any]:
    return {"service": {"name": service, "port": {"number": port} if isinstance(port, int) else {"name": port}}}


def a_path(path: str, service: str, kind: str = "Prefix", port: int | str = 80) -> dict[str, Any]:
    return {"path": path, "pathType": kind, "backend": to(service, port)}


def an_ingress(
    *paths: dict[str, Any], host: str = "", namespace: str = "ml", created: str | None = None, **spec: Any
) -> Ingress:
    rules = [{"host": host, "http": {"paths": paths}}] if paths else []
    return msgspec.convert(
        {
            "metadata": {"name": "web", "namespace": namespace, "creationTimestamp": created},
            "spec": {"rules": rules, **spec},
        },
        Ingress,
    )


def table_of(*ingresses: Ingress) -> RoutingTable:
    domains = (*DOMAINS, GATEWAY)
    return RoutingTable((route for each in ingresses for route in routes_of(each, GATEWAY, domains)), GATEWAY)


def service_of(table: RoutingTable, path: str, host: str = "") -> str | None:
    route = table.find(path, host)
    return route.backend.service if route else None


def test_the_longest_path_of_a_host_wins_and_an_exact_one_before() -> None:
    host = "iris-ml.example.com"
    paths = [a_path("/", "all"), a_path("/v1", "one"), a_path("/v1/models/", "two"), a_path("/v1", "three", "Exact")]
    table = table_of(an_ingress(*paths, host=host))

    found = [service_of(table, path, f"{host}:8080") for path in ("/", "/v1", "/v1/x", "/v1/models", "/v1x")]
    assert found == ["all", "three", "one", "two", "all"]
    assert service_of(table, "/v1", "elsewhere.example.com") is None
    assert table.has_host("IRIS-ml.example.com")
    assert not table.has_host(GATEWAY)


def test_a_port_is_known_by_number_or_name_and_entering_needs_the_service() -> None:
    route = table_of(an_ingress(a_path("/", "web", port="http"), host="x.ml.localhost")).find("/a", "x.ml.localhost")

    assert route is not None
    assert route.backend == Backend("ml", "web", "http")
    assert route.needed_access("/notebook/victim/lab/") == Access("get", "", "services", "ml", "web")


def test_the_default_backend_has_the_rest_of_its_hosts() -> None:
    host = "iris-ml.example.com"
    table = table_of(an_ingress(a_path("/v1", "one"), host=host, defaultBackend=to("rest")))

    assert [service_of(table, path, host) for path in ("/v1", "/v2")] == ["one", "rest"]
    assert service_of(table_of(an_ingress(defaultBackend=to("rest"))), "/v2") is None, "a user's namespace has no such"
    assert service_of(table_of(an_ingress(defaultBackend=to("rest"), namespace="kubeflow")), "/v2") == "rest"


@pytest.mark.parametrize(
    ("namespace", "host", "may"),
    [
        ("ml", "iris-ml.example.com", True),
        ("ml", "iris.ml.localhost", True),
        ("ml", f"iris.ml.{GATEWAY}", True),
        ("ml", "*.ml.example.com", True),
        ("ml", "iris-other.example.com", False),
        ("ml", "iris.other.example.com", False),
        ("ml", "ml.example.com", False),
        ("ml", "-ml.example.com", False),
        ("ml", "example.com", False),
        ("ml", "localhost", False),
        ("ml", "iris-ml.elsewhere.org", False),
        ("ml", "a.iris.ml.example.com", False),
        ("kubeflow", "anything.org", True),
    ],
)
def test_a_namespace_serves_its_own_hosts_only(namespace: str, host: str, may: bool) -> None:
    assert may_serve_host(namespace, host, (*DOMAINS, GATEWAY)) is may
    assert bool(service_of(table_of(an_ingress(a_path("/", "x"), host=host, namespace=namespace)), "/", host)) is may


@pytest.mark.parametrize(
    ("path", "may"), [("/serving/ml/iris", True), ("/serving/other/iris", False), ("/", False), ("/dex", False)]
)
@pytest.mark.parametrize("host", ["", GATEWAY])
def test_without_a_host_or_on_the_gateways_own_the_paths_rule_holds(path: str, may: bool, host: str) -> None:
    assert bool(service_of(table_of(an_ingress(a_path(path, "x"), host=host)), path, GATEWAY)) is may


@pytest.mark.parametrize(("older", "newer"), [("b", "a-b"), ("a-b", "b")])
def test_no_namespace_takes_a_host_or_a_path_of_it_from_another(older: str, newer: str) -> None:
    host = "x-a-b.example.com"
    first = an_ingress(a_path("/", "first"), host=host, namespace=older, created="2024-01-01T00:00:00Z")
    paths = [a_path("/", "second"), a_path("/v1/models", "second"), a_path("/v1", "second", "Exact")]
    second = an_ingress(*paths, host=host, namespace=newer, created="2024-01-02T00:00:00Z")
    table = table_of(second, first)

    assert {service_of(table, path, host) for path in ("/", "/v1", "/v1/models/x")} == {"first"}


def test_a_host_of_the_platform_is_shared_with_nobody() -> None:
    host = "x-ml.example.com"
    users = an_ingress(a_path("/v1", "users"), host=host, created="2024-01-01T00:00:00Z")
    platforms = an_ingress(a_path("/", "platforms"), host=host, namespace="kubeflow", created="2024-01-02T00:00:00Z")

    assert service_of(table_of(users, platforms), "/v1", host) == "platforms"


def test_the_gateways_own_host_keeps_its_pages() -> None:
    table = table_of(an_ingress(a_path("/", "x"), host="*.corp.example", namespace="kubeflow"))

    assert not table.has_host(f"{GATEWAY.upper()}:443")
    assert table.has_host("grafana.corp.example")
    own = an_ingress(a_path("/api", "x"), host=GATEWAY.upper(), namespace="ml")
    assert service_of(table_of(own), "/api", GATEWAY) is None


def test_a_host_with_a_wildcard_stands_for_one_label() -> None:
    table = table_of(an_ingress(a_path("/", "x"), host="*.ml.example.com"))

    assert service_of(table, "/", "any.ml.example.com") == "x"
    assert service_of(table, "/", "a.any.ml.example.com") is None


@pytest.mark.parametrize(("name", "is_served"), [("", True), ("istio", True), ("windlass", True), ("nginx", False)])
def test_ingresses_of_other_classes_are_left_to_them(name: str, is_served: bool) -> None:
    ingress = an_ingress(a_path("/", "x"), host="x.ml.localhost", **({"ingressClassName": name} if name else {}))

    assert bool(service_of(table_of(ingress), "/", "x.ml.localhost")) is is_served
