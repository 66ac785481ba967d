from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scheduler.worlds import World
from windlass.apis.core_v1 import Node
from windlass.scheduler.cycle.gang_cycle import read_conf
from windlass.scheduler.framework.conf import BadConf, PluginConf
from windlass.scheduler.model.jobs import Job
from windlass.scheduler.plugins.deviceshare.cards import (
    INDEX,
    MEMORY,
    NUMBER,
    PREDICATE_TIME,
    REGISTER,
    UNHEALTHY,
    VGPU_CORES,
    VGPU_IDS,
    VGPU_MEMORY,
    VGPU_NODE,
    VGPU_NUMBER,
    cards_of,
)

SHARING, WHOLE, VGPU = "deviceshare.GPUSharingEnable", "deviceshare.GPUNumberEnable", "deviceshare.VGPUEnable"


def a_gpu_node(name: str, offers: dict[str, Any], annotations: dict[str, str] | None = None) -> Node:
    listed = {"cpu": "64", "memory": "64Gi", "pods": "110", **{key: str(value) for key, value in offers.items()}}
    metadata = {"name": name, "labels": {}, "annotations": annotations or {}}
    return msgspec.convert({"metadata": metadata, "status": {"allocatable": listed, "capacity": listed}}, Node)


def a_world(mode: str, **more: Any) -> World:
    return World(PluginConf("deviceshare", {mode: True, **more}), "nodeorder")


def with_cards(world: World, name: str = "g", number: int = 2, memory: int = 1000, unhealthy: str = "") -> None:
    annotations = {UNHEALTHY: unhealthy} if unhealthy else {}
    node = a_gpu_node(name, {NUMBER: number, MEMORY: number * memory}, annotations)
    world.cluster.snapshot.put_node(node)


def given_to(job: Job) -> list[str | None]:
    return [task.notes.get(INDEX) for task in sorted(job.tasks.values(), key=lambda one: one.index)]


# --- memory of a card


def test_memory_of_one_card_with_room_the_lowest_first() -> None:
    world = a_world(SHARING)
    with_cards(world)
    job = world.job("j", 4, pod={"asks": {MEMORY: "400"}})

    decisions = world.decide(5)

    assert decisions.commits
    assert given_to(job) == ["0", "0", "1", "1"]
    assert {task.notes[PREDICATE_TIME] for task in job.tasks.values()} == {"5000000000"}


def test_free_memory_of_several_cards_is_of_no_use() -> None:
    world = a_world(SHARING)
    with_cards(world)
    first = world.job("first", 2, pod={"asks": {MEMORY: "600"}})
    second = world.job("second", 1, pod={"asks": {MEMORY: "700"}}, created=1)

    decisions = world.decide()

    assert given_to(first) == ["0", "1"]
    assert given_to(second) == [None]
    assert "1 node(s) had no card with enough room" in decisions.troubles[second.uid].message


def test_a_gang_that_does_not_fit_gives_its_cards_back() -> None:
    world = a_world(SHARING)
    with_cards(world)
    wide = world.job("wide", 3, pod={"asks": {MEMORY: "600"}})
    small = world.job("small", 2, pod={"asks": {MEMORY: "1000"}}, created=1)

    world.decide()

    assert given_to(wide) == [None, None, None]
    assert given_to(small) == ["0", "1"]


def test_what_running_pods_have_is_read_from_them_and_what_was_just_given_is_remembered() -> None:
    world = a_world(SHARING)
    with_cards(world)
    world.job("there", 1, pod={"asks": {MEMORY: "900"}, "annotations": {INDEX: "0"}}, on=["g"])
    first = world.job("first", 1, pod={"asks": {MEMORY: "500"}})
    world.decide(0)
    second = world.job("second", 1, pod={"asks": {MEMORY: "500"}})
    third = world.job("third", 1, pod={"asks": {MEMORY: "50"}}, created=1)

    world.decide(1)

    assert [given_to(job) for job in (first, second, third)] == [["1"], ["1"], ["0"]]


def test_cards_that_are_ill_are_left_out() -> None:
    world = a_world(SHARING)
    with_cards(world, unhealthy="0, 7")
    job = world.job("j", 1, pod={"asks": {MEMORY: "100"}})

    world.decide()

    assert given_to(job) == ["1"]


@pytest.mark.parametrize(("policy", "cards"), [("binpack", ["1", "1"]), ("spread", ["0", "0"]), ("", ["0", "0"])])
def test_policies_choose_the_fuller_or_the_emptier_card(policy: str, cards: list[str]) -> None:
    world = a_world(SHARING, **{"deviceshare.SchedulePolicy": policy})
    with_cards(world)
    world.job("there", 1, pod={"asks": {MEMORY: "300"}, "annotations": {INDEX: "1"}}, on=["g"])
    job = world.job("j", 2, pod={"asks": {MEMORY: "100"}})

    world.decide()

    assert given_to(job) == cards


@pytest.mark.parametrize(("policy", "node"), [("binpack", "b"), ("spread", "a")])
def test_nodes_are_rated_by_the_card_that_they_would_give(policy: str, node: str) -> None:
    world = a_world(SHARING, **{"deviceshare.SchedulePolicy": policy, "deviceshare.ScheduleWeight": 100})
    with_cards(world, "a", 1)
    with_cards(world, "b", 1)
    world.job("there", 1, pod={"asks": {MEMORY: "300"}, "annotations": {INDEX: "0"}}, on=["b"])
    job = world.job("j", 1, pod={"asks": {MEMORY: "100"}})

    world.decide()

    assert world.where(job) == [node]


@pytest.mark.parametrize(("priority", "evictions"), [(1, 1), (0, 0)])
def test_a_gang_may_make_others_give_up_a_card(priority: int, evictions: int) -> None:
    world = World(PluginConf("deviceshare", {SHARING: True}), "nodeorder", actions=("allocate", "gangpreempt"))
    with_cards(world, number=2)
    for card in ("0", "1"):
        pod = {"asks": {MEMORY: "600"}, "annotations": {INDEX: card}}
        world.job(f"there{card}", 1, pod=pod, on=["g"])
    just_bound = world.job("bound", 1, pod={"asks": {MEMORY: "300"}}, priority=5)
    world.decide(0)
    job = world.job("j", 1, pod={"asks": {MEMORY: "700"}}, priority=priority)

    decisions = world.decide(1)

    assert len(decisions.evictions) == evictions
    assert given_to(just_bound) == ["0"]
    assert given_to(job) == [None]


# --- whole cards


def test_whole_cards_are_those_that_nobody_uses() -> None:
    world = a_world(WHOLE)
    with_cards(world, number=4)
    world.job("there", 1, pod={"asks": {NUMBER: "1"}, "annotations": {INDEX: "1"}}, on=["g"])
    job = world.job("j", 1, pod={"asks": {NUMBER: "2"}})

    world.decide()

    assert given_to(job) == ["0,2"]


# --- virtual cards

TWO_CARDS = "GPU-a,2,1000,NVIDIA-A,true:GPU-b,2,1000,NVIDIA-A,true:GPU-c,2,1000,NVIDIA-A,false:"
AS_JSON = '[{"id":"GPU-a","count":2,"devmem":1000,"type":"NVIDIA-A","health":true}]'


@pytest.mark.parametrize(
    ("told", "ids"), [(TWO_CARDS, ["GPU-a", "GPU-b"]), (AS_JSON, ["GPU-a"]), ("[x", []), ("a,b", [])]
)
def test_virtual_cards_are_read_from_the_node(told: str, ids: list[str]) -> None:
    found = cards_of(a_gpu_node("g", {}, {REGISTER: told}), "vgpu")

    assert [card.id for card in found.cards.values()] == ids if found is not None else not ids


def virtual(number: int, memory: int = 0, cores: int = 0) -> dict[str, Any]:
    asks = {VGPU_NUMBER: number, VGPU_MEMORY: memory, VGPU_CORES: cores}
    return {"asks": {key: str(value) for key, value in asks.items() if value}}


def a_virtual_world() -> World:
    world = a_world(VGPU)
    offers = {VGPU_NUMBER: 4, VGPU_MEMORY: 2000, VGPU_CORES: 200}
    world.cluster.snapshot.put_node(a_gpu_node("g", offers, {REGISTER: TWO_CARDS}))
    return world


@pytest.mark.parametrize(
    ("there", "asks", "ids"),
    [
        (None, virtual(1, 500), "GPU-a,NVIDIA-A,500,0:"),
        (None, virtual(2, 500, 30), "GPU-a,NVIDIA-A,500,30:GPU-b,NVIDIA-A,500,30:"),
        (None, virtual(1), "GPU-a,NVIDIA-A,1000,0:"),
        ("GPU-a,NVIDIA-A,600,0:", virtual(1, 500), "GPU-b,NVIDIA-A,500,0:"),
        ("GPU-a,NVIDIA-A,100,80:", virtual(1, 100, 30), "GPU-b,NVIDIA-A,100,30:"),
        ("GPU-a,NVIDIA-A,100,10:", virtual(1, 100, 100), "GPU-b,NVIDIA-A,100,100:"),
        ("GPU-a,NVIDIA-A,100,100:", virtual(1, 100), "GPU-b,NVIDIA-A,100,0:"),
    ],
)
def test_which_virtual_cards_a_pod_gets(there: str | None, asks: dict[str, Any], ids: str) -> None:
    world = a_virtual_world()
    if there is not None:
        world.job("there", 1, pod={"asks": {VGPU_NUMBER: "1"}, "annotations": {VGPU_IDS: there}}, on=["g"])
    job = world.job("j", 1, pod=asks)

    world.decide()

    told = next(iter(job.tasks.values())).notes
    assert told[VGPU_IDS] == ids
    assert told[VGPU_NODE] == "g"


def test_no_more_pods_share_a_card_than_may() -> None:
    world = a_virtual_world()
    job = world.job("j", 5, 0, pod=virtual(1, 10))

    world.decide()

    assert job.ready == 4


# --- all


def test_pods_that_ask_for_no_card_are_none_of_its_business() -> None:
    world = a_world(SHARING)
    with_cards(world)
    job = world.job("j", 1)
    task = next(iter(job.tasks.values()))
    session = world.session()

    assert session.mask(task) is None
    assert not session.one_at_a_time(world.decider.placer.shapes.of(task.pod), job)


def test_ways_of_sharing_exclude_each_other() -> None:
    text = "actions: allocate\ntiers:\n- plugins:\n  - name: deviceshare\n    arguments:\n"
    with pytest.raises(BadConf, match=r"deviceshare.GPUSharingEnable and deviceshare.VGPUEnable exclude each other"):
        read_conf(text + f"      {SHARING}: true\n      {VGPU}: true\n")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 3), st.integers(100, 900)), min_size=1, max_size=8),
    st.sampled_from(["", "binpack", "spread"]),
)
def test_no_card_is_ever_given_twice_over(jobs: list[tuple[int, int]], policy: str) -> None:
    world = a_world(SHARING, **{"deviceshare.SchedulePolicy": policy})
    for name in ("g", "h"):
        with_cards(world, name)
    made = [
        world.job(f"j{at}", pods, pod={"asks": {MEMORY: str(memory)}}, created=at)
        for at, (pods, memory) in enumerate(jobs)
    ]

    for cycle in range(2):
        world.decide(cycle)

    used: dict[tuple[str, str], int] = {}
    for job in made:
        for task in job.tasks.values():
            assert bool(task.node) is bool(task.notes)
            if task.node:
                place = (task.node, task.notes[INDEX])
                used[place] = used.get(place, 0) + task.pod.requests[MEMORY]
    assert all(memory <= 1000 for memory in used.values())
