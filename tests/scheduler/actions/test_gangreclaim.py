"""Queues get what they deserve: whole gangs take from queues that have more."""

from typing import Any

import pytest

from tests.scheduler.actions.rooms import GPU, a_world, end, holding, start, victims
from tests.scheduler.worlds import World
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.framework.conf import windlass
from windlass.scheduler.model.columns import vector
from windlass.scheduler.model.jobs import Job


def saturated(a: dict[str, Any], b: dict[str, Any]) -> World:
    """16 GPUs, all with jobs of one pod of queue a; both queues ask for more than there is."""
    world = a_world("proportion", action="gangreclaim")
    world.queue("a", **a)
    world.queue("b", **b)
    for at in range(16):
        world.job(f"a{at}", queue="a", pod=GPU, on=(f"n00{at // 8}",))
    for at in range(16):
        world.job(f"a-waits{at}", queue="a", pod=GPU)
        world.job(f"b{at}", queue="b", pod=GPU)
    return world


def gpus(world: World, queue: str) -> int:
    return sum(holding(job) for job in world.cluster.jobs.values() if job.queue == queue)


@pytest.mark.parametrize(
    ("a", "b", "shares"),
    [
        ({"weight": 1}, {"weight": 3}, (4, 12)),
        ({"weight": 1}, {"weight": 1}, (8, 8)),
        ({"weight": 1, "guarantee": vector({"nvidia.com/gpu": 6})}, {"weight": 3}, (6, 10)),
        ({"weight": 1, "reclaimable": False}, {"weight": 3}, (16, 0)),
    ],
)
def test_shares_follow_weights_guarantees_and_leave_to_reclaim(
    a: dict[str, Any], b: dict[str, Any], shares: tuple[int, int]
) -> None:
    world = saturated(a, b)
    for now in range(4):
        world.decide(now)
        end(world)
        start(world)
    assert (gpus(world, "a"), gpus(world, "b")) == shares
    assert not world.decide(5).evictions


def test_a_queue_that_may_have_no_more_takes_no_more() -> None:
    capability = vector({"nvidia.com/gpu": 5}) + vector({"cpu": 1e9, "memory": 1e15, "pods": 1e6})
    world = saturated({"weight": 1}, {"weight": 3, "capability": capability})
    for now in range(4):
        world.decide(now)
        end(world)
        start(world)
    assert (gpus(world, "a"), gpus(world, "b")) == (11, 5)


def two_gangs() -> tuple[World, Job, Job]:
    world = a_world("proportion", action="gangreclaim")
    world.queue("a")
    world.queue("b")
    older = world.job("older", 8, queue="a", pod=GPU, on=("n000",), created=1.0)
    younger = world.job("younger", 8, queue="a", pod=GPU, on=("n001",), created=2.0)
    return world, older, younger


def test_a_gang_is_reclaimed_whole_or_not_at_all() -> None:
    world, older, _ = two_gangs()
    wide = world.job("wide", 8, queue="b", pod=GPU)
    decisions = world.decide(0)
    assert victims(decisions) == {"younger": 8}
    assert {one.action for one in decisions.evictions} == {"reclaim"}
    assert holding(older) == 8
    end(world)
    assert [commit.job for commit in world.decide(1).commits] == [wide]


def test_nothing_is_reclaimed_for_more_than_a_queue_deserves() -> None:
    world, _, _ = two_gangs()
    world.job("wide", 12, queue="b", pod=GPU)
    assert not world.decide(0).evictions


def test_with_fairness_switched_on_priority_and_shares_both_count() -> None:
    world, older, younger = two_gangs()
    world.decider = Decider(world.cluster, windlass("priority+fair"))
    important = world.job("important", 8, queue="a", priority=5, pod=GPU)
    other = world.job("other", 8, queue="b", pod=GPU)
    assert victims(world.decide(0)) == {"older": 8, "younger": 8}
    end(world)
    world.decide(1)
    assert [holding(job) for job in (older, younger, important, other)] == [0, 0, 8, 8]
