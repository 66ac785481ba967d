from typing import Any

from tests.kube.live import managed, until
from windlass.apis.core_v1 import ConfigMap, ResourceQuota, ResourceQuotaSpec
from windlass.controllers.core import quotas
from windlass.kube.client import Client
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta


async def test_used_follows_what_is_in_the_namespace(client: Client, room: str) -> None:
    hard: Any = {"configmaps": "5", "count/serviceaccounts": "3"}
    quota = ResourceQuota(metadata=ObjectMeta(name="q", namespace=room), spec=ResourceQuotaSpec(hard=hard))
    await client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace=room)))
    async with managed(client, quotas.CONTROLLER):
        await client.create(quota)

        async def used_maps(count: str) -> bool:
            return (await client.get(ResourceQuota, "q", room)).status.used.get("configmaps") == count

        await until(lambda: used_maps("1"))
        await client.create(ConfigMap(metadata=ObjectMeta(name="b", namespace=room)))
        await until(lambda: used_maps("2"))
        await client.delete(KINDS.of(ConfigMap), Key(room, "a"))
        await until(lambda: used_maps("1"))
        status = (await client.get(ResourceQuota, "q", room)).status
        assert status.hard == hard
        assert status.used == {"configmaps": "1", "count/serviceaccounts": "0"}
