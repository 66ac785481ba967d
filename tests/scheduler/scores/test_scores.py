"""Which of the nodes that would do is taken, and what each question says of them: a table a score."""

from typing import Any

import pytest

from tests.scheduler.builders import a_cluster, a_node, a_pod
from windlass.apis.core_v1 import Node
from windlass.scheduler.cycle.pod_cycle import Placed, schedule
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import Snapshot
from windlass.scheduler.scores import Score, pod_affinity, preferences, resources, spread


def scored(score: Score, pod: PodInfo, cluster: Snapshot) -> dict[str, float] | None:
    found = score(pod, cluster, cluster.nodes)
    return dict(zip((node.name for node in cluster.nodes), found, strict=True)) if found is not None else None


def chosen(pod: PodInfo, cluster: Snapshot) -> str:
    found = schedule(pod, cluster)
    assert isinstance(found, Placed), found
    return found.node


@pytest.mark.parametrize(
    ("pod", "there", "least", "balanced"),
    [
        (a_pod(cpu="2", memory="5Gi"), [], 50, 100),
        (a_pod(cpu="4", memory="10Gi"), [], 0, 100),
        (a_pod(cpu="1", memory="5Gi"), [], 62, 87),  # 75 and 50 free; a quarter and a half used
        (a_pod(cpu="1"), [a_pod("q", cpu="1", memory="5Gi")], 49, 100),  # memory that is not asked for counts as 200Mi
        (a_pod(), [], 97, None),  # likewise, and as a tenth of a cpu
        (a_pod(cpu="8", memory="1Gi"), [], 45, 55),  # more than there is: nothing left, all used
    ],
)
def test_room_and_balance_are_scored_as_kubernetes_does(
    pod: PodInfo, there: list[PodInfo], least: int, balanced: int | None
) -> None:
    cluster = a_cluster(a_node(cpu="4", memory="10Gi"), pods={"n1": there})

    assert scored(resources.least_allocated, pod, cluster) == {"n1": least}
    found = scored(resources.balanced_allocation, pod, cluster)
    assert found == ({"n1": balanced} if balanced is not None else None)


def test_the_emptier_node_is_taken_and_of_equal_ones_the_first() -> None:
    two = (a_node("a"), a_node("b"))
    assert chosen(a_pod(cpu="1"), a_cluster(*two)) == "a"
    assert chosen(a_pod(cpu="1"), a_cluster(*two, pods={"a": [a_pod("q", cpu="1")]})) == "b"


def test_pods_that_ask_for_nothing_do_not_all_go_to_one_node() -> None:
    cluster = a_cluster(a_node("a"), a_node("b"))
    for number in range(4):
        pod = a_pod(f"p{number}")
        cluster.add_pod(pod, chosen(pod, cluster))

    assert [len(node.pods) for node in cluster.nodes] == [2, 2]


AVOID = {"key": "k", "value": "v", "effect": "PreferNoSchedule"}


@pytest.mark.parametrize(
    ("tolerations", "expected"),
    [
        ([], {"a": 0, "b": 50, "c": 100}),
        ([{"key": "k", "operator": "Exists"}], {"a": 0, "b": 100, "c": 100}),
        ([{"key": "k", "operator": "Exists", "effect": "NoSchedule"}], {"a": 0, "b": 50, "c": 100}),
        ([{"operator": "Exists"}], {"a": 100, "b": 100, "c": 100}),
    ],
)
def test_a_taint_that_asks_to_be_avoided_costs_unless_it_is_tolerated(
    tolerations: list[dict[str, Any]], expected: dict[str, float]
) -> None:
    cluster = a_cluster(a_node("a", taints=[AVOID, {**AVOID, "key": "l"}]), a_node("b", taints=[AVOID]), a_node("c"))

    assert scored(preferences.taints, a_pod(tolerations=tolerations), cluster) == expected


def liking(*preferences: tuple[int, dict[str, str]]) -> dict[str, Any]:
    def preference(labels: dict[str, str]) -> dict[str, Any]:
        found = [{"key": key, "operator": "In", "values": [value]} for key, value in labels.items()]
        return {"matchExpressions": found} if found else {}

    listed = [{"weight": weight, "preference": preference(labels)} for weight, labels in preferences]
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": listed}}


def test_preferred_node_affinity_adds_up_and_an_empty_preference_says_nothing() -> None:
    cluster = a_cluster(a_node("a", labels={"x": "1"}), a_node("b", labels={"x": "1", "y": "1"}), a_node("c"))
    pod = a_pod(affinity=liking((1, {"x": "1"}), (3, {"y": "1"}), (90, {})))

    assert scored(preferences.node_affinity, pod, cluster) == {"a": 25, "b": 100, "c": 0}
    assert chosen(pod, cluster) == "b"


def wanting(side: str, *preferences: tuple[int, str], key: str = "zone") -> dict[str, Any]:
    return {
        side: {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {
                    "weight": weight,
                    "podAffinityTerm": {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key},
                }
                for weight, app in preferences
            ]
        }
    }


def requiring(app: str, key: str = "zone") -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def in_zones(**zones: str) -> tuple[Node, ...]:
    return tuple(a_node(name, labels={"zone": zone}) for name, zone in zones.items())


@pytest.mark.parametrize(
    ("affinity", "there", "expected"),
    [
        (wanting("podAffinity", (10, "db")), {}, {"a": 0, "b": 100, "c": 100}),  # b's db draws to all of its zone
        (wanting("podAntiAffinity", (10, "db")), {}, {"a": 100, "b": 0, "c": 0}),
        (wanting("podAffinity", (10, "db"), (20, "web")), {}, {"a": 100, "b": 0, "c": 0}),
        (wanting("podAffinity", (10, "nobody")), {}, None),
        ({}, wanting("podAffinity", (5, "me")), {"a": 0, "b": 100, "c": 100}),  # those that are there have wishes too
        ({}, wanting("podAntiAffinity", (5, "me")), {"a": 100, "b": 0, "c": 0}),
        ({}, requiring("me"), {"a": 0, "b": 100, "c": 100}),
        ({}, wanting("podAffinity", (5, "other")), None),
    ],
)
def test_preferred_affinity_between_pods_counts_both_ways(
    affinity: dict[str, Any], there: dict[str, Any], expected: dict[str, float] | None
) -> None:
    db = a_pod("db", labels={"app": "db"}, affinity=there)
    cluster = a_cluster(*in_zones(a="1", b="2", c="2"), pods={"a": [a_pod("web", labels={"app": "web"})], "b": [db]})

    assert scored(pod_affinity.score, a_pod(labels={"app": "me"}, affinity=affinity), cluster) == expected


def softly(key: str, **more: Any) -> dict[str, Any]:
    selector = {"matchLabels": {"app": "w"}}
    return {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": selector, **more}


HOST = "kubernetes.io/hostname"


@pytest.mark.parametrize(
    ("constraints", "expected"),
    [
        # Two zones, so each pod costs log(4): 3 and 1 of them cost 4 and 1.
        ([softly("zone")], {"a": 25, "b": 25, "c": 100, "d": 0}),
        # Four hosts, log(6): 2, 1, 1 and none cost 4, 2, 2 and 0.
        ([softly(HOST)], {"a": 0, "b": 50, "c": 50, "d": 100}),
        # Only those that have both labels count: 3 log(4) + 2 log(5), and so on, are 7, 6 and 3.
        ([softly("zone"), softly(HOST)], {"a": 42, "b": 57, "c": 100, "d": 0}),
        ([softly("zone", labelSelector={"matchLabels": {"app": "nobody"}})], {"a": 100, "b": 100, "c": 100, "d": 0}),
    ],
)
def test_soft_spread_prefers_the_domain_with_fewer(
    constraints: list[dict[str, Any]], expected: dict[str, float]
) -> None:
    def some(name: str, count: int) -> list[PodInfo]:
        return [a_pod(f"{name}{number}", labels={"app": "w"}) for number in range(count)]

    nodes = (*in_zones(a="1", b="1", c="2"), a_node("d"))
    cluster = a_cluster(*nodes, pods={"a": some("a", 2), "b": some("b", 1), "c": some("c", 1)})

    pod = a_pod(labels={"app": "w"}, topologySpreadConstraints=constraints)
    assert scored(spread.score, pod, cluster) == expected
