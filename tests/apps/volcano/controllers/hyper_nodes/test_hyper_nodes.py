from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.kube.live import managed, until
from windlass.apis.core_v1 import ConfigMap, Namespace, Node
from windlass.apis.topology_volcano_v1alpha1 import (
    ExactMatch,
    HyperNode,
    HyperNodeSpec,
    MemberSelector,
    MemberSpec,
    RegexMatch,
)
from windlass.apps.volcano.controllers.hyper_nodes import hyper_node_service
from windlass.apps.volcano.controllers.hyper_nodes.label_discovery import (
    CONFIG_MAP,
    KEY,
    NAMESPACE,
    SOURCE,
    configuration,
    hyper_nodes,
)
from windlass.apps.volcano.controllers.hyper_nodes.membership import Topology, status_of
from windlass.kube.client import Client
from windlass.kube.errors import AlreadyExists
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, LabelSelector, ObjectMeta

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NODE = KINDS.of(Node)
OURS = f"{SOURCE}=label"
CONFIG = """
networkTopologyDiscovery:
- source: label
  enabled: true
  interval: 10m
  config:
    networkTopologyTypes:
      fabric:
      - nodeLabel: spine
      - nodeLabel: rack
      - nodeLabel: kubernetes.io/hostname
"""


def a_node(name: str, **labels: str) -> Node:
    return Node(metadata=ObjectMeta(name=name, labels=labels))


NODES = [a_node("n1", zone="a"), a_node("n2", zone="a"), a_node("m1", zone="b")]


def exact(name: str, kind: Any = "Node") -> MemberSpec:
    return MemberSpec(type=kind, selector=MemberSelector(exact_match=ExactMatch(name=name)))


def pattern(text: str, kind: Any = "Node") -> MemberSpec:
    return MemberSpec(type=kind, selector=MemberSelector(regex_match=RegexMatch(pattern=text)))


def a_hyper_node(name: str, *members: MemberSpec, tier: int = 1) -> HyperNode:
    return HyperNode(metadata=ObjectMeta(name=name), spec=HyperNodeSpec(tier=tier, members=list(members)))


def looked_at(name: str, *all_of_them: HyperNode) -> tuple[int, str]:
    """How many nodes are in it, and the reason of its condition."""
    topology = Topology(all_of_them, NODES)
    status = status_of(topology.hyper_nodes[name], topology, NOW)
    [ready] = status.conditions
    assert (ready.status == "True") == (ready.reason == "MembersFound")
    return status.node_count, ready.reason


IN_ZONE_A = MemberSpec(type="Node", selector=MemberSelector(label_match=LabelSelector(match_labels={"zone": "a"})))


@pytest.mark.parametrize(
    ("members", "count", "reason"),
    [
        ([exact("n1"), exact("m1")], 2, "MembersFound"),
        ([pattern("^n")], 2, "MembersFound"),
        ([pattern("^n"), exact("n1")], 2, "MembersFound"),
        ([IN_ZONE_A], 2, "MembersFound"),
        ([], 0, "MembersFound"),
        ([exact("n1"), exact("gone")], 1, "MemberNotFound"),
        ([pattern("(")], 0, "InvalidPattern"),
        ([pattern("(.|.){40}!!")], 0, "MembersFound"),
        ([exact("h", "HyperNode")], 0, "MemberCycle"),
    ],
)
def test_the_nodes_of_a_hypernode_are_counted_once_each(members: list[MemberSpec], count: int, reason: str) -> None:
    assert looked_at("h", a_hyper_node("h", *members)) == (count, reason)


def test_nodes_of_hypernodes_inside_count_too() -> None:
    racks = [a_hyper_node("r1", pattern("^n")), a_hyper_node("r2", exact("m1"))]
    spine = a_hyper_node("s", pattern("^r", "HyperNode"), tier=2)

    assert looked_at("s", *racks, spine) == (3, "MembersFound")


def test_what_is_no_tree_says_so() -> None:
    rack = a_hyper_node("r", exact("n1"))
    first, second = (a_hyper_node(name, exact("r", "HyperNode"), tier=2) for name in ("s1", "s2"))
    around = [a_hyper_node("x", exact("y", "HyperNode"), tier=2), a_hyper_node("y", exact("x", "HyperNode"), tier=1)]

    assert looked_at("r", rack, first, second) == (1, "SeveralParents")
    assert looked_at("s1", rack, first, second) == (1, "MembersFound")
    assert looked_at("x", *around) == (0, "MemberCycle")
    assert looked_at("s", a_hyper_node("s", exact("r", "HyperNode"), tier=1), rack) == (1, "MemberTier")


# --- from the labels of nodes


def test_labels_are_read_from_the_node_upwards() -> None:
    assert configuration(CONFIG).topologies == {"fabric": ["rack", "spine"]}
    assert configuration(CONFIG.replace("true", "false")).topologies is None
    assert configuration("").topologies is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (CONFIG.replace("source: label", "source: ufm"), "networkTopologyDiscovery[0].source: ufm is not supported"),
        (CONFIG.replace("source: label", "source: roce"), "networkTopologyDiscovery[0].source: roce is not supported"),
        (CONFIG.replace("nodeLabel: rack", "nodeLabel: spine"), "networkTopologyTypes.fabric: there are duplicate"),
        (CONFIG.replace("fabric", "a-name-of-more-than-twenty"), "may have 20 characters"),
        (CONFIG.replace("nodeLabel: rack", "label: rack"), "must list nodeLabel entries"),
        ("networkTopologyDiscovery: [{source: label, enabled: true}]", "must name at least one topology"),
        ("networkTopologyDiscovery: yes", "must be a list"),
        ("a: b: c", "is not YAML"),
    ],
)
def test_what_cannot_be_done_is_named(text: str, says: str) -> None:
    [problem] = configuration(text).problems

    assert says in problem


def test_nodes_of_one_rack_and_racks_of_one_spine_become_hypernodes() -> None:
    nodes = [
        a_node("a", rack="r1", spine="s1"),
        a_node("b", rack="r1", spine="s1"),
        a_node("c", rack="r2", spine="s1"),
        a_node("d", rack="r3"),
        a_node("e", spine="s1"),
    ]

    found = hyper_nodes({"fabric": ["rack", "spine"]}, nodes)
    again = hyper_nodes({"fabric": ["rack", "spine"]}, reversed(nodes))

    by_place = {(one.spec.tier, one.metadata.labels.get("rack") or one.metadata.labels["spine"]): one for one in found}
    members = {place: [_exact(member) for member in one.spec.members] for place, one in by_place.items()}
    racks = sorted(by_place[1, name].metadata.name for name in ("r1", "r2"))
    assert members == {(1, "r1"): ["a", "b"], (1, "r2"): ["c"], (1, "r3"): ["d"], (2, "s1"): racks}
    assert {one.spec.tier_name for one in found} == {"rack", "spine"}
    assert {one.metadata.labels[SOURCE] for one in found} == {"label"}
    assert found == again


def _exact(member: MemberSpec) -> str:
    assert member.selector.exact_match is not None
    return member.selector.exact_match.name


async def test_hypernodes_follow_the_labels_of_nodes(client: Client) -> None:
    nodes = [a_node(f"hyper-{at}", rack="r1", spine="s1") for at in range(2)]
    for node in nodes:
        await client.create(node)
    with suppress(AlreadyExists):
        await client.create(Namespace(metadata=ObjectMeta(name=NAMESPACE)))
    config = ConfigMap(metadata=ObjectMeta(name=CONFIG_MAP, namespace=NAMESPACE), data={KEY: CONFIG})
    await client.create(config)
    async with managed(client, hyper_node_service.CONTROLLER):

        async def counts() -> list[tuple[int, int]]:
            found = (await client.list(HyperNode, labels=OURS)).items
            return sorted((one.spec.tier, one.status.node_count) for one in found)

        async def both_in_one_rack() -> bool:
            return await counts() == [(1, 2), (2, 2)]

        async def each_in_its_own() -> bool:
            return await counts() == [(1, 1), (1, 1), (2, 2)]

        async def one_left() -> bool:
            return await counts() == [(1, 1), (2, 1)]

        await until(both_in_one_rack)
        await client.patch(NODE, Key("", "hyper-1"), {"metadata": {"labels": {"rack": "r2"}}})
        await until(each_in_its_own)
        await client.delete(NODE, Key("", "hyper-1"))
        await until(one_left)
    await client.delete(NODE, Key("", "hyper-0"))
    await client.delete(KINDS.of(ConfigMap), config.metadata.key)
    for one in (await client.list(HyperNode, labels=OURS)).items:
        await client.delete(KINDS.of(HyperNode), one.metadata.key)
