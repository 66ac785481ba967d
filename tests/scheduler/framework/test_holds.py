"""The place of a member that a gang has lost is kept for the gang."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scheduler.cycle.world import World
from windlass.scheduler.framework import conf
from windlass.scheduler.framework.conf import windlass
from windlass.scheduler.model.gang_tasks import LostTask
from windlass.scheduler.model.jobs import Job, Status


def seven_gpus(configured: conf.Conf | None = None) -> tuple[World, Job, Job]:
    """Gang A of four runs, gang B of four waits for the seven GPUs that there are."""
    world = World(configured)
    world.node("x", gpus=4)
    world.node("y", gpus=3)
    a, b = world.job("a", 4, gpus=1), world.job("b", 4, gpus=1)
    world.decide()
    world.run()
    assert (len(world.placed(a)), len(world.placed(b))) == (4, 0)
    return world, a, b


def cycle(world: World) -> None:
    world.decide()
    world.run()
    world.check()


@pytest.mark.parametrize("configured", [windlass("off"), conf.VOLCANO])
def test_a_gang_that_loses_a_member_gets_its_place_back_a_hundred_times_over(configured: conf.Conf) -> None:
    world, a, b = seven_gpus(configured)
    for number in range(100):
        name = sorted(world.placed(a))[number % 4]
        node = world.lose(a, name)
        cycle(world)
        assert not world.placed(b)
        new = world.add(a, f"a-{4 + number}", gpus=1)
        cycle(world)
        assert (new.status, new.node) == (Status.RUNNING, node)
        assert not world.placed(b)
    assert not world.cluster.holds


def test_a_hold_counts_for_the_queue_until_it_is_over() -> None:
    world, a, b = seven_gpus()
    allocated = world.cluster.queues["default"].allocated.copy()

    node = world.lose(a, "a-1")
    assert (world.cluster.queues["default"].allocated == allocated).all()
    world.now += 58
    cycle(world)
    assert not world.placed(b)
    world.now += 1
    decisions = world.decide()
    world.run()

    assert decisions.freed == [node]
    assert len(world.placed(b)) == 4
    world.check()


def test_the_replacement_has_the_place_although_the_queue_has_more_than_its_share() -> None:
    world = World()
    world.node("n", gpus=4)
    world.queue("rich")
    world.queue("poor")
    a = world.job("a", 4, gpus=1, queue="rich")
    cycle(world)
    for number in range(4):
        world.job(f"b{number}", 1, gpus=1, queue="poor")

    world.lose(a, "a-2")
    cycle(world)
    world.add(a, "a-4", gpus=1)
    cycle(world)

    assert len(world.placed(a)) == 4


def test_while_a_lost_pod_ends_its_place_is_kept_too() -> None:
    world, a, b = seven_gpus()
    task = next(task for task in a.tasks.values() if task.node == "x")
    world.decider.lost(LostTask.of(a, task), world.now)
    world.cluster.move(task, Status.RELEASING)
    world.add(a, "a-new", gpus=1)
    world.decide()
    assert not world.placed(b)
    world.run()
    cycle(world)

    assert len(world.placed(a)) == 4
    assert not world.placed(b)


@pytest.mark.parametrize(("priority", "placed"), [(0, 0), (1, 4)])
def test_only_a_job_of_higher_priority_may_break_a_hold(priority: int, placed: int) -> None:
    world, a, _ = seven_gpus()
    world.lose(a, "a-1")
    other = world.job("other", 4, gpus=1, priority=priority)

    cycle(world)

    assert len(world.placed(other)) == placed
    assert len(world.cluster.holds) == (0 if placed else 1)


def test_a_hold_is_not_broken_where_there_is_other_room() -> None:
    world, a, _ = seven_gpus()
    world.lose(a, "a-1")
    other = world.job("other", 3, gpus=1, priority=1)

    cycle(world)

    assert len(world.placed(other)) == 3
    assert len(world.cluster.holds) == 1


def test_a_place_on_a_node_that_is_gone_is_kept_on_another() -> None:
    world = World()
    for name in "wxyz":
        world.node(name, gpus=1)
    a = world.job("a", 3, gpus=1)
    cycle(world)
    spare = (set("wxyz") - set(world.placed(a).values())).pop()

    gone = world.lose_node(world.placed(a)["a-0"])
    assert [hold.node for hold in world.cluster.holds.values()] == [spare]
    other = world.job("other", 1, gpus=1)
    cycle(world)
    assert not world.placed(other)
    world.add(a, "a-3", gpus=1)
    cycle(world)

    assert len(gone) == 1
    assert world.placed(a)["a-3"] == spare


def test_a_hold_follows_when_its_node_goes_and_finds_room_when_there_is_some() -> None:
    world, a, b = seven_gpus()
    lost_on = world.lose(a, "a-1")
    for task in world.lose_node(lost_on):
        assert task.job is a
    world.node("z", gpus=4)
    cycle(world)

    assert {hold.node for hold in world.cluster.holds.values()} <= {"x", "y", "z"} - {lost_on}
    assert not world.placed(b)


def _ends(world: World, a: Job) -> None:
    for name in sorted(world.placed(a)):
        world.lose(a, name)


def _group_goes(world: World, a: Job) -> None:
    world.lose(a, "a-0")
    world.cluster.drop_job(a.uid)
    world.finish(a)


def _completes(world: World, a: Job) -> None:
    a.phase = "Completed"
    world.finish(a)


@pytest.mark.parametrize("end", [_ends, _group_goes, _completes])
def test_nothing_is_kept_for_a_job_whose_end_was_asked_for(end: object) -> None:
    world, a, b = seven_gpus()
    assert callable(end)

    end(world, a)
    cycle(world)

    assert not world.cluster.holds
    assert len(world.placed(b)) == 4


def test_members_beyond_the_minimum_and_gangs_that_never_ran_have_no_place_kept() -> None:
    world = World()
    world.node("n", gpus=8)
    elastic, single = world.job("e", 4, 3, gpus=1), world.job("s", 1, gpus=1)
    cycle(world)
    cycle(world)
    assert len(world.placed(elastic)) == 4

    world.lose(elastic, "e-0")
    world.lose(single, "s-0")

    assert not world.cluster.holds


def test_holds_survive_when_more_is_said_of_their_job() -> None:
    world, a, b = seven_gpus()
    node = world.lose(a, "a-1")
    again = Job("a", "default", "a", min_member=4, phase="Running")
    world.cluster.put_job(again)
    cycle(world)
    assert not world.placed(b)
    world.add(again, "a-4", gpus=1)
    cycle(world)

    assert world.placed(again)["a-4"] == node


@settings(max_examples=40, deadline=None)
@given(
    nodes=st.lists(st.integers(1, 4), min_size=2, max_size=4),
    gangs=st.lists(st.tuples(st.integers(2, 5), st.integers(0, 2)), min_size=1, max_size=4),
    steps=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.booleans()), max_size=12),
)
def test_sums_hold_whatever_is_lost_and_replaced(
    nodes: list[int], gangs: list[tuple[int, int]], steps: list[tuple[int, int, bool]]
) -> None:
    world = World()
    for number, gpus in enumerate(nodes):
        world.node(f"n{number}", gpus=gpus)
    jobs = [world.job(f"g{n}", width, gpus=1, priority=priority) for n, (width, priority) in enumerate(gangs)]
    cycle(world)
    for number, (which, member, replaced) in enumerate(steps):
        job = jobs[which % len(jobs)]
        names = sorted(world.placed(job))
        if names:
            world.lose(job, names[member % len(names)])
        if replaced:
            world.now += 25
            cycle(world)
        if len(job.tasks) < job.min_member:
            world.add(job, f"r{number}", gpus=1)
        cycle(world)


def test_how_long_places_are_kept_is_configured() -> None:
    from windlass.scheduler.cycle.gang_cycle import read_conf

    text = "actions: allocate\ntiers: []\nconfigurations: [{name: windlass, arguments: {gangHoldSeconds: 5, x: 1}}]"
    read = read_conf(text)

    assert read.timeouts.gang_hold == 5
    assert read.timeouts.gang_recovery == 300
    assert read.warnings == ("configurations.windlass: there is no argument x",)


def test_a_broken_gang_is_whole_again_also_where_its_queue_deserves_less_by_now() -> None:
    world = World()
    for name in "xy":
        world.node(name, gpus=4)
    world.queue("small", weight=1)
    world.queue("large", weight=3)
    gang = world.job("gang", 4, gpus=1, queue="small")
    other = world.job("other", 4, gpus=1, queue="large")
    cycle(world)
    world.job("wide", 6, gpus=1, queue="large")
    world.lose(gang, "gang-1")
    world.now += 60
    cycle(world)  # the place is kept no longer

    world.add(gang, "gang-4", gpus=1)
    cycle(world)

    assert (len(world.placed(gang)), len(world.placed(other))) == (4, 4)


def test_a_broken_gang_is_not_made_whole_beyond_what_its_queue_may_have_at_all() -> None:
    world = World()
    world.node("x", gpus=8)
    world.queue("small", capability={"nvidia.com/gpu": 4})
    gang = world.job("gang", 4, gpus=1, queue="small")
    cycle(world)
    world.lose(gang, "gang-1")
    world.now += 60
    cycle(world)  # the place is kept no longer
    other = world.job("other", 1, gpus=1, queue="small")
    cycle(world)

    world.add(gang, "gang-4", gpus=1)
    cycle(world)

    assert (len(world.placed(gang)), len(world.placed(other))) == (3, 1)
