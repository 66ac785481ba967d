"""Defects that show on one object, in the running scheduler: the object is told so, the others get their nodes."""

from typing import Any

import pytest

from tests.kube.live import managed, until
from tests.scheduler.live.objects import EVENTS, add_node, add_pod, node_of
from tests.scheduler.live.test_live_gangs import add_group, add_member, kinds
from windlass.kube.client import Client
from windlass.scheduler.live.core import pod_turns
from windlass.scheduler.live.service import SCHEDULER
from windlass.scheduler.model.pod_groups import VOLCANO
from windlass.scheduler.plugins.gang import Gang

__all__ = ["kinds"]


async def told(client: Client, room: str, name: str) -> str:
    """The message of the Warning event about a defect that shows on an object."""

    async def asked() -> str:
        found = (await client.list(EVENTS, room)).items
        about = [e for e in found if e["reason"] == "InternalError" and e["involvedObject"]["name"] == name]
        return next((str(e["message"]) for e in about), "")

    return await until(asked)


async def test_a_plugin_that_fails_on_a_gang_leaves_it_out_until_it_changes(
    client: Client, room: str, pool: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    really, is_broken = Gang.job_valid, [True]

    def job_valid(self: Gang, job: Any) -> Any:
        if is_broken[0] and job.name == "bad":
            raise OverflowError("int too large to convert to float")
        return really(self, job)

    monkeypatch.setattr(Gang, "job_valid", job_valid)
    await add_node(client, pool, "n")
    for group in ("bad", "good"):
        await add_group(client, room, group, minMember=1)
    async with managed(client, SCHEDULER):
        bad = await add_member(client, room, pool, "bad-0", "bad")
        good = await add_member(client, room, pool, "good-0", "good")

        assert await node_of(client, good)
        assert "OverflowError" in await told(client, room, "bad")

        is_broken[0] = False

        await client.patch(VOLCANO, bad._replace(name="bad"), {"metadata": {"labels": {"now": "changed"}}})
        assert await node_of(client, bad)


async def test_a_pod_that_cannot_be_decided_about_is_left_out_until_it_changes(
    client: Client, room: str, pool: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    really, is_broken = pod_turns.schedule, [True]

    def schedule(pod: Any, *rest: Any) -> Any:
        if is_broken[0] and pod.key.name == "bad":
            raise OverflowError("int too large to convert to float")
        return really(pod, *rest)

    monkeypatch.setattr(pod_turns, "schedule", schedule)
    await add_node(client, pool, "n")
    async with managed(client, SCHEDULER):
        bad = await add_pod(client, room, pool, "bad")
        good = await add_pod(client, room, pool, "good")

        assert await node_of(client, good)
        assert "OverflowError" in await told(client, room, "bad")

        is_broken[0] = False
        await client.patch(pod_turns.PODS, bad, {"metadata": {"labels": {"now": "changed"}}})
        assert await node_of(client, bad)
