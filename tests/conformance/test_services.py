"""What Kubernetes' conformance tests ask of Services, Ingresses and the network's classes, as API objects."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.conformance.builders import named
from tests.conformance.client import Caller
from tests.support import eventually

PORT = {"name": "http", "port": 80, "protocol": "TCP"}


def test_a_service_changes_its_type_and_has_what_each_needs(administrator: Caller, namespace: str) -> None:
    services = f"/api/v1/namespaces/{namespace}/services"
    administrator.create(
        services, named("v1", "Service", "web", spec={"type": "ExternalName", "externalName": "one.example.com"})
    )

    def become(**changes: Any) -> Any:
        return administrator.patch(f"{services}/web", {"spec": changes})["spec"]

    cluster = become(type="ClusterIP", externalName=None, ports=[PORT])
    assert cluster["clusterIP"].startswith("10.96.")
    assert "nodePort" not in cluster["ports"][0]

    both = [PORT, {"name": "udp", "port": 80, "protocol": "UDP"}]
    node = become(type="NodePort", ports=both)
    assert node["clusterIP"] == cluster["clusterIP"]
    assert len({port["nodePort"] for port in node["ports"]}) == 2

    name = become(type="ExternalName", externalName="two.example.com", clusterIP=None, clusterIPs=None)
    assert "clusterIP" not in name
    assert all("nodePort" not in port for port in name["ports"])

    again = become(type="NodePort", externalName=None, clusterIP=cluster["clusterIP"])
    assert again["clusterIP"] == cluster["clusterIP"]


def test_the_api_server_is_found_as_a_service_with_its_endpoints(administrator: Caller) -> None:
    service = administrator.get("/api/v1/namespaces/default/services/kubernetes")
    endpoints = administrator.get("/api/v1/namespaces/default/endpoints/kubernetes")
    (piece,) = administrator.get(
        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
        labelSelector="kubernetes.io/service-name=kubernetes",
    )["items"]

    (subset,) = endpoints["subsets"]
    assert service["spec"]["ports"][0]["name"] == subset["ports"][0]["name"] == piece["ports"][0]["name"] == "https"
    assert [a["ip"] for a in subset["addresses"]] == piece["endpoints"][0]["addresses"]
    assert subset["ports"][0]["port"] == piece["ports"][0]["port"] == administrator.server.port


@pytest.fixture
def default_class(administrator: Caller) -> Iterator[str]:
    path = "/apis/networking.k8s.io/v1/ingressclasses"
    name = f"i{uuid4().hex[:8]}"
    made = named("networking.k8s.io/v1", "IngressClass", name, spec={"controller": "example.com/c"})
    made["metadata"]["annotations"] = {"ingressclass.kubernetes.io/is-default-class": "true"}
    administrator.create(path, made)
    yield name
    administrator.delete(f"{path}/{name}")


def test_an_ingress_without_a_class_gets_the_default_one(
    administrator: Caller, namespace: str, default_class: str
) -> None:
    path = f"/apis/networking.k8s.io/v1/namespaces/{namespace}/ingresses"
    spec = {"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}

    silent = administrator.create(path, named("networking.k8s.io/v1", "Ingress", "silent", spec=spec))
    speaking = administrator.create(
        path, named("networking.k8s.io/v1", "Ingress", "speaking", spec={**spec, "ingressClassName": "mine"})
    )
    marked = named("networking.k8s.io/v1", "Ingress", "marked", spec=spec)
    marked["metadata"]["annotations"] = {"kubernetes.io/ingress.class": "old"}

    assert silent["spec"]["ingressClassName"] == default_class
    assert speaking["spec"]["ingressClassName"] == "mine"
    assert "ingressClassName" not in administrator.create(path, marked)["spec"]


def test_the_addresses_of_services_are_from_a_range_that_is_ready(administrator: Caller) -> None:
    path = "/apis/networking.k8s.io/v1/servicecidrs/kubernetes"
    ready = eventually(lambda: administrator.get(path).get("status", {}).get("conditions"))

    assert (ready[0]["type"], ready[0]["status"]) == ("Ready", "True")
    changed = administrator.ask("PATCH", path, {"spec": {"cidrs": ["192.0.2.0/24"]}}, "application/merge-patch+json")
    assert (changed.status, changed.json()["details"]["causes"][0]["field"]) == (422, "spec.cidrs")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"note": "another"}, "note"),
        ({"reason": "Another"}, "reason"),
        ({"regarding": {"kind": "Pod", "name": "b"}}, "regarding"),
    ],
)
def test_an_event_that_was_told_goes_on_in_its_series_only(
    administrator: Caller, namespace: str, change: dict[str, Any], field: str
) -> None:
    path = f"/apis/events.k8s.io/v1/namespaces/{namespace}/events"
    event = named(
        "events.k8s.io/v1", "Event", "told",
        regarding={"kind": "Pod", "name": "a", "namespace": namespace}, eventTime="2026-01-01T00:00:00.000000Z",
        reportingController="example.com/c", reportingInstance="c-1", action="Start", reason="Started", type="Normal",
        note="once",
    )  # fmt: skip
    administrator.create(path, event)
    series = {"count": 2, "lastObservedTime": "2026-01-01T00:00:01.000000Z"}

    assert administrator.patch(f"{path}/told", {"series": series})["series"] == series
    refused = administrator.ask("PATCH", f"{path}/told", change, "application/merge-patch+json")
    assert refused.status == 422
    assert field in [cause["field"] for cause in refused.json()["details"]["causes"]]
