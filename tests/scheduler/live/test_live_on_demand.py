"""The scheduler that is loaded with the first object that needs it."""

import pytest

from tests.kube.live import managed
from tests.scheduler.live.objects import add_node, add_pod, node_of
from windlass.kube.client import Client
from windlass.kube.json import Object
from windlass.scheduler.live.on_demand import is_in_use, scheduler_on_demand
from windlass.scheduler.live.options import DEFAULTS


async def test_the_first_pod_is_bound(client: Client, room: str, pool: dict[str, str]) -> None:
    node = await add_node(client, pool, "a")
    async with managed(client, scheduler_on_demand(DEFAULTS)):
        first, second = [await add_pod(client, room, pool, name) for name in ("p", "q")]

        assert await node_of(client, first) == await node_of(client, second) == node


async def test_a_pod_that_waited_for_the_manager_is_bound(client: Client, room: str, pool: dict[str, str]) -> None:
    node = await add_node(client, pool, "a")
    key = await add_pod(client, room, pool, "p")

    async with managed(client, scheduler_on_demand(DEFAULTS)):
        assert await node_of(client, key) == node


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({}, False),
        ({"state": "Open", "allocated": {}}, False),
        ({"allocated": {"cpu": "1"}}, True),
        ({"reservation": {"nodes": ["a"]}}, True),
    ],
)
def test_a_queue_that_holds_something_needs_a_scheduler(status: Object, expected: bool) -> None:
    assert is_in_use({"metadata": {"name": "default"}, "status": status}) is expected
