"""Many pods of one namespace that find no node, in the running scheduler: pods of others are reported all the same."""

import asyncio

import pytest

from tests.kube.live import managed
from tests.scheduler.live.objects import ACCOUNTS, add_pod, condition
from windlass.apis.core_v1 import Namespace
from windlass.kube.client import Client
from windlass.kube.meta import ObjectMeta
from windlass.scheduler.live import executor
from windlass.scheduler.live.service import SCHEDULER


async def test_a_condition_does_not_wait_behind_those_of_another_namespace(
    client: Client, room: str, pool: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "STATUSES_A_SECOND", 1)
    monkeypatch.setattr(executor, "STATUSES_AT_ONCE", 1)
    other = (await client.create(Namespace(metadata=ObjectMeta(generate_name="room-")))).metadata.name
    await client.create({"metadata": {"name": "default", "namespace": other}}, kind=ACCOUNTS)
    async with managed(client, SCHEDULER):
        first = await add_pod(client, room, pool, "first")
        assert await condition(client, first, "Unschedulable")
        await asyncio.gather(*(add_pod(client, room, pool, f"p{number}") for number in range(200)))
        late = await add_pod(client, other, pool, "late")

        assert await condition(client, late, "Unschedulable"), "within a minute, not after 200 seconds"
