"""Volcano's reclaiming, task by task: queues with less than they deserve take from others."""

from typing import Any

import pytest

from tests.scheduler.actions.rooms import GPU, a_world, end, holding, victims
from tests.scheduler.worlds import World
from windlass.scheduler.framework.conf import PluginConf
from windlass.scheduler.model.jobs import Job, Status


def lent(pods: int = 4, status: Status = Status.RUNNING, **of_a: Any) -> tuple[World, Job, Job]:
    """Queue a has all eight GPUs, of which it needs two; a gang of queue b waits."""
    world = World(PluginConf("conformance"), "predicates", "proportion", actions=("allocate", "reclaim"), basic=True)
    world.node("n000", cpu="64", offers={"nvidia.com/gpu": "8"})
    world.queue("a", **of_a)
    world.queue("b")
    borrower = world.job("borrower", 8, 2, queue="a", pod=GPU, on=("n000",), status=status)
    return world, borrower, world.job("owner", pods, queue="b", pod=GPU)


def test_what_was_lent_is_taken_back_for_a_whole_gang() -> None:
    world, borrower, owner = lent()
    decisions = world.decide(0)
    assert victims(decisions) == {"borrower": 4}
    assert {one.action for one in decisions.evictions} == {"reclaim"}
    end(world)
    assert [commit.job for commit in world.decide(1).commits] == [owner]
    assert holding(borrower) == 4


@pytest.mark.parametrize(
    "given",
    [{"reclaimable": False}, {"pods": 5}, {"status": Status.BOUND}],
    ids=["not reclaimable", "more than b deserves", "not running yet"],
)
def test_nothing_is_taken(given: dict[str, Any]) -> None:
    world, borrower, _ = lent(**given)
    assert not world.decide().evictions
    assert holding(borrower) == 8


def test_a_queue_that_has_its_share_takes_nothing() -> None:
    world, _, _ = lent()
    world.decide(0)
    end(world)
    world.decide(1)
    world.job("more", 1, queue="b", pod=GPU)
    assert not world.decide(2).evictions


def test_jobs_of_the_same_queue_are_left_alone() -> None:
    world = a_world("proportion", action="reclaim", nodes=1)
    world.job("low", 8, 2, priority=1, pod=GPU, on=("n000",))
    world.job("high", 2, priority=9, pod=GPU)
    assert not world.decide().evictions
