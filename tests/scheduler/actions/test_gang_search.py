"""What holds of whole gangs that preempt, whatever the cluster is like."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scheduler.actions.rooms import a_world, end, holding
from tests.scheduler.worlds import World
from windlass.scheduler.model.columns import GPU
from windlass.scheduler.model.jobs import ALLOCATED, Job, Status, Task

Victim = tuple[int, int, int, int, list[int]]
"""Pods, minimum, GPUs a pod, priority, and the nodes that its pods are on."""


def gpus(number: int) -> dict[str, dict[str, str]]:
    return {"asks": {"nvidia.com/gpu": str(number)}}


@st.composite
def victims(draw: st.DrawFn, nodes: int) -> Victim:
    pods = draw(st.integers(1, 4))
    where = draw(st.lists(st.integers(0, nodes - 1), min_size=pods, max_size=pods))
    return pods, draw(st.integers(0, pods)), draw(st.integers(1, 2)), draw(st.integers(0, 3)), where


@st.composite
def worlds(draw: st.DrawFn) -> tuple[World, Job]:
    nodes = draw(st.integers(1, 3))
    world = a_world(action="gangpreempt", nodes=nodes, gpus=draw(st.integers(2, 6)))
    room = Counter({f"n{at:03d}": int(world.cluster.snapshot.table.allocatable[GPU, at]) for at in range(nodes)})
    for number, (pods, least, size, priority, where) in enumerate(draw(st.lists(victims(nodes), max_size=5))):
        names = [f"n{at:03d}" for at in where]
        asked = Counter({name: size * count for name, count in Counter(names).items()})
        if all(room[name] >= amount for name, amount in asked.items()):
            room -= asked
            world.job(f"v{number}", pods, least, priority=priority, pod=gpus(size), on=names)
    width = draw(st.integers(1, 6))
    least = draw(st.integers(1, width))
    return world, world.job("h", width, least, priority=2, pod=gpus(draw(st.integers(1, 3))))


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_nobody_goes_unless_the_gang_starts_and_no_gang_is_left_half(made: tuple[World, Job]) -> None:
    world, high = made
    before = {job.uid: holding(job) for job in world.cluster.jobs.values()}
    decisions = world.decide(0)
    for job in world.cluster.jobs.values():
        if job is high:
            continue
        left = holding(job)
        assert left == before[job.uid] or left == 0 or left >= job.min_member or before[job.uid] < job.min_member
        assert left == before[job.uid] or job.priority < high.priority
    if not decisions.evictions:
        return
    assert holding(high) == 0
    end(world)
    decisions = world.decide(1)
    assert high.has_enough(ALLOCATED)
    assert not decisions.evictions
    assert not world.cluster.snapshot.table.promises


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_if_any_of_those_that_go_stayed_the_gang_would_not_fit(made: tuple[World, Job]) -> None:
    world, high = made
    gone = [one.task for one in world.decide(0).evictions]
    end(world)
    whole = {task.job.uid for task in gone if holding(task.job) < task.job.min_member}
    for task in gone:
        together = [other for other in gone if other.job is task.job] if task.job.uid in whole else [task]
        for other in together:
            world.cluster.put_task(other.job, Task(other.pod, node=other.node, status=Status.RUNNING))
        assert room_for(world, high) < high.min_member, together
        for other in together:
            world.cluster.drop_task(other.job, other.uid)
    assert not gone or room_for(world, high) >= high.min_member


def room_for(world: World, job: Job) -> int:
    """How many of its pods, which are alike, there is room for; other resources than GPUs abound."""
    table, size = world.cluster.snapshot.table, next(iter(job.tasks.values())).request[GPU]
    return sum(int((table.allocatable[GPU, at] - table.used[GPU, at]) // size) for at in range(len(table)))
