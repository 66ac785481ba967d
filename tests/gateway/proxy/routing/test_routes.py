"""Routes come from VirtualServices, and no namespace serves the paths of another."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.gateway.proxy.routing.routes import Backend, RoutingTable, duration, may_serve, routes_of


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


def a_service(namespace: str, *http: Any, **spec: Any) -> VirtualService:
    given = {"gateways": ["kubeflow/kubeflow-gateway"], "hosts": ["*"], "http": list(http), **spec}
    return msgspec.convert({"metadata": {"name": "vs", "namespace": namespace}, "spec": given}, VirtualService)


def to(service: str, prefix: str = "") -> dict[str, Any]:
    match = {"match": [{"uri": {"prefix": prefix}}]} if prefix else {}
    return {**match, "route": [{"destination": {"host": service}}]}


def service_at(table: RoutingTable, path: str, host: str = "") -> str:
    route = table.find(path, host)
    return route.backend.service if route is not None else ""


@pytest.mark.parametrize(
    ("hosts", "host", "is_served"),
    [
        (["*"], "127.0.0.1:8080", True),
        ([], "127.0.0.1:8080", True),
        (["other.example", "*"], "127.0.0.1", True),
        (["Kubeflow.example"], "kubeflow.EXAMPLE:8080", True),
        (["kubeflow.example"], "127.0.0.1:8080", False),
        (["*.example"], "kubeflow.example", True),
        (["*.example"], "a.b.example:80", True),
        (["*.example"], "example", False),
        (["*.example"], "kubeflowexample", False),
        (["a.example", "b.example"], "b.example", True),
    ],
)
def test_a_route_is_for_the_hosts_of_its_virtual_service(hosts: list[str], host: str, is_served: bool) -> None:
    table = table_of([a_service("ml", to("lab", "/notebook/ml/lab/"), hosts=hosts)])

    assert (service_at(table, "/notebook/ml/lab/", host) == "lab") is is_served
    assert not table.has_host(host), "the gateway's pages stay on such a host"


@pytest.mark.parametrize("prefix", ["/", "/notebook/ml/lab/", "/notebook/", "/pipeline", "/dex/auth", "/jobs/"])
@pytest.mark.parametrize("host", ["*", "lab-ml.example.com", "lab.ml.example.com", "127.0.0.1", "kubeflow.example"])
def test_a_virtual_service_takes_no_path_and_no_host_of_another_namespace(prefix: str, host: str) -> None:
    """`eve` names the hosts of the gateway and of `ml`, and is older."""
    services = [a_service("eve", to("trap", prefix), hosts=[host]), a_route("/notebook/ml/lab/")]
    table = table_of(services)

    assert not table.has_host(host)
    for path in ("/", "/notebook/ml/lab/tree", "/pipeline/", "/jobs/", "/dex/auth/local"):
        route = table.find(path, host)
        assert route is None or route.owner.namespace == "ml"


def test_of_equal_prefixes_the_one_of_a_named_host_wins() -> None:
    services = [
        a_service("kubeflow", to("everywhere", "/x/")),
        a_service("kubeflow", to("here", "/x/"), hosts=["a.example"]),
    ]

    assert service_at(table_of(services), "/x/", "a.example") == "here"
    assert service_at(table_of(services), "/x/", "b.example") == "everywhere"


def test_a_rule_without_a_match_serves_the_rest_of_what_its_namespace_owns() -> None:
    table = table_of([a_service("ml", to("lab", "/notebook/ml/lab/"), to("rest"))])

    assert service_at(table, "/notebook/ml/lab/tree") == "lab"
    assert service_at(table, "/notebook/ml/other/") == "rest"
    assert service_at(table, "/serving/ml/x") == "rest"
    for path in ("/", "/jupyter/", "/notebook/other/lab/", "/notebook/mlx/", "/serving/other/x", "/dex/auth"):
        assert service_at(table, path) == "", path
    assert service_at(table_of([a_service("kubeflow", to("site"))]), "/anything") == "site"


def test_a_match_by_something_else_than_the_path_is_no_catch_all() -> None:
    by_header = {**to("lab"), "match": [{"headers": {"x-canary": {"exact": "1"}}}]}

    assert service_at(table_of([a_service("ml", by_header)]), "/notebook/ml/lab/") == ""


@pytest.mark.parametrize(
    ("configured", "given", "is_served"),
    [
        ("kubeflow/kubeflow-gateway", "kubeflow/kubeflow-gateway", True),
        ("kubeflow/kubeflow-gateway", "kubeflow-gateway", True),
        ("kubeflow/kubeflow-gateway", "ml/kubeflow-gateway", False),
        ("kubeflow/kubeflow-gateway", "mesh", False),
        ("istio-system/public", "istio-system/public", True),
        ("istio-system/public", "kubeflow/kubeflow-gateway", False),
        ("own", "ml/own", True),
        ("own", "own", True),
    ],
)
def test_a_virtual_service_names_the_gateway_that_is_configured(configured: str, given: str, is_served: bool) -> None:
    service = a_service("ml", to("lab", "/notebook/ml/lab/"), gateways=["other/gateway", given])

    assert bool(routes_of(service, configured)) is is_served


@pytest.mark.parametrize(
    ("text", "seconds"), [("300s", 300), ("1h30m", 5400), ("50ms", 0.05), ("", None), ("soon", None), ("5", None)]
)
def test_a_timeout_is_read_as_istio_writes_it(text: str, seconds: float | None) -> None:
    assert duration(text) == (None if seconds is None else timedelta(seconds=seconds))


@pytest.mark.parametrize(("namespace", "is_hidden"), [("ml", True), ("kubeflow", False)])
def test_the_cookie_against_forged_requests_is_for_no_program_of_a_user(namespace: str, is_hidden: bool) -> None:
    """Kubeflow's own web apps, which the platform may route to, have a cookie of the same name."""
    (route,) = routes_of(a_route(f"/notebook/{namespace}/lab/", namespace=namespace))

    assert ("XSRF-TOKEN" in route.hidden_cookies) is is_hidden
    assert not replace(route, host="a.example.com").hidden_cookies
