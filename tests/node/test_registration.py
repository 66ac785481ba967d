"""The Node object that the agent makes and keeps true, on a real server."""

from pathlib import Path

import pytest

from tests.kube.live import bare_server, client
from windlass.kube.client import Client
from windlass.kube.json import Object, dig_list
from windlass.kube.meta import Key
from windlass.node.machine import measure
from windlass.node.registration import NODE, Identity, Registration

__all__ = ["bare_server", "client"]


@pytest.fixture
def registration(client: Client, tmp_path: Path) -> Registration:
    capacity = measure(tmp_path, pods=10, extended={})
    identity = Identity(name=f"node-{tmp_path.name[:40]}".lower().replace("_", "-"), address="10.244.0.1", port=1,
                        capacity=capacity, runtime="process")  # fmt: skip
    return Registration(client, identity, tmp_path)


def ready(node: Object) -> str:
    return next(each["status"] for each in dig_list(node, "status", "conditions") if each["type"] == "Ready")


async def test_a_node_that_was_given_up_says_that_it_is_ready(registration: Registration, client: Client) -> None:
    node = await registration.register()
    assert not await registration.look(overdue=False)

    lost = [{**each, "status": "Unknown"} for each in dig_list(node, "status", "conditions")]
    await client.set_status(NODE, Key("", registration.identity.name), {"conditions": lost})

    assert await registration.look(overdue=False)
    assert ready(await client.get(NODE, registration.identity.name)) == "True"


async def test_a_node_that_was_deleted_is_there_again(registration: Registration, client: Client) -> None:
    await registration.register()
    await client.delete(NODE, Key("", registration.identity.name))

    await registration.look(overdue=False)

    assert ready(await client.get(NODE, registration.identity.name)) == "True"
