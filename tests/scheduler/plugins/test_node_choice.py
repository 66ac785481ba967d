"""Plugins that choose nodes by a table: nodegroup, usage, resource-strategy-fit."""

from typing import Any

import pytest

from tests.scheduler.worlds import World
from windlass.scheduler.framework.conf import PluginConf
from windlass.scheduler.model.cluster import Usage
from windlass.scheduler.model.jobs import Task
from windlass.scheduler.plugins.nodegroup import LABEL, PREFERRED, REQUIRED
from windlass.scheduler.plugins.resource_strategy_fit import ANNOTATION


def a_task(world: World, **given: Any) -> Task:
    return next(iter(world.job("j", 1, **given).tasks.values()))


def allowed(world: World, task: Task, now: float = 0.0) -> list[str]:
    mask = world.session(now).mask(task)
    names = world.cluster.snapshot.table.names
    return list(names) if mask is None else [names[at] for at in mask.nonzero()[0]]


# --- nodegroup


def grouped(affinity: dict[str, Any], parent: str = "", hierarchy: bool = False, **arguments: Any) -> World:
    world = World(PluginConf("nodegroup", arguments, hierarchy=hierarchy))
    for name in ("a", "b", "c"):
        world.node(name, labels={LABEL: name})
    world.node("none")
    world.queue("q", affinity=affinity, parent=parent)
    return world


def near(**given: list[str]) -> dict[str, Any]:
    names = {"required": REQUIRED, "preferred": PREFERRED}
    return {names[key]: value for key, value in given.items()}


@pytest.mark.parametrize(
    ("affinity", "arguments", "nodes"),
    [
        ({"nodeGroupAffinity": near(required=["a"])}, {}, ["a"]),
        ({"nodeGroupAffinity": near(required=["a"], preferred=["b"])}, {}, ["a", "b"]),
        ({"nodeGroupAffinity": near(required=["a", "b"]), "nodeGroupAntiAffinity": near(required=["b"])}, {}, ["a"]),
        ({"nodeGroupAntiAffinity": near(preferred=["c"])}, {}, ["c"]),
        ({}, {}, []),
        ({}, {"strict": False}, ["none"]),
        ({"nodeGroupAffinity": near(required=["a"])}, {"strict": False}, ["a"]),
    ],
)
def test_which_groups_of_nodes_a_queue_may_use(
    affinity: dict[str, Any], arguments: dict[str, Any], nodes: list[str]
) -> None:
    world = grouped(affinity, **arguments)

    assert allowed(world, a_task(world, queue="q")) == nodes


@pytest.mark.parametrize(("in_order", "scores"), [(False, [100, 50, 50, 0]), (True, [100, 50, 25, 0])])
def test_scores_of_groups(in_order: bool, scores: list[float]) -> None:
    affinity = {"nodeGroupAffinity": near(required=["a"], preferred=["b", "c"])}
    world = grouped(affinity, enablePreferredOrder=in_order)

    score = world.session().score(a_task(world, queue="q"))

    assert score is not None
    assert score.tolist() == scores


def test_a_group_to_be_avoided_scores_below_all() -> None:
    world = grouped({"nodeGroupAffinity": near(required=["a"]), "nodeGroupAntiAffinity": near(preferred=["b"])})

    score = world.session().score(a_task(world, queue="q"))

    assert score is not None
    assert score.tolist() == [100, -1, 0, 0]


@pytest.mark.parametrize(("hierarchy", "nodes"), [(True, ["a"]), (False, [])])
def test_a_queue_has_the_groups_of_its_parent_if_nothing_is_said_of_it(hierarchy: bool, nodes: list[str]) -> None:
    world = grouped({}, parent="top", hierarchy=hierarchy)
    world.queue("top", affinity={"nodeGroupAffinity": near(required=["a"])})

    assert allowed(world, a_task(world, queue="q")) == nodes


def test_it_is_told_why_no_node_will_do() -> None:
    world = grouped({})
    job = a_task(world, queue="q").job

    trouble = world.decide().troubles[job.uid]

    assert "4 node(s) didn't match the node groups of the queue" in trouble.message


# --- usage


def used(**arguments: Any) -> World:
    world = World(PluginConf("usage", arguments))
    for name in ("a", "b", "c", "d"):
        world.node(name)
    world.cluster.usage = {"a": Usage(85, 10, 1000), "b": Usage(40, 80, 1000), "c": Usage(99, 99, 600)}
    return world


@pytest.mark.parametrize(
    ("arguments", "nodes"),
    [
        ({}, ["b", "c", "d"]),
        ({"thresholds": {"cpu": 30, "mem": 80}}, ["c", "d"]),
        ({"thresholds": {"cpu": 90, "mem": 79}}, ["a", "c", "d"]),
    ],
)
def test_busy_nodes_get_no_more_pods_unless_the_measure_is_old(arguments: dict[str, Any], nodes: list[str]) -> None:
    world = used(**arguments)

    assert allowed(world, a_task(world), now=1000) == nodes


@pytest.mark.parametrize(
    ("arguments", "scores"),
    [
        ({}, [500 * (0.15 + 0.9) / 2, 500 * (0.6 + 0.2) / 2, 0, 0]),
        ({"usage.weight": 1, "memory.weight": 3}, [100 * (0.15 + 3 * 0.9) / 4, 100 * (0.6 + 3 * 0.2) / 4, 0, 0]),
    ],
)
def test_less_busy_nodes_are_better(arguments: dict[str, Any], scores: list[float]) -> None:
    world = used(**arguments)

    score = world.session(1000).score(a_task(world))

    assert score is not None
    assert score.tolist() == pytest.approx(scores)


def test_without_measures_nothing_changes() -> None:
    world = used()
    world.cluster.usage = {}
    task = a_task(world)

    assert world.session().mask(task) is None
    assert world.session().score(task) is None


# --- resource-strategy-fit


def fitted(**arguments: Any) -> World:
    world = World(PluginConf("resource-strategy-fit", arguments))
    world.node("a", cpu="4", memory="8Gi")
    world.node("b", cpu="4", memory="8Gi")
    world.job("there", 1, pod={"cpu": "2", "memory": "2Gi"}, on=["a"])
    return world


@pytest.mark.parametrize(
    ("resources", "node"),
    [
        ({}, "b"),
        ({"cpu": {"type": "MostAllocated", "weight": 1}}, "a"),
        ({"cpu": {"type": "MostAllocated", "weight": 1}, "memory": {"type": "LeastAllocated", "weight": 9}}, "b"),
        ({"cpu": {"type": "Best"}}, "b"),
    ],
)
def test_full_or_empty_nodes_by_resource(resources: dict[str, Any], node: str) -> None:
    world = fitted(resources=resources)
    job = world.job("next", 1, pod={"cpu": "1", "memory": "1Gi"})

    world.decide()

    assert world.where(job) == [node]


def test_a_pod_may_want_it_otherwise() -> None:
    world = fitted()
    job = world.job("next", 1, pod={"cpu": "1", "annotations": {ANNOTATION: "MostAllocated"}})

    world.decide()

    assert world.where(job) == ["a"]


def test_what_is_not_followed_is_named() -> None:
    plugins = fitted(sra={"enable": True}).decider.plugins

    assert plugins.warnings == ["resource-strategy-fit: sra has no effect here"]
