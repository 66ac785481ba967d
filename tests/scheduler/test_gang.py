"""The pure gang decision: whole or not at all."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis.strategies import builds, dictionaries, integers, lists, sampled_from, tuples

from tests.scheduler.builders import a_cluster, a_group, a_member, a_node, a_pod
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.scheduler.gang import Gang, Waits, Whole, decide_gang
from windlass.scheduler.groups import (
    BY_SCHEDULER,
    COSCHEDULING,
    GROUP_ANNOTATION,
    KUBE_BATCH,
    TASK,
    VOLCANO,
    Group,
    mark_of,
)
from windlass.scheduler.pod_info import PodInfo
from windlass.scheduler.predicates import fits
from windlass.scheduler.snapshot import Snapshot


def a_gang(group: Group | None, *pods: PodInfo, held: int = 0, roles: str = "", **more: Any) -> Gang:
    """`held` pods of no role have nodes, and those whose `roles` are listed."""
    mark = group.mark if group is not None else ("annotation", Key("default", "g"))
    return Gang(mark, group, pods, Counter(roles.split()) + Counter({"": held}), **more)


def in_role(name: str, role: str, cpu: str = "1", group: str = "g") -> PodInfo:
    return a_pod(name, cpu=cpu, schedulerName="volcano", annotations={GROUP_ANNOTATION: group, TASK: role})


def six(cpu: str = "1", **more: Any) -> list[PodInfo]:
    return [a_member(f"p{number}", cpu=cpu, **more) for number in range(6)]


def refusal(gang: Gang, snapshot: Snapshot) -> Waits:
    answer = decide_gang(gang, snapshot)
    assert isinstance(answer, Waits)
    return answer


@pytest.mark.parametrize(
    ("cpus", "least", "held", "placed"),
    [
        ([6], 6, 0, 6),
        ([5], 6, 0, 0),
        ([3, 3], 6, 0, 6),
        ([3, 2], 6, 0, 0),
        ([5], 5, 0, 5),
        ([1], 6, 5, 1),
        ([0], 6, 5, 0),
        ([6], 3, 0, 3),
        ([6], 7, 0, 0),
    ],
)
def test_a_gang_gets_all_the_nodes_that_it_needs_or_none(cpus: list[int], least: int, held: int, placed: int) -> None:
    snapshot = a_cluster(*(a_node(f"n{number}", cpu=str(cpu)) for number, cpu in enumerate(cpus)))

    answer = decide_gang(a_gang(a_group(min_member=least), *six(), held=held), snapshot)

    assert (len(answer.nodes) if isinstance(answer, Whole) else 0) == placed
    assert not any(node.pods for node in snapshot.nodes)


def test_large_pods_go_first_where_the_order_of_arrival_leaves_no_room_for_them() -> None:
    snapshot = a_cluster(a_node("n1", cpu="3"), a_node("n2", cpu="4"))
    pods = [a_member("small", cpu="1"), a_member("other", cpu="2"), a_member("large", cpu="4")]

    answer = decide_gang(a_gang(a_group(min_member=3), *pods), snapshot)

    assert isinstance(answer, Whole)
    assert answer.nodes["uid-large"] == "n2"


def test_members_count_for_each_others_anti_affinity() -> None:
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": "x"}}, "topologyKey": "kubernetes.io/hostname"}]}}  # fmt: skip
    pods = [a_member(name, labels={"app": "x"}, affinity=apart) for name in ("a", "b", "c")]

    assert isinstance(decide_gang(a_gang(a_group(min_member=3), *pods), a_cluster(a_node("n1"), a_node("n2"))), Waits)
    three = a_cluster(a_node("n1"), a_node("n2"), a_node("n3"))
    answer = decide_gang(a_gang(a_group(min_member=3), *pods), three)
    assert isinstance(answer, Whole)
    assert len(set(answer.nodes.values())) == 3


def test_a_gang_that_does_not_fit_says_how_many_of_it_do_and_why_the_others_do_not() -> None:
    snapshot = a_cluster(a_node("n1", offers={"nvidia.com/gpu": "1"}))
    pods = six(asks={"nvidia.com/gpu": "1"}, cpu="")

    waits = refusal(a_gang(a_group(min_member=6), *pods), snapshot)

    assert waits.reason == "NotEnoughResources"
    assert waits.message == (
        "6/6 tasks in gang unschedulable: pod group is not ready, 6 Pending, 6 minAvailable; "
        "Pending: 1 Schedulable, 5 Unschedulable. Origin reason is default/p1: "
        "0/1 nodes are unavailable: 1 Insufficient nvidia.com/gpu."
    )
    assert waits.pods["uid-p0"] == "Pod default/p0 can possibly be assigned to n1, once minAvailable is satisfied"
    assert waits.pods["uid-p5"] == "0/1 nodes are unavailable: 1 Insufficient nvidia.com/gpu."
    assert waits.refused_by["uid-p0"] == {"gang"}
    assert waits.refused_by["uid-p5"] == {"gang", "resources"}


def test_kube_batch_words_it_in_its_own_way() -> None:
    group = a_group(min_member=6, kind=KUBE_BATCH)

    waits = refusal(a_gang(group, *six(scheduler="kube-batch")), a_cluster(a_node("n1", cpu="5")))

    assert waits.message == "6/6 tasks in gang unschedulable: 0/1 nodes are available: 1 Insufficient cpu."


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (VOLCANO, "Not enough valid tasks for gang-scheduling, valid: 3, min: 6"),
        (KUBE_BATCH, "Not enough valid tasks for gang-scheduling, valid: 3, min: 6"),
        (
            COSCHEDULING,
            "pre-filter pod p0 cannot find enough sibling pods, current pods number: 3, minMember of group: 6",
        ),
    ],
)
def test_a_gang_waits_until_enough_of_it_is_there(kind: Kind, message: str) -> None:
    waits = refusal(a_gang(a_group(min_member=6, kind=kind), *six()[:2], held=1), a_cluster(a_node(cpu="64")))

    assert (waits.reason, waits.message) == ("NotEnoughTasks", message)


def test_a_gang_whose_group_is_not_there_waits_for_it() -> None:
    waits = refusal(a_gang(None, a_member("p")), a_cluster(a_node()))

    assert (waits.reason, waits.message) == ("PodGroupNotFound", 'pod group "g" not found in namespace "default"')


def test_a_gang_that_was_not_let_in_waits_whatever_room_there_is() -> None:
    gang = a_gang(a_group(min_member=1), a_member("p"), admitted=False, why_not="overused cpu")

    assert refusal(gang, a_cluster(a_node())).message == (
        "pod group is not ready, 1 Pending, 1 minAvailable: overused cpu"
    )


@pytest.mark.parametrize(
    ("cpu", "roles", "placed"),
    [
        ("2", "", {"ps-0", "worker-0"}),
        ("1", "", None),
        ("2", "worker", {"ps-0"}),
        ("2", "ps", {"worker-0"}),
        ("2", "worker worker worker", {"ps-0"}),
    ],
)
def test_each_role_has_its_minimum_whatever_comes_first(cpu: str, roles: str, placed: set[str] | None) -> None:
    group = a_group(min_member=2, minTaskMember={"ps": 1, "worker": 1})
    pods = [*(in_role(f"worker-{number}", "worker") for number in range(4)), in_role("ps-0", "ps")]

    answer = decide_gang(a_gang(group, *pods, roles=roles), a_cluster(a_node(cpu=cpu)))

    names = {uid.removeprefix("uid-") for uid in answer.nodes} if isinstance(answer, Whole) else None
    assert names == placed


def test_a_gang_waits_for_the_pods_of_a_role_that_is_short() -> None:
    group = a_group(min_member=2, minTaskMember={"ps": 1, "worker": 1})

    waits = refusal(a_gang(group, *(in_role(f"w{number}", "worker") for number in range(3))), a_cluster(a_node()))

    assert (waits.reason, waits.message) == (
        "NotEnoughPodsOfTask",
        "Not enough valid pods of each task for gang-scheduling",
    )


def test_minimums_of_roles_that_are_more_than_the_gang_needs_do_not_count() -> None:
    group = a_group(min_member=1, minTaskMember={"ps": 1, "worker": 1})

    assert isinstance(decide_gang(a_gang(group, in_role("w", "worker")), a_cluster(a_node())), Whole)


@pytest.mark.parametrize("scheduler", [*BY_SCHEDULER])
def test_each_scheduler_has_its_way_to_name_a_group(scheduler: str) -> None:
    named = mark_of(a_member("p", "team", scheduler=scheduler).pod)

    assert named is not None
    assert named[1] == Key("default", "team")
    assert mark_of(a_pod("p", schedulerName=scheduler).pod) is None


def test_the_default_scheduler_places_each_pod_for_itself() -> None:
    assert mark_of(a_member("p", scheduler="default-scheduler").pod) is None


# --- whatever the gangs and nodes are


def gang_like(sizes: list[int], least: int) -> tuple[list[int], int]:
    return sizes, min(least, len(sizes))


GANGS = lists(builds(gang_like, lists(integers(100, 2500), min_size=1, max_size=8), integers(1, 8)), max_size=6)
NODES = lists(integers(500, 4000), min_size=1, max_size=5)


@given(NODES, GANGS, tuples(sampled_from([VOLCANO, KUBE_BATCH, COSCHEDULING])))
def test_gangs_that_compete_are_placed_whole_or_not_at_all_and_never_beyond_what_nodes_have(
    nodes: list[int], gangs: list[tuple[list[int], int]], kind: tuple[Kind]
) -> None:
    snapshot = a_cluster(*(a_node(f"n{number}", cpu=f"{cpu}m") for number, cpu in enumerate(nodes)))
    for number, (sizes, least) in enumerate(gangs):
        name = f"g{number}"
        pods = [a_member(f"{name}-{index}", name, cpu=f"{cpu}m") for index, cpu in enumerate(sizes)]
        before = {node.name: dict(node.pods) for node in snapshot.nodes}

        answer = decide_gang(a_gang(a_group(name, min_member=least, kind=kind[0]), *pods), snapshot)

        assert {node.name: dict(node.pods) for node in snapshot.nodes} == before, "a decision changes nothing"
        if isinstance(answer, Waits):
            assert set(answer.pods) == {pod.uid for pod in pods}
            continue
        assert len(answer.nodes) == least
        for pod in pods:
            if pod.uid in answer.nodes:
                node = snapshot.node(answer.nodes[pod.uid])
                assert node is not None
                assert fits(pod, node, snapshot) is None
                snapshot.add_pod(pod, node.name)
    for node in snapshot.nodes:
        assert node.requested["cpu"] <= node.allocatable["cpu"]


ROLES = lists(tuples(sampled_from(["ps", "worker", "chief"]), integers(100, 1500)), min_size=1, max_size=8)


@given(NODES, ROLES, dictionaries(sampled_from(["ps", "worker"]), integers(1, 3)), integers(1, 8))
def test_a_gang_that_is_placed_has_the_minimum_of_each_role(
    nodes: list[int], pods: list[tuple[str, int]], least: dict[str, int], min_member: int
) -> None:
    group = a_group(min_member=max(min_member, sum(least.values())), minTaskMember=least)
    made = [in_role(f"p{number}", role, f"{cpu}m") for number, (role, cpu) in enumerate(pods)]
    snapshot = a_cluster(*(a_node(f"n{number}", cpu=f"{cpu}m") for number, cpu in enumerate(nodes)))

    answer = decide_gang(a_gang(group, *made), snapshot)

    if isinstance(answer, Whole):
        there = Counter(role for number, (role, _) in enumerate(pods) if f"uid-p{number}" in answer.nodes)
        assert there.total() == group.min_member
        assert there >= Counter(least)


@given(NODES, integers(1, 8), integers(100, 1500))
def test_another_node_never_hinders_a_gang_of_equal_pods(nodes: list[int], width: int, cpu: int) -> None:
    pods = [a_member(f"p{number}", cpu=f"{cpu}m") for number in range(width)]
    gang = a_gang(a_group(min_member=width), *pods)
    offers = [a_node(f"n{number}", cpu=f"{amount}m") for number, amount in enumerate(nodes)]

    if isinstance(decide_gang(gang, a_cluster(*offers)), Whole):
        assert isinstance(decide_gang(gang, a_cluster(*offers, a_node("more", cpu="100m"))), Whole)
