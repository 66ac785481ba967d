"""What was learned and promised stands when the scheduler starts anew, and when another configuration is in force."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.scheduler.cycle.world import GANGS_ONLY, GPU, World
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.framework.conf import Conf, windlass
from windlass.scheduler.framework.reservation import Reservation
from windlass.scheduler.model.jobs import Job, Status, Task
from windlass.scheduler.reservations.persistence import RESERVED, Remembered, read, written

CONF = GANGS_ONLY
OTHER = Conf(("allocate",), GANGS_ONLY.tiers)
BIG = Job("uid-big", "default", "big")


# --- as it is written


@pytest.mark.parametrize(
    ("one", "remembered"),
    [
        (Reservation(BIG, 2000.0, ("b", "a"), 1000.0), Remembered("uid-big", ("a", "b"), 1000.0, 2000.0, False)),
        (Reservation(BIG, None, (), 1000.7), Remembered("uid-big", (), 1000.0, None, False)),
        (Reservation(BIG, 9.0, ("a",), 5.0, closed=True), Remembered("uid-big", ("a",), 5.0, 9.0, True)),
    ],
)
def test_what_is_written_is_read_again(one: Reservation, remembered: Remembered) -> None:
    assert read(written(one)) == remembered


def test_people_can_read_it_too() -> None:
    told = written(Reservation(BIG, 2000.0, ("a",), 1000.0))

    assert told == (
        '{"podGroup": "default/big", "uid": "uid-big", "nodes": ["a"], '
        '"since": "1970-01-01T00:16:40Z", "at": "1970-01-01T00:33:20Z"}'
    )


@pytest.mark.parametrize(
    "text",
    [None, "", "{", "[]", "7", "{}", '{"uid": 7}', '{"uid": "x"}', '{"uid": "x", "nodes": "a", "since": "soon"}'],
)
def test_what_cannot_be_understood_is_nothing(text: str | None) -> None:
    assert read(text) is None


# --- after a restart


class System:
    """What the API holds: two nodes of four GPUs, one of them in use; a gang that needs both waits in a queue."""

    def __init__(self, *, estimate: float | None = 100.0, conf: Conf = CONF) -> None:
        self.estimate, self.conf = estimate, conf
        self.annotations: Mapping[str, str] = {}

    def start(self) -> World:
        """A scheduler that has been told all that there is."""
        world = World(self.conf)
        for name in "xy":
            world.node(name, gpus=4)
        world.queue("a-small")
        world.queue("z-big").annotations = self.annotations
        running = world.job("running", 1, gpus=4, created=1.0, estimate=self.estimate)
        task = next(iter(running.tasks.values()))
        world.cluster.move(task, Status.RUNNING, "x")
        task.started = 1000.0
        world.job("big", 8, gpus=1, created=2.0, queue="z-big")
        return world

    def write_down(self, world: World) -> Reservation:
        """The reservation of the gang, when a cycle has made it and the queue was told."""
        one = world.decide().reservations["big"]
        self.annotations = {RESERVED: written(one)}
        return one


def small(world: World, **given: Any) -> Job:
    return world.job("small", 1, gpus=1, created=3.0, queue="a-small", **given)


@pytest.mark.parametrize("is_recalled", [True, False])
def test_nodes_that_were_kept_for_a_gang_before_a_restart_are_kept_in_the_first_cycle_after_it(
    is_recalled: bool,
) -> None:
    system = System()
    before = system.write_down(system.start())
    world = system.start()
    other = small(world)
    if is_recalled:
        world.decider.recall(world.now)

    found = world.decide().reservations.get("big")

    assert bool(world.placed(other)) is not is_recalled
    if is_recalled:
        assert found is not None
        assert (sorted(found.nodes), found.at) == (sorted(before.nodes), before.at)


def test_what_ends_before_uses_them_after_a_restart_too() -> None:
    system = System()
    system.write_down(system.start())
    world = system.start()
    other = small(world, estimate=20.0)
    world.decider.recall(world.now)

    world.decide()

    assert world.placed(other)


def test_when_it_starts_stands_although_what_that_was_reckoned_from_is_forgotten() -> None:
    system = System()
    at = system.write_down(system.start()).at
    system.estimate = None
    world = system.start()
    world.decider.recall(world.now)
    world.decide()
    world.node("z", cpu=1)  # so that it is computed again
    world.decide()
    other = small(world)

    found = world.decide().reservations["big"]

    assert found.at == at
    assert not world.placed(other)


def test_the_share_of_a_queue_that_was_kept_for_a_gang_is_kept_on() -> None:
    def start(estimate: float | None, annotations: Mapping[str, str]) -> World:
        world = World(windlass("off"))
        world.node("n", gpus=8)
        world.queue("small", capability={GPU: "4"}).annotations = annotations
        running = world.job("r", 3, gpus=1, queue="small", estimate=estimate, created=1.0)
        for task in list(running.tasks.values()):
            world.cluster.move(task, Status.RUNNING, "n")
            task.started = 1000.0
        world.job("gang", 4, gpus=1, queue="small", created=2.0)
        return world

    before = start(100.0, {}).decide().reservations["gang"]
    assert (before.at, before.nodes) == (1100.0, ())
    world = start(None, {RESERVED: written(before)})
    world.decider.recall(world.now)
    behind = world.job("behind", 1, gpus=1, queue="small", created=3.0)
    world.decide()

    told = world.why(behind, world.decide())

    assert not world.placed(behind)
    assert "the share of queue small is kept for default/gang until 1970-01-01T00:18:20Z" in told


def test_a_gang_that_was_passed_by_long_enough_does_not_start_to_count_anew() -> None:
    system = System(estimate=None)
    world = system.start()
    system.write_down(world)
    world.now += 299
    system.write_down(world)
    again = system.start()
    again.now = world.now + 1
    again.decider.recall(again.now)
    other = small(again)

    again.decide()

    assert not again.placed(other)


def test_a_gang_that_is_gone_or_has_started_has_no_nodes_kept_for_it() -> None:
    system = System()
    system.write_down(system.start())
    gone, complete = system.start(), system.start()
    gone.cluster.drop_job("big")
    for number, task in enumerate(list(complete.cluster.jobs["big"].tasks.values())[:4]):
        complete.cluster.move(task, Status.RUNNING, "y")
        complete.cluster.jobs["big"].min_member = number + 1
    for world in (gone, complete):
        world.decider.recall(world.now)

        assert not world.decide().reservations


def test_it_is_reckoned_anew_where_a_node_is_gone() -> None:
    system = System()
    system.write_down(system.start())
    world = system.start()
    world.cluster.snapshot.remove_node("y")
    world.node("z", gpus=4)
    world.decider.recall(world.now)

    assert sorted(world.decide().reservations["big"].nodes) == ["x", "z"]


@pytest.mark.parametrize(("told_at", "placed"), [("00:11:41", False), ("00:11:42", True), (None, True)])
def test_in_a_queue_that_is_no_object_pods_tell_for_how_long_their_gang_was_passed_by(
    told_at: str | None, placed: bool
) -> None:
    world = World(CONF)
    for name in "xy":
        world.node(name, gpus=4)
    running = world.job("running", 1, gpus=4, created=1.0)
    world.cluster.move(next(iter(running.tasks.values())), Status.RUNNING, "x")
    waits = {"type": "PodScheduled", "status": "False", "lastTransitionTime": f"1970-01-01T{told_at}Z"}
    world.job("big", 8, gpus=1, created=2.0, spec={"status": {"conditions": [waits] if told_at else []}})
    behind = world.job("behind", 1, gpus=1, created=3.0)
    world.decider.recall(world.now)

    world.decide()  # at 1001: a gang may be passed by for 300 seconds

    assert bool(world.placed(behind)) is placed


def test_a_queue_that_is_deleted_while_a_gang_waits_in_it_stops_nothing() -> None:
    world = System().start()
    assert world.decide().reservations
    world.cluster.drop_queue("z-big")
    other = small(world)

    world.decide()

    assert world.placed(other)


# --- members that were lost


def broken(*, failed_on: str = "") -> World:
    """A gang of four on two nodes of two GPUs, one of whose pods is gone or has failed; another gang waits."""
    world = World(CONF)
    for name in "xy":
        world.node(name, gpus=2)
    gang = world.job("gang", 4, gpus=1, created=1.0)
    for task, node in zip(list(gang.tasks.values()), "xxyy", strict=True):
        world.cluster.move(task, Status.RUNNING, node)
    last = list(gang.tasks.values())[3]
    if failed_on:
        world.cluster.move(last, Status.FAILED)
    else:
        world.cluster.drop_task(gang, last.uid)
    world.queue("a")
    world.job("other", 1, gpus=1, created=2.0, queue="a")
    return world


@pytest.mark.parametrize("failed_on", ["", "y"])
def test_the_place_of_a_member_that_was_lost_before_a_restart_is_kept_for_the_gang(failed_on: str) -> None:
    world = broken(failed_on=failed_on)
    gang, other = world.cluster.jobs["gang"], world.cluster.jobs["other"]
    world.decider.recall(world.now)
    world.decide()
    assert not world.placed(other)
    world.check()

    world.add(gang, "gang-4", gpus=1)
    world.decide()

    assert world.placed(gang)["gang-4"] == "y"
    world.check()


def test_it_is_not_kept_for_longer_than_that_of_another() -> None:
    world = broken()
    world.decider.recall(world.now)
    world.decide()
    world.now += 61

    world.decide()

    assert world.placed(world.cluster.jobs["other"])


def test_a_place_is_kept_for_each_role_that_lacks() -> None:
    world = World(CONF)
    world.node("x", cpu=8, gpus=4)
    gang = world.job("gang", 2, roles=["ps", "worker"], min_tasks={"ps": 1, "worker": 1}, gpus=1)
    first, second = gang.tasks.values()
    world.cluster.move(first, Status.RUNNING, "x")
    world.cluster.move(second, Status.FAILED)

    world.decider.recall(world.now)

    assert [hold.role for hold in world.cluster.holds.values()] == ["worker"]


def test_room_that_was_made_for_a_pod_is_kept_for_it() -> None:
    world = World(CONF)
    world.node("x", gpus=1)
    world.queue("a")
    gang = world.job("gang", 1, gpus=1, created=2.0, spec={"status": {"nominatedNodeName": "x"}})
    other = world.job("other", 1, gpus=1, created=1.0, queue="a")
    world.decider.recall(world.now)

    world.decide()

    assert (world.placed(gang), world.placed(other)) == ({"gang-0": "x"}, {})


def test_since_when_gangs_are_broken_is_known_from_their_pods() -> None:
    world = World(CONF)
    world.node("x", gpus=4)
    waits = {"type": "PodScheduled", "status": "False", "lastTransitionTime": "1970-01-01T00:10:00Z"}
    for name in "ab":
        gang = world.job(name, 3, gpus=1, spec={"status": {"conditions": [waits]}})
        for task in list(gang.tasks.values())[:2]:
            world.cluster.move(task, Status.RUNNING, "x")
    world.decider.recall(world.now)

    released = world.decide().released  # at 1001, 401 seconds after they were first reported

    assert [job.name for job in released] == ["b"]


# --- another configuration


def test_another_configuration_keeps_what_was_promised() -> None:
    world = System().start()
    before = world.decide().reservations["big"]
    world.decider = Decider(world.cluster, OTHER, before=world.decider)
    other = small(world)

    found = world.decide().reservations["big"]

    assert (sorted(found.nodes), found.at) == (sorted(before.nodes), before.at)
    assert not world.placed(other)


def test_another_configuration_goes_on_counting_how_long_a_gang_was_passed_by() -> None:
    world = System(estimate=None).start()
    world.decide()
    world.now += 299
    world.decider = Decider(world.cluster, OTHER, before=world.decider)
    other = small(world)

    world.decide()

    assert not world.placed(other)


def test_another_configuration_knows_what_was_learned() -> None:
    world = World(CONF)
    job = world.job("train-1", 1)
    task: Task = next(iter(job.tasks.values()))
    task.started = 900.0
    world.decider.estimates.ended(job, task, 1000.0)

    found = Decider(world.cluster, OTHER, before=world.decider)

    assert found.estimates.of(world.job("train-2", 1)) == 100.0


def test_a_configuration_without_reservations_keeps_nothing() -> None:
    world = System().start()
    world.decide()
    world.decider = Decider(world.cluster, replace(CONF, reservation=False), before=world.decider)
    other = small(world)

    assert not world.decide().reservations
    assert world.placed(other)
    assert not world.cluster.reserved
