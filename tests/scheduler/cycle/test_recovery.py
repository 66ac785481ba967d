"""Broken gangs: they go first, and where they block each other one of them is given up."""

import pytest

from tests.scheduler.cycle.world import World
from windlass.scheduler.framework.conf import windlass
from windlass.scheduler.model.jobs import Job


def eight_nodes(**of_b: int) -> tuple[World, Job, Job]:
    """Gangs A and B of four run on eight nodes with one GPU; each loses a node."""
    world = World()
    for number in range(8):
        world.node(f"n{number}", gpus=1)
    a, b = world.job("a", 4, gpus=1, created=1.0), world.job("b", 4, gpus=1, created=2.0, **of_b)
    cycle(world)
    for job in (a, b):
        gone = world.lose_node(world.placed(job)[f"{job.name}-0"])
        assert [task.job for task in gone] == [job]
        world.add(job, f"{job.name}-4", gpus=1)
    return world, a, b


def cycle(world: World, seconds: float = 1) -> list[str]:
    """Answers the jobs that were given up."""
    world.now += seconds - 1
    decisions = world.decide()
    world.run()
    world.check()
    assert {job.name for job in decisions.released} == {
        one.task.job.name for one in decisions.evictions if one.action == "release"
    }
    return [job.name for job in decisions.released]


@pytest.mark.parametrize(("of_b", "released"), [({}, "b"), ({"priority": 5}, "a"), ({"priority": -5}, "b")])
def test_of_two_broken_gangs_the_lower_or_younger_is_given_up_and_the_other_is_whole_again(
    of_b: dict[str, int], released: str
) -> None:
    world, a, b = eight_nodes(**of_b)
    for _ in range(30):
        assert cycle(world, 10) == []
    assert cycle(world, 10) == [released]
    for _ in range(100):
        assert cycle(world, 10) == []

    stays, goes = (a, b) if released == "b" else (b, a)
    assert len(world.placed(stays)) == 4
    assert len(world.placed(goes)) == 0


def test_nothing_is_given_up_while_only_one_gang_is_broken() -> None:
    world = World()
    for number in range(4):
        world.node(f"n{number}", gpus=1)
    a, b = world.job("a", 4, gpus=1), world.job("b", 2, gpus=1)
    cycle(world)
    world.lose_node(world.placed(a)["a-0"])
    world.add(a, "a-4", gpus=1)

    for _ in range(100):
        assert cycle(world, 10) == []
    assert len(world.placed(a)) == 3
    assert not world.placed(b)

    world.node("new", gpus=1)
    cycle(world)
    assert len(world.placed(a)) == 4


def test_gangs_that_do_not_stand_in_each_others_way_are_left_alone() -> None:
    world = World()
    for number in range(2):
        world.node(f"g{number}", gpus=1, labels={"kind": "g"})
        world.node(f"h{number}", gpus=1, labels={"kind": "h"})
    jobs = [world.job(kind, 2, gpus=1, spec={"nodeSelector": {"kind": kind}}) for kind in "gh"]
    cycle(world)
    for job in jobs:
        world.lose_node(next(iter(world.placed(job).values())))
        world.add(job, f"{job.name}-2", gpus=1, nodeSelector={"kind": job.name})

    for _ in range(60):
        assert cycle(world, 10) == []


def test_more_than_one_goes_where_one_is_not_enough() -> None:
    world = World()
    for number in range(9):
        world.node(f"n{number}", gpus=1)
    jobs = [world.job(name, 3, gpus=1, created=float(number)) for number, name in enumerate("abc")]
    cycle(world)
    for job in jobs:
        for number in range(2):
            world.lose_node(world.placed(job)[f"{job.name}-{number}"])
            world.add(job, f"{job.name}-{3 + number}", gpus=1)

    released = [name for _ in range(60) for name in cycle(world, 10)]

    assert released == ["c", "b"]
    assert len(world.placed(jobs[0])) == 3


def test_a_broken_gang_goes_before_a_new_one_that_has_had_nothing_yet() -> None:
    world = World(windlass("off"))
    for number in range(4):
        world.node(f"n{number}", gpus=1)
    a = world.job("a", 4, gpus=1)
    cycle(world)
    world.lose_node(world.placed(a)["a-0"])
    world.job("new", 1, gpus=1, created=0.0)
    cycle(world, 100)
    world.add(a, "a-4", gpus=1)
    world.node("again", gpus=1)
    cycle(world)

    assert len(world.placed(a)) == 4
