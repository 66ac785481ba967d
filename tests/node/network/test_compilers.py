"""What Services, policies and pods compile to: no kernel, no sockets."""

from typing import Any

import pytest

from windlass.kube.json import Object
from windlass.node.network.addresses import Leases, lease, release
from windlass.node.network.host_names import HostResolver, parse_hosts
from windlass.node.network.network import network_facts
from windlass.node.network.policies import Member, compile_policies, directions, ranges
from windlass.node.network.resolv import hosts, resolv_conf
from windlass.node.network.ruleset import Chain, Ruleset, Set, difference
from windlass.node.network.services import (
    CLOSED,
    MAP,
    Endpoint,
    ForwardedPort,
    compile_host_ports,
    compile_service,
    endpoints,
)

PORT: Object = {"name": "http", "port": 80}


def a_slice(*conditions: Object, **more: Any) -> Object:
    listed = [{"addresses": [f"10.244.0.{n + 2}"], "conditions": each} for n, each in enumerate(conditions)]
    return {"ports": [{"name": "http", "port": 8080}], "endpoints": listed, **more}


def a_service(**spec: Any) -> Object:
    return {
        "metadata": {"namespace": "team", "name": "web"},
        "spec": {"clusterIP": "10.96.0.50", "ports": [PORT], **spec},
    }


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([{}, {"ready": True}], [2, 3]),
        ([{"ready": False}, {"ready": True}], [3]),
        ([{"ready": False, "serving": True, "terminating": True}, {"ready": True}], [3]),
        ([{"ready": False, "serving": True, "terminating": True}, {"ready": False}], [2]),
        ([{"ready": False}], []),
    ],
)
def test_endpoints_are_the_ready_ones_or_else_those_that_still_serve(
    conditions: list[Object], expected: list[int]
) -> None:
    found = endpoints([a_slice(*conditions)], PORT, "TCP")
    assert found == [Endpoint(f"10.244.0.{n}", 8080) for n in expected]


def test_a_service_port_leads_to_a_chain_that_picks_one_of_its_endpoints() -> None:
    rules = compile_service(a_service(), [a_slice({}, {})], "n").rules
    assert rules.sets[MAP].elements == {("10.96.0.50", "TCP", 80): ("goto", "team/web/tcp/80")}
    assert rules.chains["team/web/tcp/80"] == Chain(((("random dnat", 2, "team/web/tcp/80"),),))
    assert rules.sets["team/web/tcp/80"].elements == {(0,): ("10.244.0.2", 8080), (1,): ("10.244.0.3", 8080)}


def test_a_service_without_endpoints_is_closed_also_at_its_external_addresses() -> None:
    rules = compile_service(a_service(externalIPs=["192.0.2.1"]), [], "n").rules
    assert set(rules.sets[CLOSED].elements) == {("10.96.0.50", "TCP", 80), ("192.0.2.1", "TCP", 80)}
    assert not rules.chains


def test_affinity_remembers_clients_for_as_long_as_asked() -> None:
    config = {"clientIP": {"timeoutSeconds": 60}}
    service = a_service(sessionAffinity="ClientIP", sessionAffinityConfig=config)
    rules = compile_service(service, [a_slice({})], "n").rules
    assert rules.sets["team/web/tcp/80/10.244.0.2:8080"].timeout == 60
    assert rules.chains["team/web/tcp/80"].rules[0][0] == ("in", ("saddr",), "team/web/tcp/80/10.244.0.2:8080")


def test_sctp_is_refused_by_name_and_the_other_ports_work() -> None:
    compiled = compile_service(a_service(ports=[{"port": 9, "protocol": "SCTP"}, PORT]), [a_slice({})], "n")
    assert compiled.problems == ("Service team/web port 9: protocol SCTP is not supported",)
    assert MAP in compiled.rules.sets


def test_the_services_that_the_node_answers_itself_and_headless_ones_have_no_rules() -> None:
    for address in ("10.96.0.1", "10.96.0.10", "None"):
        assert compile_service(a_service(clusterIP=address), [a_slice({})], "n").rules == Ruleset()


def test_local_traffic_stays_on_the_node() -> None:
    piece = a_slice({})
    piece["endpoints"][0]["nodeName"] = "other"
    rules = compile_service(a_service(internalTrafficPolicy="Local"), [piece], "n").rules
    assert list(rules.sets) == [CLOSED]


def test_a_host_port_leads_to_its_pod() -> None:
    pod: Object = {"spec": {"containers": [{"ports": [{"containerPort": 80, "hostPort": 8888}]}]}}
    compiled = compile_host_ports([(pod, "10.244.0.9")])
    assert compiled.rules.sets[MAP].elements == {("10.244.0.1", "TCP", 8888): ("goto", "host/tcp/8888")}
    assert compiled.forwarded == (ForwardedPort("TCP", 8888, Endpoint("10.244.0.1", 8888), "127.0.0.1"),)


@pytest.mark.parametrize(
    ("address", "for_pods", "forwarded", "problems"),
    [
        ("0.0.0.0", True, [("127.0.0.1", Endpoint("10.244.0.1", 8888))], []),
        ("10.244.0.1", True, [], []),
        ("127.0.0.5", False, [("127.0.0.5", Endpoint("10.244.0.9", 80))], []),
        ("192.0.2.7", False, [("192.0.2.7", Endpoint("10.244.0.9", 80))], []),
        ("::", False, [], ["Pod team/web hostPort 8888: hostIP :: is not supported: pods have no IPv6 here"]),
    ],
)
def test_a_host_port_is_where_its_host_ip_says(
    address: str, for_pods: bool, forwarded: list[Any], problems: list[str]
) -> None:
    port = {"containerPort": 80, "hostPort": 8888, "hostIP": address}
    pod: Object = {"metadata": {"namespace": "team", "name": "web"}, "spec": {"containers": [{"ports": [port]}]}}
    compiled = compile_host_ports([(pod, "10.244.0.9")])
    assert bool(compiled.rules.sets) is for_pods
    assert [(each.at, each.to) for each in compiled.forwarded] == forwarded
    assert list(compiled.problems) == problems


def test_only_what_changed_is_changed() -> None:
    old = compile_service(a_service(), [a_slice({}, {})], "n").rules
    new = compile_service(a_service(), [a_slice({}, {}, {})], "n").rules
    change = difference(old, new)
    assert change.new_elements["team/web/tcp/80"].elements == {(2,): ("10.244.0.4", 8080)}
    assert list(change.refilled) == ["team/web/tcp/80"]
    assert not change.gone_chains
    assert not difference(new, new)


def test_sets_of_one_name_become_one_without_touching_either() -> None:
    one, two = Set(("saddr",), elements={("10.0.0.1",): None}), Set(("saddr",), elements={("10.0.0.2",): None})
    rules = Ruleset(sets={"s": one})
    rules.add(Ruleset(sets={"s": two}))
    assert len(rules.sets["s"].elements) == 2
    assert (len(one.elements), len(two.elements)) == (1, 1)


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([{"cidr": "10.0.0.0/24"}], [("10.0.0.0", "10.0.0.255")]),
        (
            [{"cidr": "10.0.0.0/24", "except": ["10.0.0.64/26"]}],
            [("10.0.0.0", "10.0.0.63"), ("10.0.0.128", "10.0.0.255")],
        ),
        ([{"cidr": "10.0.0.0/25"}, {"cidr": "10.0.0.128/25"}], [("10.0.0.0", "10.0.0.255")]),
        ([{"cidr": "10.0.0.0/24", "except": ["10.0.0.0/16"]}], []),
        ([{"cidr": "0.0.0.0/0"}], [("0.0.0.0", "255.255.255.255")]),
    ],
)
def test_ip_blocks_become_ranges(blocks: list[Object], expected: list[tuple[str, str]]) -> None:
    assert ranges(blocks) == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, ["ingress"]),
        ({"egress": [{}]}, ["ingress", "egress"]),
        ({"policyTypes": ["Egress"]}, ["egress"]),
    ],
)
def test_a_policy_isolates_what_it_says(spec: Object, expected: list[str]) -> None:
    assert directions({"spec": spec}) == expected


def policy(**spec: Any) -> Object:
    return {"metadata": {"namespace": "team", "name": "p"}, "spec": {"podSelector": {}, **spec}}


PODS = [
    Member("team", "web", "10.244.0.2", {"app": "web"}, (("http", "TCP", 8080),)),
    Member("other", "cli", "10.244.0.3", {"app": "cli"}),
]


def test_a_policy_without_rules_lets_nothing_in() -> None:
    rules, _ = compile_policies([policy()], PODS, {"team": {}, "other": {}})
    assert rules.chains["ingress/10.244.0.2"] == Chain(((("jump", "policy/team/p/ingress"),), (("drop",),)))
    assert rules.chains["policy/team/p/ingress"] == Chain()
    assert "ingress/10.244.0.3" not in rules.chains


def test_peers_are_chosen_by_namespace_and_pod_and_ports_by_name() -> None:
    peer = {"namespaceSelector": {"matchLabels": {"kind": "friend"}}, "podSelector": {"matchLabels": {"app": "cli"}}}
    rules, _ = compile_policies(
        [policy(ingress=[{"from": [peer], "ports": [{"port": "http"}]}])],
        PODS,
        {"team": {}, "other": {"kind": "friend"}},
    )
    assert list(rules.sets["policy/team/p/ingress/0/pods"].elements) == [("10.244.0.3",)]
    assert list(rules.sets["policy/team/p/ingress/0/ports"].elements) == [("10.244.0.2", "TCP", 8080)]


def test_egress_to_kube_dns_is_named_as_on_clusters() -> None:
    peer = {"namespaceSelector": {}, "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}}}
    allowed = [{"to": [peer], "ports": [{"port": 53, "protocol": "UDP"}]}]
    rules, _ = compile_policies([policy(policyTypes=["Egress"], egress=allowed)], PODS, {"team": {}, "kube-system": {}})
    assert list(rules.sets["policy/team/p/egress/0/pods"].elements) == [("10.96.0.10",)]


def test_a_range_of_ports_is_one_rule() -> None:
    rules, _ = compile_policies([policy(ingress=[{"ports": [{"port": 80, "endPort": 90}]}])], PODS, {"team": {}})
    expected = (("is", "proto", "TCP"), ("ports", 80, 90), ("accept",))
    assert rules.chains["policy/team/p/ingress"].rules == (expected,)


def test_an_address_comes_round_last_and_a_pod_keeps_its_own() -> None:
    leases, first = lease(Leases(), "a")
    leases, second = lease(release(leases, "a"), "b")
    assert (first, second) == ("10.244.0.2", "10.244.0.3")
    assert lease(leases, "b")[1] == second


def test_resolv_conf_follows_the_dns_policy() -> None:
    host = HostResolver(("127.0.0.53",), ("lan",))
    pod: Object = {"metadata": {"namespace": "team"}, "spec": {}}
    assert resolv_conf(pod, host) == (
        "search team.svc.cluster.local svc.cluster.local cluster.local lan\nnameserver 10.96.0.10\noptions ndots:5\n"
    )
    pod["spec"] = {"dnsPolicy": "Default"}
    assert resolv_conf(pod, host) == "search lan\nnameserver 10.96.0.10\n"
    pod["spec"] = {"dnsPolicy": "None", "dnsConfig": {"nameservers": ["192.0.2.1"], "options": [{"name": "debug"}]}}
    assert resolv_conf(pod, host) == "nameserver 192.0.2.1\noptions debug\n"


def test_hosts_has_the_names_of_a_pod_with_a_subdomain_and_its_aliases() -> None:
    aliases = [{"ip": "192.0.2.9", "hostnames": ["a", "b"]}]
    pod: Object = {
        "metadata": {"namespace": "team", "name": "db-0"},
        "spec": {"subdomain": "db", "hostAliases": aliases},
    }
    text = hosts(pod, "10.244.0.2")
    assert "10.244.0.2\tdb-0.db.team.svc.cluster.local\tdb-0\tdb-0.db\n" in text
    assert text.endswith("# Entries added by HostAliases.\n192.0.2.9\ta\tb\n")


def test_hosts_has_the_hostname_that_overrides_all_other_names() -> None:
    spec = {"hostname": "db", "subdomain": "db", "hostnameOverride": "my.own.name"}
    pod: Object = {"metadata": {"namespace": "team", "name": "db-0"}, "spec": spec}
    assert "\n10.244.0.2\tmy.own.name\n" in hosts(pod, "10.244.0.2")


def test_the_hosts_own_loopback_names_are_not_for_pods() -> None:
    assert parse_hosts("127.0.0.1 localhost\n127.0.1.1 laptop\n192.0.2.7 nas # here\n") == {
        "localhost": ["127.0.0.1"],
        "nas": ["192.0.2.7"],
    }


@pytest.mark.parametrize(
    ("part", "change", "matters"),
    [
        ("metadata", {"annotations": {"seen": "now"}, "resourceVersion": "9"}, False),
        ("status", {"conditions": [{"type": "Ready", "status": "True"}]}, False),
        ("status", {"phase": "Running"}, False),
        ("status", {"phase": "Succeeded"}, True),
        ("status", {"podIP": "10.244.0.7"}, True),
        ("metadata", {"labels": {"app": "web"}}, True),
        ("metadata", {"uid": "another"}, True),
        ("spec", {"hostNetwork": True}, True),
    ],
)
def test_rules_are_compiled_again_when_a_pod_changes_what_they_are_made_of(
    part: str, change: Object, matters: bool
) -> None:
    pod: Object = {"metadata": {"uid": "a", "labels": {"app": "db"}}, "spec": {}, "status": {"phase": "Pending"}}

    assert (network_facts(pod) != network_facts({**pod, part: {**pod[part], **change}})) is matters
