"""What a queue's status says of what its jobs have and of what is kept for one."""

from typing import Any

import pytest

from tests.scheduler.cycle.world import GANGS_ONLY, GPU, World
from windlass.scheduler.framework.reservation import Reservation
from windlass.scheduler.live.core.queue_reports import status_patch

NOW = {"pods": "1", GPU: "4"}
FREE = {"cpu": "128", "memory": "512Gi", "pods": "219", GPU: "4"}


def a_world() -> tuple[World, Reservation]:
    """A pod has the four GPUs of one of two nodes, which are kept for a gang that waits."""
    world = World(GANGS_ONLY)
    for name in "yx":
        world.node(name, gpus=4)
    world.job("running", 1, gpus=4, created=1.0)
    world.decide()
    world.job("big", 8, gpus=1, created=2.0)
    return world, world.decide().reservations["big"]


@pytest.mark.parametrize(
    ("told", "patch"),
    [
        ({}, {"allocated": NOW, "reservation": {"nodes": ["x", "y"], "resource": FREE}}),
        ({"state": "Open", "allocated": NOW, "reservation": {"nodes": ["x", "y"], "resource": FREE}}, {}),
        (
            {"allocated": NOW, "reservation": {"nodes": ["x", "z"], "resource": {**FREE, GPU: "1", "other": "1"}}},
            {"reservation": {"nodes": ["x", "y"], "resource": {GPU: "4", "other": None}}},
        ),
    ],
)
def test_the_nodes_that_are_kept_and_what_is_free_on_them_are_told_once(
    told: dict[str, Any], patch: dict[str, Any]
) -> None:
    world, kept = a_world()

    assert status_patch(told, world.cluster, world.cluster.queues["default"], kept) == patch


def test_what_is_kept_no_more_is_taken_back() -> None:
    world, _ = a_world()
    told = {"allocated": NOW, "reservation": {"nodes": ["x", "y"], "resource": FREE}}

    assert status_patch(told, world.cluster, world.cluster.queues["default"], None) == {"reservation": None}


def test_where_no_node_is_kept_there_is_nothing_to_tell() -> None:
    world, kept = a_world()
    kept.nodes = ()

    assert status_patch({"allocated": NOW}, world.cluster, world.cluster.queues["default"], kept) == {}
