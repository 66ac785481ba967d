"""Services: defaults, ports, and the addresses and node ports that an update must not lose."""

from typing import Any

import pytest

from tests.apiserver.builtin.kinds_builders import (
    a_service,
    causes_of,
    changed,
    created,
    defaulted,
    strategy_of,
    update_causes,
)
from windlass.kube.json import Object

ALLOCATED: Object = {
    "clusterIP": "10.96.0.10",
    "clusterIPs": ["10.96.0.10"],
    "ipFamilies": ["IPv4"],
    "ipFamilyPolicy": "SingleStack",
}


def test_a_service_gets_its_defaults() -> None:
    assert defaulted(a_service())["spec"] == {
        "type": "ClusterIP",
        "sessionAffinity": "None",
        "internalTrafficPolicy": "Cluster",
        "selector": {"app": "a"},
        "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}],
    }
    assert created(a_service())["status"] == {"loadBalancer": {}}


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({"type": "NodePort"}, {"externalTrafficPolicy": "Cluster"}),
        ({"type": "LoadBalancer"}, {"externalTrafficPolicy": "Cluster", "allocateLoadBalancerNodePorts": True}),
        ({"sessionAffinity": "ClientIP"}, {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}}}),
    ],
)
def test_other_types_get_more(spec: Object, wanted: Object) -> None:
    made = defaulted(a_service(**spec))["spec"]

    assert {field: made.get(field) for field in wanted} == wanted


@pytest.mark.parametrize(
    ("path", "value", "cause"),
    [
        ("spec.ports", [], ("spec.ports", "Required value")),
        ("spec.ports", [{"port": 1, "name": "a"}, {"port": 2}], ("spec.ports[1].name", "Required value")),
        (
            "spec.ports",
            [{"port": 1, "name": "a"}, {"port": 2, "name": "a"}],
            ("spec.ports[1].name", 'Duplicate value: "a"'),
        ),
        ("spec.ports.0.port", 0, ("spec.ports[0].port", "Invalid value: 0: must be between 1 and 65535, inclusive")),
        (
            "spec.ports.0.targetPort",
            70000,
            ("spec.ports[0].targetPort", "Invalid value: 70000: must be between 1 and 65535, inclusive"),
        ),
        (
            "spec.ports.0.protocol",
            "ICMP",
            ("spec.ports[0].protocol", 'Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"'),
        ),
        (
            "spec.ports.0.nodePort",
            30001,
            ("spec.ports[0].nodePort", "Forbidden: may not be used when `type` is 'ClusterIP'"),
        ),
        (
            "spec.type",
            "Sidecar",
            (
                "spec.type",
                'Unsupported value: "Sidecar": supported values: "ClusterIP", "ExternalName", "LoadBalancer", '
                '"NodePort"',
            ),
        ),
        (
            "spec.sessionAffinity",
            "Sticky",
            ("spec.sessionAffinity", 'Unsupported value: "Sticky": supported values: "ClientIP", "None"'),
        ),
        ("spec.selector", {"a b": "c"}, ("spec.selector", None)),
        (
            "spec.externalIPs",
            ["nowhere"],
            (
                "spec.externalIPs[0]",
                'Invalid value: "nowhere": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
            ),
        ),
    ],
)
def test_a_bad_service_is_told_what_is_wrong(path: str, value: Any, cause: tuple[str, str | None]) -> None:
    found = causes_of(changed(a_service(), path, value))

    assert cause in found or cause in [(field, None) for field, _ in found]


def test_a_node_port_must_be_in_range() -> None:
    service = a_service(type="NodePort", ports=[{"port": 80, "nodePort": 80}])

    why = "provided port is not in the valid range. The range of valid ports is 30000-32767"
    assert causes_of(service) == [("spec.ports[0].nodePort", f"Invalid value: 80: {why}")]


def test_a_headless_service_needs_no_ports_and_an_external_name_needs_a_name() -> None:
    assert causes_of(a_service(clusterIP="None", ports=[])) == []
    assert causes_of(a_service(type="ExternalName", ports=[])) == [("spec.externalName", "Required value")]
    assert causes_of(a_service(type="ExternalName", ports=[], externalName="example.com")) == []


def updated(new: Object, old: Object) -> Object:
    after = created(new)
    strategy_of(after).prepare_update(after, created(old))
    return after["spec"]


def test_an_update_that_leaves_out_what_was_allocated_keeps_it() -> None:
    old = a_service(**ALLOCATED, type="NodePort", ports=[{"port": 80, "nodePort": 30080}])

    spec = updated(a_service(type="NodePort"), old)

    assert {field: spec[field] for field in ALLOCATED} == ALLOCATED
    assert spec["ports"][0]["nodePort"] == 30080


@pytest.mark.parametrize("others", [{}, {"clusterIPs": ["10.96.0.10"]}, {"clusterIPs": ["10.96.0.11"]}])
def test_a_cluster_ip_may_not_change(others: Object) -> None:
    causes = update_causes(a_service(clusterIP="10.96.0.11", **others), a_service(**ALLOCATED))

    assert causes == [("spec.clusterIPs[0]", 'Invalid value: ["10.96.0.11"]: may not change once set')]


def test_a_service_that_becomes_a_name_gives_its_address_back() -> None:
    new = a_service(**ALLOCATED, type="ExternalName", externalName="example.com")

    spec = updated(new, a_service(**ALLOCATED))

    assert not ALLOCATED.keys() & spec.keys()
    assert update_causes(new, a_service(**ALLOCATED)) == []


def test_a_service_that_is_no_longer_a_node_port_gives_its_port_back() -> None:
    ports = [{"port": 80, "nodePort": 30080}]

    spec = updated(a_service(ports=ports), a_service(type="NodePort", ports=ports))

    assert "nodePort" not in spec["ports"][0]
    assert "externalTrafficPolicy" not in spec
