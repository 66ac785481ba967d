"""Gangs that wait are not passed by for ever: nodes are kept for them, and short jobs still use these until then."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.scheduler.builders import a_pod
from tests.scheduler.cycle.stream import Stream
from tests.scheduler.cycle.world import GPU, World
from windlass.scheduler.framework.conf import windlass
from windlass.scheduler.framework.decisions import Decisions
from windlass.scheduler.framework.reservation import Reservation
from windlass.scheduler.model.cluster import HyperNode
from windlass.scheduler.model.columns import vector
from windlass.scheduler.model.jobs import Job, Status, Topology

CONF = windlass("off")


def gang_among_small_jobs(stream: Stream, limit: float) -> tuple[Reservation | None, float, float | None]:
    """A gang of 64 comes when the cluster is full: what was promised first, when it came, when it started."""
    stream.run_until(2000)
    gang = stream.world.job("big", 64, gpus=1, created=stream.world.now)
    first: list[Reservation | None] = []

    def starts(decisions: Decisions) -> bool:
        if not first:
            first.append(decisions.reservations.get("big"))
        return any(commit.job is gang for commit in decisions.commits)

    came = stream.world.now
    stream.run_until(came + limit, starts)
    stream.world.check()
    return first[0], came, stream.started.get("big")


def test_a_gang_among_small_jobs_starts_when_it_was_told_and_short_ones_still_fill_the_gaps() -> None:
    stream = Stream(CONF)

    promised, came, started = gang_among_small_jobs(stream, 3600)

    assert promised is not None
    assert promised.at is not None
    assert started is not None
    assert started - came <= 1.1 * (promised.at - came)
    meanwhile = {name for name, at in stream.started.items() if came < at < started}
    there = [name for name in meanwhile if stream.nodes_of.get(name) in promised.nodes]
    assert len(there) >= 5
    assert all(stream.started[name] + stream.lengths[name] <= promised.at for name in there)


def test_without_reservation_small_jobs_pass_it_by() -> None:
    assert gang_among_small_jobs(Stream(replace(CONF, reservation=False)), 1500)[2] is None


@pytest.mark.parametrize("estimate", [lambda seconds: None, lambda seconds: seconds / 2, lambda seconds: seconds * 3])
def test_it_starts_also_where_nobody_knows_or_what_is_said_is_wrong(
    estimate: Callable[[float], float | None],
) -> None:
    started = gang_among_small_jobs(Stream(CONF, estimate=estimate), 3600)[2]

    assert started is not None


def two_nodes(**of_running: Any) -> tuple[World, Job, Job]:
    """Two nodes of four GPUs; a job has all of one, a gang waits for both."""
    world = World(CONF)
    for name in "xy":
        world.node(name, gpus=4)
    running = world.job("running", 1, gpus=4, created=1.0, **of_running)
    world.decide()
    world.run()
    return world, running, world.job("big", 8, gpus=1, created=2.0)


@pytest.mark.parametrize(
    ("estimate", "gpus", "priority", "placed"),
    [
        (50.0, 1, 0, True),  # it ends before
        (200.0, 1, 0, False),
        (None, 1, 0, False),  # nobody knows
        (None, 1, 1, True),  # it does not stand behind the gang
    ],
)
def test_others_may_use_the_nodes_only_if_they_end_before(
    estimate: float | None, gpus: int, priority: int, placed: bool
) -> None:
    world, _, _ = two_nodes(estimate=100.0)
    decisions = world.decide()
    assert decisions.reservations["big"].at == pytest.approx(1001 + 100)
    assert sorted(decisions.reservations["big"].nodes) == ["x", "y"]

    other = world.job("other", 1, gpus=gpus, created=3.0, estimate=estimate, priority=priority)
    told = world.why(other, world.decide())

    assert bool(world.placed(other)) is placed
    if not placed:
        assert "the share of queue default is kept for default/big until 1970-01-01T00:18:21Z" in told


def test_nodes_that_are_not_reserved_are_for_all() -> None:
    world, _, _ = two_nodes(estimate=100.0)
    world.node("z", gpus=1)
    world.decide()
    other, another = (world.job(name, 1, gpus=1, created=3.0) for name in ("other", "z-other"))
    told = world.why(another, world.decide())

    assert world.placed(other) == {"other-0": "z"}
    assert not world.placed(another)
    assert "kept for default/big" in told


def test_a_deadline_tells_when_a_pod_ends() -> None:
    world, _, _ = two_nodes(spec={"activeDeadlineSeconds": 70})

    assert world.decide().reservations["big"].at == pytest.approx(1001 + 70)


def test_where_no_end_is_known_the_nodes_are_closed_once_the_gang_has_waited_long_enough() -> None:
    world, running, big = two_nodes()
    assert world.decide().reservations["big"].at is None
    early = world.job("early", 1, gpus=1, created=3.0)
    world.decide()
    assert world.placed(early)

    world.now += 300
    late = world.job("late", 1, gpus=1, created=4.0)
    world.decide()
    assert not world.placed(late)
    for job in (early, running):
        world.finish(job)
    world.decide()
    assert len(world.placed(big)) == 8


def test_when_nobody_knows_any_more_what_was_said_before_stands() -> None:
    """It is not that others may use the nodes because one ended sooner than was thought."""
    world, running, big = two_nodes(estimate=100.0)
    at = world.decide().reservations["big"].at
    of_no_gang = a_pod("of-no-gang", asks={GPU: "1"})
    world.cluster.snapshot.add_pod(of_no_gang, "y")
    world.finish(running)
    world.node("z", cpu=1)  # so that it is computed again
    other = world.job("other", 1, gpus=1, created=3.0)

    assert world.decide().reservations["big"].at == at
    assert not world.placed(other)
    world.cluster.snapshot.remove_pod(of_no_gang.uid)
    world.decide()
    assert len(world.placed(big)) == 8


def test_past_runs_of_the_same_owner_tell_how_long_the_next_takes() -> None:
    world = World(CONF)
    world.node("n", gpus=4)
    for number in range(3):
        job = world.job(f"train-{number}", 1, gpus=4)
        world.decide()
        task = next(iter(job.tasks.values()))
        task.started, world.now = world.now, world.now + 10 * (number + 1)
        world.decider.estimates.ended(job, task, world.now)
        world.finish(job)
    world.job("train-3", 1, gpus=4)
    world.decide()
    world.run()
    started = world.now
    world.job("big", 4, gpus=1)

    assert world.decide().reservations["big"].at == pytest.approx(started + 20)


def test_what_could_never_be_placed_has_no_reservation_and_bars_nobody() -> None:
    world = World(CONF)
    world.node("n", gpus=4)
    world.job("never", 5, gpus=1, created=1.0)
    small = world.job("small", 1, gpus=1, created=2.0)
    world.now += 1000

    for _ in range(3):
        assert not world.decide().reservations
        world.now += 1000
    assert world.placed(small)


def test_each_queue_has_one_and_they_do_not_overlap() -> None:
    world = World(CONF)
    for number in range(4):
        world.node(f"n{number}", gpus=2)
    for name in "ab":
        world.queue(name)
    for number in range(4):
        world.job(f"r{number}", 1, gpus=1, estimate=100.0, queue="ab"[number % 2])
    for number in range(4):
        world.job(f"s{number}", 1, gpus=1, estimate=100.0, queue="ab"[number % 2])
    world.decide()
    for name in "ab":
        for number in range(2):
            world.job(f"{name}{number}", 2, gpus=2, queue=name)

    found = world.decide().reservations

    assert all(one.nodes for one in found.values())
    nodes = [node for one in found.values() for node in one.nodes]
    assert len(found) == 2
    assert len(nodes) == len(set(nodes))


def test_a_gang_that_lacks_its_queues_share_makes_those_behind_it_in_the_queue_wait() -> None:
    world = World(CONF)
    world.node("n", gpus=8)
    world.queue("small", capability={GPU: "4"})
    world.queue("other")
    world.job("r", 3, gpus=1, queue="small", estimate=100.0)
    world.decide()
    world.run()
    gang = world.job("gang", 4, gpus=1, queue="small", created=2000.0)
    found = world.decide().reservations["gang"]
    assert found.share is not None
    assert (found.nodes, found.at) == ((), pytest.approx(1101))
    behind = world.job("behind", 1, gpus=1, queue="small", created=2001.0)
    short = world.job("short", 1, gpus=1, queue="small", created=2002.0, estimate=10.0)
    beside = world.job("beside", 1, gpus=1, queue="other", created=2003.0)

    told = world.why(behind, world.decide())

    assert [bool(world.placed(job)) for job in (gang, behind, short, beside)] == [False, False, True, True]
    assert "the share of queue small is kept for default/gang until" in told


def waiting_for_its_share(world: World) -> tuple[Job, Job]:
    """A gang, which would have nodes in 100 seconds and the share of its queue in 1000; and who has that now."""
    for name in "xy":
        world.node(name, gpus=4)
    world.queue("small", capability={GPU: "4"})
    world.queue("other")
    running = world.job("r", 3, gpus=1, queue="small", estimate=1000.0)
    world.job("o", 2, gpus=1, queue="other", estimate=100.0)
    world.decide()
    world.run()
    return world.job("gang", 4, gpus=1, queue="small", created=2000.0), running


def test_no_nodes_are_kept_for_a_gang_whose_queue_may_not_have_it_when_they_are_free() -> None:
    world = World(CONF)
    gang, _ = waiting_for_its_share(world)
    found = world.decide().reservations["gang"]
    assert (found.nodes, found.at) == ((), pytest.approx(2001))
    beside = world.job("beside", 2, gpus=1, queue="other", created=2001.0)

    world.decide()

    assert world.placed(beside)
    assert not world.placed(gang)


def test_the_share_of_a_queue_is_kept_once_the_gang_has_waited_for_long_beside_what_it_still_has_to() -> None:
    world = World(CONF)
    gang, running = waiting_for_its_share(world)
    world.decide()
    early = world.job("early", 1, gpus=1, queue="small", created=2001.0)
    world.decide()
    assert world.placed(early)
    world.finish(early)

    world.now = 2000.0 - 300
    late = world.job("late", 1, gpus=1, queue="small", created=2002.0)
    assert "the share of queue small is kept for default/gang" in world.why(late, world.decide())
    world.finish(running)
    world.decide()
    assert world.placed(gang)


@pytest.mark.parametrize(
    ("given", "waited", "in_force"),
    [
        ({"at": None}, 299, False),
        ({"at": None}, 300, True),
        ({"at": 5000.0}, 0, True),
        ({"at": 5000.0, "closed": True}, 0, False),
        ({"at": 300.0, "closed": True}, 0, True),
        ({"at": 5000.0, "closed": True}, 9999, False),
        ({"at": 5000.0, "closed": True}, 10_000, True),
        ({"at": 5000.0, "share": vector({})}, 0, True),  # with nodes
        ({"at": 5000.0, "share": vector({}), "nodes": ()}, 9999, False),
        ({"at": 5000.0, "share": vector({}), "nodes": ()}, 10_000, True),
    ],
)
def test_others_wait_behind_a_gang_only_if_that_is_likely_to_help_it(
    given: dict[str, Any], waited: float, in_force: bool
) -> None:
    one = Reservation(Job("uid", "default", "gang"), **{"nodes": ("x",), "since": -waited} | given)

    assert one.is_in_force(0.0, 300.0) is in_force


def test_a_gang_that_must_be_together_has_nodes_kept_that_are() -> None:
    world = World(windlass("off"))
    racks = {"r1": ("a", "b"), "r2": ("c", "d")}
    for nodes in racks.values():
        for name in nodes:
            world.node(name, gpus=1)
    world.cluster.hyper_nodes = tuple(HyperNode(name, 1, "", frozenset(nodes)) for name, nodes in racks.items())
    ends = {"a": 50.0, "b": 400.0, "c": 200.0, "d": 210.0}
    for name, seconds in ends.items():
        where = {"nodeSelector": {"kubernetes.io/hostname": name}}
        world.job(f"on-{name}", 1, gpus=1, estimate=seconds, created=1.0, spec=where)
    world.decide()
    world.job("big", 2, gpus=1, topology=Topology(hard=True, highest_tier=1))

    found = world.decide().reservations["big"]

    assert sorted(found.nodes) == ["c", "d"]
    assert found.at == pytest.approx(1002 + 210)


def test_a_large_gang_that_there_is_never_room_for_is_let_in_when_it_has_waited_and_others_still_are_too() -> None:
    world = World(CONF)
    world.node("n", gpus=10)
    running = [world.job(f"r{n}", 1, gpus=1, resources={GPU: "1"}, estimate=1000.0, created=1.0) for n in range(9)]
    world.decide()
    world.run()
    never = world.job("never", 0, 11, resources={GPU: "11"}, created=2.0)
    gang = world.job("gang", 8, gpus=1, resources={GPU: "8"}, created=world.now)
    world.decide()
    assert gang.phase == "Pending"

    world.now += 300
    found = world.decide().reservations
    assert (gang.phase, never.phase) == ("Inqueue", "Pending")
    assert found["gang"].at == pytest.approx(2001)
    short = world.job("short", 1, gpus=1, resources={GPU: "1"}, estimate=100.0)
    world.decide()
    assert world.placed(short)

    for job in (*running, short):
        world.finish(job)
    world.decide()
    assert len(world.placed(gang)) == 8


def test_a_gang_whose_time_has_passed_waits_elsewhere_once_that_takes_half_the_time() -> None:
    world = World(CONF)
    running: list[Job] = []
    for name, seconds in {"a": 10.0, "b": 20.0, "c": 150.0, "d": 160.0}.items():
        world.node(name, gpus=1)
        where = {"nodeSelector": {"kubernetes.io/hostname": name}}
        running.append(world.job(f"on-{name}", 1, gpus=1, estimate=seconds, created=1.0, spec=where))
    world.decide()
    world.run()
    started = world.now
    gang = world.job("gang", 2, gpus=1)
    assert sorted(world.decide().reservations["gang"].nodes) == ["a", "b"]

    world.now = started + 65  # those on a and b may take as long again, which is still sooner
    found = world.decide().reservations["gang"]
    assert (sorted(found.nodes), found.closed) == (["a", "b"], True)

    world.now = started + 130  # as long again is now far later than the ends of the others
    found = world.decide().reservations["gang"]
    assert (sorted(found.nodes), found.closed) == (["c", "d"], True)
    for job in running[2:]:
        world.finish(job)
    world.decide()
    assert sorted(world.placed(gang).values()) == ["c", "d"]


def test_who_could_start_is_let_in_although_those_before_it_claim_more_than_there_is() -> None:
    world = World(CONF)
    world.node("n", gpus=10)
    world.job("r", 5, gpus=1, resources={GPU: "5"}, created=1.0)
    world.decide()
    world.run()
    wide = world.job("wide", 7, gpus=1, resources={GPU: "7"}, created=2.0)
    small = [world.job(f"s{n}", 1, gpus=1, resources={GPU: "1"}, created=3.0 + n) for n in range(4)]
    too_wide = world.job("too-wide", 6, gpus=1, resources={GPU: "6"}, created=2.5)

    world.decide()

    assert wide.phase == "Inqueue"
    assert [job.phase for job in small] == ["Inqueue"] * 4
    assert too_wide.phase == "Pending"


def test_who_was_let_in_but_may_not_have_so_much_keeps_nobody_out() -> None:
    world = World(replace(CONF, actions=("enqueue",)))
    world.node("n", gpus=10)
    for name in "ab":
        world.queue(name)
    there = world.job("there", 4, gpus=1, resources={GPU: "4"}, created=1.0, queue="a")
    for task in list(there.tasks.values()):
        world.cluster.move(task, Status.RUNNING, "n")
    world.job("wide", 5, gpus=1, resources={GPU: "5"}, created=2.0, queue="a", phase="Inqueue")
    world.job("wider", 9, gpus=1, resources={GPU: "9"}, created=3.0, queue="b", phase="Inqueue")
    narrow = world.job("narrow", 4, gpus=1, resources={GPU: "4"}, created=world.now, queue="b")

    world.decide()

    assert narrow.phase == "Inqueue"


def test_no_more_are_let_in_than_could_start() -> None:
    world = World(replace(CONF, actions=("enqueue",)))
    world.node("n", gpus=10)
    jobs = [world.job(f"j{n}", 4, gpus=1, resources={GPU: "4"}, created=1.0 + n) for n in range(6)]
    world.decide()
    world.decide()

    assert [job.phase for job in jobs] == ["Inqueue"] * 3 + ["Pending"] * 3
