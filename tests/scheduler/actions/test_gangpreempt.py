"""Whole gangs make room for themselves: with the fewest victims, or with none."""

from tests.scheduler.worlds import World
from windlass.scheduler.batch.decisions import Decisions
from windlass.scheduler.batch.model import ALLOCATED, Job, Status

GPU = {"asks": {"nvidia.com/gpu": "1"}}
ACTIONS = ("allocate", "gangpreempt", "backfill")


def a_world(nodes: int = 2, gpus: int = 8) -> World:
    world = World("conformance", "predicates", actions=ACTIONS)
    world.nodes(nodes, cpu="64", offers={"nvidia.com/gpu": str(gpus)})
    return world


def victims(decisions: Decisions) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in decisions.evictions:
        found[one.task.job.name] = found.get(one.task.job.name, 0) + 1
    return found


def end(world: World) -> None:
    """Those that were told to go are gone."""
    for job in list(world.cluster.jobs.values()):
        for task in list(job.tasks.values()):
            if task.status is Status.RELEASING:
                world.cluster.drop_task(job, task.uid)


def start(world: World) -> None:
    """Those that were bound run."""
    for job in world.cluster.jobs.values():
        for task in list(job.tasks.values()):
            if task.status is Status.BINDING:
                world.cluster.move(task, Status.RUNNING)


def full() -> tuple[World, Job, Job]:
    """16 GPUs: a gang of 8, and 8 pods of which 2 are enough."""
    world = a_world()
    large = world.job("l", 8, priority=10, pod=GPU, on=("n000",))
    spread = world.job("s", 8, 2, priority=10, pod=GPU, on=("n001",))
    return world, large, spread


def test_only_what_others_can_spare_goes_if_that_is_enough() -> None:
    world, large, spread = full()
    high = world.job("h", 6, priority=1000, pod=GPU)
    decisions = world.decide(0)
    assert victims(decisions) == {"s": 6}
    assert large.number(ALLOCATED) == 8
    assert spread.number(ALLOCATED) == 2
    assert not decisions.commits
    assert set(decisions.nominated) == set(high.tasks)

    end(world)
    decisions = world.decide(1)
    assert [commit.job for commit in decisions.commits] == [high]
    assert not decisions.evictions

    start(world)
    world.job("h2", 11, priority=1000, pod=GPU)
    assert not world.decide(2).evictions  # ten could go, which is not enough

    world.cluster.drop_job("uid-h2")
    second = world.job("h3", 10, priority=1000, pod=GPU)
    assert victims(world.decide(3)) == {"l": 8, "s": 2}
    assert large.number(ALLOCATED) == spread.number(ALLOCATED) == 0
    end(world)
    assert [commit.job for commit in world.decide(4).commits] == [second]


def test_a_class_that_never_preempts_makes_nobody_go() -> None:
    world, _, _ = full()
    world.job("h", 6, priority=1000, preemption_policy="Never", pod=GPU)
    assert not world.decide().evictions
