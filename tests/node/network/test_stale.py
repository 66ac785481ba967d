"""Which conversations by UDP are led anew: no kernel, no sockets. `test_live` has them forgotten."""

from typing import Any

import pytest

from windlass.kube.json import Object
from windlass.node.network.conntrack import Flow, forget, udp_flows
from windlass.node.network.services import Endpoint, compile_host_ports, compile_service
from windlass.node.network.stale import stale, udp_endpoints

CLIENT, SERVICE, NODE = ("10.244.0.9", 40000), Endpoint("10.96.0.50", 90), Endpoint("10.244.0.1", 30090)
ONE, TWO = Endpoint("10.244.0.2", 9000), Endpoint("10.244.0.3", 9000)


def a_service(**spec: Any) -> Object:
    ports = [
        {"name": "u", "port": 90, "nodePort": 30090, "protocol": "UDP"},
        {"name": "t", "port": 90, "nodePort": 30090},
    ]
    meta = {"namespace": "team", "name": "echo"}
    return {"metadata": meta, "spec": {"clusterIP": "10.96.0.50", "ports": ports, **spec}}


def a_slice(*found: Endpoint) -> Object:
    ports = [{"name": "u", "port": 9000, "protocol": "UDP"}, {"name": "t", "port": 8080}]
    return {"ports": ports, "endpoints": [{"addresses": [each.address]} for each in found]}


@pytest.mark.parametrize("spec", [{}, {"sessionAffinity": "ClientIP"}])
def test_the_ways_of_a_service_are_those_of_its_rules(spec: Object) -> None:
    rules = compile_service(a_service(**spec), [a_slice(ONE, TWO)], "n").rules
    assert udp_endpoints(rules) == {SERVICE: {ONE, TWO}, NODE: {ONE, TWO}}
    assert udp_endpoints(compile_service(a_service(**spec), [], "n").rules) == {}


def test_the_way_of_a_host_port_is_its_pod() -> None:
    port = {"containerPort": 9000, "hostPort": 30090, "protocol": "UDP"}
    pod: Object = {"spec": {"containers": [{"ports": [port]}]}}
    assert udp_endpoints(compile_host_ports([(pod, ONE.address)]).rules) == {NODE: {ONE}}


@pytest.mark.parametrize(
    ("to", "answers", "is_stale"),
    [
        (SERVICE, ONE, False),
        (SERVICE, TWO, True),
        (SERVICE, Endpoint(ONE.address, 9001), True),
        (SERVICE, SERVICE, True),  # begun when the Service had no rules yet
        (NODE, ONE, True),  # nothing leads from there any more
        (NODE, NODE, False),  # the node itself answers
        (TWO, TWO, False),
        (Endpoint("192.0.2.1", 53), Endpoint("192.0.2.1", 53), False),
    ],
)
def test_a_flow_is_stale_when_its_address_does_not_lead_to_who_answers(
    to: Endpoint, answers: Endpoint, is_stale: bool
) -> None:
    flow = Flow(*CLIENT, *to, *answers)
    assert stale([flow], {SERVICE: frozenset({ONE})}) == ([flow] if is_stale else [])


def test_what_the_kernel_lists_is_read_and_other_protocols_are_not() -> None:
    there = forget(Flow(*CLIENT, *SERVICE, *SERVICE)).payload
    back = forget(Flow(*ONE, *CLIENT, *CLIENT)).payload[4:]
    back = back[:2] + b"\x02\x80" + back[4:]  # the same tuple, as the reply direction
    other = there.replace(b"\x11\0\0\0", b"\x06\0\0\0") + back
    assert list(udp_flows([(256, there + back), (256, other), (256, there)])) == [Flow(*CLIENT, *SERVICE, *ONE)]
