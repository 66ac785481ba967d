"""Nodes that are kept for a gang are kept from single pods too."""

from typing import Any

import pytest

from tests.scheduler.builders import a_pod
from tests.scheduler.cycle.world import GPU, World
from windlass.apis.reason_text import node_cause
from windlass.apis.reasons import NodeCause
from windlass.scheduler.cycle.pod_cycle import Placed, Unplaced, schedule
from windlass.scheduler.cycle.pod_preemption import NoPreemption, preempt
from windlass.scheduler.framework.conf import windlass
from windlass.scheduler.model.pod_info import PodInfo

KEPT = NodeCause("KeptForGang", "default/big")


def waiting(estimate: float | None = 100.0) -> World:
    """Two nodes of four GPUs, one of them in use until 1101; a gang waits for both. A third one is of no use to it."""
    world = World(windlass("off"))
    for name in "xy":
        world.node(name, gpus=4)
    world.job("running", 1, gpus=4, created=1.0, estimate=estimate, priority=5)
    world.decide()
    world.run()
    world.job("big", 8, gpus=1, created=2.0, priority=5)
    assert sorted(world.decide().reservations["big"].nodes) == ["x", "y"]
    return world


def single(**given: Any) -> PodInfo:
    return a_pod("single", asks={GPU: "1"}, **{"priority": 5, **given})


@pytest.mark.parametrize(
    ("given", "is_closed"),
    [
        ({}, True),
        ({"priority": 6}, False),  # it does not stand behind the gang
        ({"activeDeadlineSeconds": 60}, False),  # it ends before
        ({"activeDeadlineSeconds": 600}, True),
        ({"annotations": {"volcano.sh/running-estimate": "1m"}}, False),
        ({"annotations": {"volcano.sh/running-estimate": "1h"}, "activeDeadlineSeconds": 60}, False),
        ({"annotations": {"volcano.sh/running-estimate": "soon"}}, True),
    ],
)
def test_a_single_pod_may_use_nodes_that_are_kept_only_by_the_rule_of_gangs(
    given: dict[str, Any], is_closed: bool
) -> None:
    world = waiting()

    found = world.decider.closed_to(single(**given), world.now)

    assert found == (dict.fromkeys("xy", KEPT) if is_closed else {})


def test_a_pod_that_asks_for_nothing_takes_nothing_from_a_gang() -> None:
    world = waiting()

    assert world.decider.closed_to(a_pod("nothing"), world.now) == {}


def test_where_no_end_is_known_single_pods_pass_until_the_gang_has_waited_long_enough() -> None:
    world = waiting(estimate=None)

    found = [bool(world.decider.closed_to(single(), world.now + later)) for later in (0, 299, 300)]

    assert found == [False, False, True]


def test_without_a_gang_that_waits_all_nodes_are_open() -> None:
    world = World()
    world.node("x", gpus=4)
    world.decide()

    assert world.decider.closed_to(single(), world.now) == {}


@pytest.mark.parametrize("more", [{}, {"nodeSelector": {}, "ports": [{"containerPort": 1, "hostPort": 80}]}])
def test_it_goes_where_nobody_is_kept_for_and_else_waits_and_makes_nobody_go(more: dict[str, Any]) -> None:
    """Both where only use matters, and where each node is looked at."""
    world = waiting()
    snapshot, pod = world.cluster.snapshot, single(**more)
    closed = world.decider.closed_to(pod, world.now)

    failed = schedule(pod, snapshot, closed=closed)

    assert isinstance(failed, Unplaced)
    assert failed.message == f"0/2 nodes are available: 2 {node_cause(KEPT)}."
    assert failed.refused_by == {"reservation"}
    assert isinstance(preempt(pod, failed, snapshot), NoPreemption)
    assert snapshot.node_of(pod.uid) is None

    world.node("z", gpus=1)
    assert schedule(pod, snapshot, closed=closed) == Placed("z")
    assert snapshot.node_of(pod.uid) is None
    assert isinstance(schedule(pod, snapshot), Placed)


def test_what_stands_in_the_way_for_good_is_told_rather() -> None:
    world = waiting()
    pod = single(nodeSelector={"kubernetes.io/hostname": "y"})

    failed = schedule(pod, world.cluster.snapshot, closed=world.decider.closed_to(pod, world.now))

    assert isinstance(failed, Unplaced)
    assert failed.message == (
        f"0/2 nodes are available: 1 {node_cause(KEPT)}, 1 node(s) didn't match Pod's node affinity/selector."
    )


def test_room_that_was_made_for_a_pod_is_its_own() -> None:
    world = waiting()
    pod = single()
    world.cluster.snapshot.nominated[pod.uid] = (pod, "y")

    assert schedule(pod, world.cluster.snapshot, closed=world.decider.closed_to(pod, world.now)) == Placed("y")


@pytest.mark.parametrize(
    ("given", "after"),
    [
        ({"activeDeadlineSeconds": 500, "status": {"startTime": "1970-01-01T00:15:00Z"}}, 400),
        ({"annotations": {"volcano.sh/running-estimate": "50s"}}, 51),
        ({}, None),
    ],
)
def test_a_gang_that_waits_for_a_single_pod_is_told_when_that_one_ends(
    given: dict[str, Any], after: float | None
) -> None:
    world = World(windlass("off"))
    world.node("x", gpus=4)
    world.cluster.snapshot.add_pod(single(**given), "x")
    world.job("big", 4, gpus=1)

    assert world.decide().reservations["big"].at == (None if after is None else 1000 + after)


def test_pods_of_a_gang_that_end_by_their_deadline_before_it_starts_use_them_too() -> None:
    world = waiting()
    names = {"short": 60, "long": 600}
    jobs = [world.job(name, 1, gpus=1, spec={"activeDeadlineSeconds": end}) for name, end in names.items()]

    world.decide()

    assert [bool(world.placed(job)) for job in jobs] == [True, False]
