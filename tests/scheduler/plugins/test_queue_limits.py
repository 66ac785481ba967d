"""A queue never has more than its capability; which plugin counts the capability of the queues above it."""

from dataclasses import replace
from random import Random

import pytest

from tests.scheduler.cycle.world import World
from windlass.scheduler.framework.conf import VOLCANO, Conf, PluginConf, windlass
from windlass.scheduler.model.columns import TOLERANCE
from windlass.scheduler.model.jobs import Queue

CPU = 0
"""The column of a vector."""


def with_capacity(*, hierarchical: bool) -> Conf:
    capacity = PluginConf("capacity", {"enableHierarchy": hierarchical}, hierarchy=hierarchical)
    tiers = tuple(tuple(capacity if one.name == "proportion" else one for one in tier) for tier in VOLCANO.tiers)
    return replace(VOLCANO, tiers=tiers)


PROPORTION, CAPACITY, HIERARCHY = VOLCANO, with_capacity(hierarchical=False), with_capacity(hierarchical=True)


def four_small_nodes(conf: Conf) -> World:
    world = World(conf)
    for number in range(4):
        world.node(f"n{number}", cpu=1)
    return world


def go_on(world: World, *queues: Queue) -> None:
    for _ in range(3):
        world.decide()
        for queue in queues:
            assert (queue.allocated <= queue.capability + TOLERANCE).all()
        world.run()


@pytest.mark.parametrize("conf", [windlass("off"), windlass("priority+fair"), PROPORTION, CAPACITY, HIERARCHY])
@pytest.mark.parametrize("least", [1, 4])
def test_a_queue_at_its_capability_gets_nothing_for_a_further_job(conf: Conf, least: int) -> None:
    world = four_small_nodes(conf)
    queue = world.queue("small", capability={"cpu": "2"})
    world.job("first", 4, least, cpu="500m", queue="small")
    go_on(world, queue)
    further = world.job("further", 1, cpu="500m", queue="small")
    go_on(world, queue)

    assert queue.allocated[CPU] == 2000
    assert world.placed(further) == {}


@pytest.mark.parametrize("conf", [windlass("priority+fair"), PROPORTION, CAPACITY, HIERARCHY])
@pytest.mark.parametrize("seed", range(12))
def test_no_sequence_of_jobs_brings_a_queue_above_its_capability(conf: Conf, seed: int) -> None:
    random, world = Random(seed), four_small_nodes(conf)
    queue = world.queue("small", capability={"cpu": random.choice(["1", "1500m", "2", "2500m", "3"])})
    world.queue("other")
    for number in range(random.randint(2, 6)):
        width, cpu = random.randint(1, 4), random.choice(["250m", "500m", "1"])
        world.job(
            f"j{number}",
            width,
            random.choice([1, width]),
            cpu=cpu,
            queue=random.choice(["small", "small", "other"]),
            resources=random.choice([None, {"cpu": cpu}]),
            priority=random.choice([0, 5]),
        )
        go_on(world, queue)


@pytest.mark.parametrize(("conf", "placed"), [(PROPORTION, 1), (CAPACITY, 1), (HIERARCHY, 0)])
def test_the_queue_above_limits_its_children_where_the_hierarchy_is_enabled(conf: Conf, placed: int) -> None:
    world = four_small_nodes(conf)
    world.queue("root")
    world.queue("top", parent="root", capability={"cpu": "2"})
    for name in ("one", "two"):
        world.queue(name, parent="top")
    world.job("first", 4, cpu="500m", queue="one")
    go_on(world)
    further = world.job("further", 1, cpu="500m", queue="two")
    go_on(world)

    assert len(world.placed(further)) == placed
