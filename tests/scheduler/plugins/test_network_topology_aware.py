"""S14, and what is near what."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scheduler.builders import a_pod
from tests.scheduler.worlds import World
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.framework.conf import PluginConf, windlass
from windlass.scheduler.model.columns import vector
from windlass.scheduler.model.jobs import Job, Status, SubGroups, Task, Topology
from windlass.scheduler.plugins.network_topology_aware.closeness import ROOT
from windlass.scheduler.plugins.network_topology_aware.plugin import NetworkTopologyAware

NAME = "network-topology-aware"
WHOLE_NODE = {"cpu": "4"}


def a_world(*more: str | PluginConf, **arguments: Any) -> World:
    return World(PluginConf(NAME, arguments), "nodeorder", "binpack", *more)


def test_a_gang_larger_than_a_rack_waits_if_it_must_be_in_one() -> None:
    world = a_world()
    world.racks(128, 32, 2)
    job = world.job("wide", 40, pod=WHOLE_NODE, topology=Topology(hard=True, highest_tier=1))

    decisions = world.decide()

    assert not decisions.commits
    assert job.counts[Status.PENDING] == 40
    trouble = decisions.troubles[job.uid]
    assert "no hyper node up to tier 1 has room for 40 pods together" in trouble.message


def test_the_same_gang_is_inside_one_spine_if_that_will_do() -> None:
    world = a_world()
    world.racks(128, 32, 2)
    job = world.job("wide", 40, pod=WHOLE_NODE, topology=Topology(hard=True, highest_tier=2))

    decisions = world.decide()

    assert len(world.in_hyper_nodes(job, 2)) == 1
    assert decisions.hyper_nodes == {job.uid: next(iter(world.in_hyper_nodes(job, 2)))}


@pytest.mark.parametrize(("pods", "racks"), [(32, 1), (40, 2), (64, 2), (65, 3), (128, 4)])
def test_a_soft_gang_is_in_the_fewest_racks(pods: int, racks: int) -> None:
    world = a_world()
    world.racks(128, 32, 2)
    job = world.job("wide", pods, pod=WHOLE_NODE, topology=Topology(hard=False))

    assert world.decide().commits

    assert len(world.in_hyper_nodes(job, 1)) == racks
    assert len(world.in_hyper_nodes(job, 2)) == (1 if pods <= 64 else 2)


def test_a_soft_gang_takes_the_roomiest_racks_and_the_tightest_for_the_rest() -> None:
    world = a_world()
    world.racks(40, 10)
    world.job(
        "busy", 6 + 2 + 5, pod=WHOLE_NODE, on=[f"n{at:03d}" for at in (*range(6), *range(10, 12), *range(20, 25))]
    )
    job = world.job("wide", 14, pod=WHOLE_NODE, topology=Topology(hard=False))

    world.decide()

    assert world.in_hyper_nodes(job, 1) == {"rack3": 10, "rack0": 4}


def test_the_lowest_tier_that_has_room_is_taken_and_of_it_the_fullest() -> None:
    world = a_world()
    world.racks(16, 4, 2)
    world.job("busy", 3, pod=WHOLE_NODE, on=["n004", "n008", "n009"])
    small = world.job("small", 2, pod=WHOLE_NODE, topology=Topology(hard=True, highest_tier=2))
    wide = world.job("wide", 6, pod=WHOLE_NODE, topology=Topology(hard=True, highest_tier=2), created=1)

    world.decide()

    assert set(world.in_hyper_nodes(small, 1)) == {"rack2"}
    assert set(world.in_hyper_nodes(wide, 2)) == {"spine0"}


@pytest.mark.parametrize(
    ("topology", "lands"),
    [
        (Topology(hard=True, highest_tier=1), False),
        (Topology(hard=True, highest_name="rack"), False),
        (Topology(hard=True, highest_tier=2), True),
        (Topology(hard=True, highest_name="spine"), True),
        (Topology(hard=True, highest_name="galaxy"), False),
        (Topology(hard=True), True),
        (Topology(hard=False), True),
    ],
)
def test_how_far_apart_a_gang_may_be(topology: Topology, lands: bool) -> None:
    world = a_world()
    world.racks(8, 2, 2)
    world.job("wide", 3, pod=WHOLE_NODE, topology=topology)

    assert bool(world.decide().commits) is lands


def test_above_all_hyper_nodes_there_is_one_with_every_node() -> None:
    world = a_world()
    world.racks(8, 2, 2)
    world.node("lone")
    job = world.job("wide", 9, pod=WHOLE_NODE, topology=Topology(hard=True, highest_tier=3))

    decisions = world.decide()

    assert set(world.where(job)) == {"lone", *(f"n{at:03d}" for at in range(8))}
    assert decisions.hyper_nodes == {job.uid: ROOT}


def test_a_member_that_is_lost_comes_back_to_the_hyper_node_of_the_others() -> None:
    world = a_world()
    world.racks(16, 4, 2)
    world.job("busy", 2, pod=WHOLE_NODE, on=["n006", "n013"])
    job = world.job("broken", 4, least=3, pod=WHOLE_NODE, on=["n004", "n005"], topology=Topology(True, 1))
    for task in list(job.tasks.values())[2:]:
        world.cluster.move(task, Status.PENDING)

    world.decide()

    assert sorted(world.where(job)) == ["", "n004", "n005", "n007"]


def test_a_hyper_node_without_room_for_the_minimum_is_not_looked_at() -> None:
    world = a_world()
    world.racks(8, 4)
    needs = vector({"cpu": 16000})
    job = world.job("wide", 4, pod=WHOLE_NODE, topology=Topology(True, 1), min_resources=needs)
    world.job("busy", 1, on=["n000"])

    plugin = the_plugin(world)
    groups = plugin.hyper_nodes(job)

    assert [[one.name for one in group] for group in groups or ()] == [["rack1"]]


def test_room_that_is_being_freed_counts() -> None:
    world = a_world()
    world.racks(4, 2)
    world.job("going", 2, pod=WHOLE_NODE, on=["n000", "n001"], status=Status.RELEASING)
    world.job("busy", 2, pod=WHOLE_NODE, on=["n002", "n003"])
    job = world.job("next", 2, pod=WHOLE_NODE, topology=Topology(True, 1), min_resources=vector({"cpu": 8000}))

    groups = the_plugin(world).hyper_nodes(job)

    assert [[one.name for one in group] for group in groups or ()] == [["rack0"]]


def test_where_a_gang_can_start_now_comes_before_where_it_must_wait() -> None:
    world = a_world()
    world.racks(4, 2)
    world.job("going", 2, pod=WHOLE_NODE, on=["n000", "n001"], status=Status.RELEASING)
    job = world.job("next", 2, pod=WHOLE_NODE, topology=Topology(True, 1))

    assert world.decide().commits
    assert set(world.in_hyper_nodes(job, 1)) == {"rack1"}


def the_plugin(world: World) -> NetworkTopologyAware:
    world.session()
    found = world.decider.plugins.named(NAME)
    assert isinstance(found, NetworkTopologyAware)
    return found


def test_scores_of_nodes_for_a_soft_job_fall_with_the_tier_in_common() -> None:
    world = a_world(weight=2)
    world.racks(8, 2, 2)
    job = world.job("soft", 2, topology=Topology(hard=False), on=["n000"])
    task = list(job.tasks.values())[1]
    world.cluster.move(task, Status.PENDING)

    score = the_plugin(world).node_score(task)

    assert score is not None
    assert score.tolist() == [200, 200, 100, 100, 0, 0, 0, 0]


def test_other_pods_go_rather_where_hyper_nodes_are_full_and_lower_tiers_count_more() -> None:
    world = a_world(**{"hypernode.binpack.memory": 0})
    world.racks(8, 2, 2, cpu="4")
    world.job("busy", 1, pod={"cpu": "3"}, on=["n000"])
    task = next(iter(world.job("next", 1, pod={"cpu": "1"}).tasks.values()))

    score = the_plugin(world).node_score(task)

    def mean(rack: float, spine: float) -> float:
        return 100 * (rack + 0.8 * spine) / 1.8

    assert score is not None
    expected = [mean(4 / 8, 4 / 16)] * 2 + [mean(1 / 8, 4 / 16)] * 2 + [mean(1 / 8, 1 / 16)] * 4
    assert np.allclose(score, expected)


@pytest.mark.parametrize("arguments", [{"hypernode.binpack.normal-pod.enable": False}, {}])
def test_pods_without_a_wish_cost_nothing_if_that_is_off_or_there_are_no_hyper_nodes(
    arguments: dict[str, Any],
) -> None:
    world = a_world(**arguments)
    if arguments:
        world.racks(4, 2)
    else:
        world.nodes(4)
    job = world.job("plain", 2)
    plugin = the_plugin(world)

    task = next(iter(job.tasks.values()))
    assert plugin.node_score(task) is None
    assert plugin.hyper_nodes(job) is None
    assert not world.decider.session(0.0).one_at_a_time(world.decider.placer.shapes.of(task.pod), job)


@pytest.mark.parametrize(("tier", "evictions"), [(1, 2), (0, 0)])
def test_a_gang_makes_room_within_one_rack_if_it_has_to_be_in_one(tier: int, evictions: int) -> None:
    world = World(actions=("allocate",))
    world.decider = Decider(world.cluster, windlass("priority"))
    world.racks(8, 2, 2)
    for at in range(8):
        world.job(f"low{at}", 1, pod=WHOLE_NODE, on=[f"n{at:03d}"])
    world.job("high", 2, pod=WHOLE_NODE, priority=10, topology=Topology(True, tier))

    decisions = world.decide()

    freed = {one.task.node for one in decisions.evictions}
    racks = [one.name for one in world.cluster.hyper_nodes if one.tier == 1 and freed & one.nodes]
    assert len(freed) == evictions
    assert len(racks) == (1 if evictions else 0)


@pytest.mark.parametrize(("topology", "racks"), [(Topology(True, 1), 0), (Topology(True, 2), 2), (Topology(False), 2)])
def test_it_is_so_with_what_is_configured_by_default(topology: Topology, racks: int) -> None:
    world = World()
    world.decider = Decider(world.cluster, windlass())
    world.racks(128, 32, 2)
    job = world.job("wide", 40, pod=WHOLE_NODE, topology=topology)

    world.decide()

    assert len(world.in_hyper_nodes(job, 1)) == racks
    assert len(world.in_hyper_nodes(job, 2)) == (1 if racks else 0)


# --- gangs within a gang


def with_sub_groups(world: World, groups: int, size: int, least: int = 0, tier: int = 1, **given: Any) -> Job:
    policy = SubGroups("part", size, least, Topology(True, tier), label_keys=("part",))
    job = world.job("whole", 0, given.pop("least_pods", groups * size), sub_groups=(policy,), **given)
    for at in range(groups * size):
        pod = a_pod(f"whole-{at}", cpu="4", labels={"part": str(at // size)})
        world.cluster.put_task(job, Task(pod, index=at))
    return job


def test_each_sub_group_is_in_a_rack_of_its_own_and_all_in_one_spine() -> None:
    world = a_world()
    world.racks(32, 4, 4)
    world.job("busy", 2, pod=WHOLE_NODE, on=["n000", "n001"])
    job = with_sub_groups(world, 4, 3, topology=Topology(True, 2))

    assert world.decide().commits

    nodes = world.where(job)
    racks = [
        {one.name for one in world.cluster.hyper_nodes if one.tier == 1 and nodes[at] in one.nodes} for at in range(12)
    ]
    for group in range(4):
        assert racks[group * 3] == racks[group * 3 + 1] == racks[group * 3 + 2]
    assert len(world.in_hyper_nodes(job, 2)) == 1


def test_a_gang_waits_if_one_of_the_sub_groups_that_it_needs_finds_no_rack() -> None:
    world = a_world()
    world.racks(12, 4)
    world.job("busy", 2, pod=WHOLE_NODE, on=["n000", "n001"])
    job = with_sub_groups(world, 3, 3)

    decisions = world.decide()

    assert not decisions.commits
    assert job.counts[Status.PENDING] == 9


def test_as_many_sub_groups_as_it_needs_at_least_are_enough() -> None:
    world = a_world()
    world.racks(12, 4)
    world.job("busy", 2, pod=WHOLE_NODE, on=["n000", "n001"])
    job = with_sub_groups(world, 3, 3, least=2, least_pods=6)

    assert world.decide().commits

    assert job.counts[Status.BINDING] == 6
    assert set(world.in_hyper_nodes(job, 1)) == {"rack1", "rack2"}


def test_it_is_told_how_many_sub_groups_are_missing() -> None:
    world = a_world()
    world.racks(12, 4)
    job = with_sub_groups(world, 4, 3, least=4, least_pods=3)

    trouble = world.decide().troubles[job.uid]

    assert "subGroupPolicy part: 3 of 4 groups of 3 have room" in trouble.message


@settings(max_examples=40, deadline=None)
@given(
    gangs=st.lists(st.tuples(st.integers(1, 12), st.booleans(), st.integers(1, 3)), min_size=1, max_size=5),
    busy=st.sets(st.integers(0, 23), max_size=16),
)
def test_a_gang_is_placed_whole_and_within_the_tier_that_it_allows(
    gangs: list[tuple[int, bool, int]], busy: set[int]
) -> None:
    world = a_world()
    world.racks(24, 4, 3)
    if busy:
        world.job("busy", len(busy), pod=WHOLE_NODE, on=[f"n{at:03d}" for at in sorted(busy)])
    jobs = [
        world.job(f"g{at}", pods, pod=WHOLE_NODE, topology=Topology(hard, tier if hard else None), created=at)
        for at, (pods, hard, tier) in enumerate(gangs)
    ]

    world.decide()

    nodes = [node for job in jobs for node in world.where(job) if node]
    assert len(nodes) == len(set(nodes))
    assert not {int(node[1:]) for node in nodes} & busy
    for job in jobs:
        placed = [node for node in world.where(job) if node]
        assert len(placed) in (0, job.min_member)
        if placed and job.topology is not None and job.topology.highest_tier in (1, 2):
            assert len(world.in_hyper_nodes(job, job.topology.highest_tier)) == 1
