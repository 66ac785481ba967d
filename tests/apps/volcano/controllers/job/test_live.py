"""The controllers of jobs on a real server: what they write is taken, and what is refused is told."""

from base64 import b64decode
from typing import Any

import pytest

from tests.kube.live import managed, until
from windlass.apis.core_v1 import Event, Pod, Secret, ServiceAccount
from windlass.apis.scheduling_volcano_v1beta1 import PodGroup
from windlass.apps.volcano.controllers.job import controllers
from windlass.apps.volcano.kinds.batch import GROUP_VERSION, Job
from windlass.kube.client import Client
from windlass.kube.errors import NotFound
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.view import typed

TEMPLATE = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox"}]}}


def a_job(room: str, **spec: Any) -> dict[str, Any]:
    tasks = [{"name": "worker", "replicas": 2, "template": TEMPLATE}]
    metadata = {"name": "demo", "namespace": room}
    return {"apiVersion": GROUP_VERSION, "kind": "Job", "metadata": metadata, "spec": {"tasks": tasks, **spec}}


@pytest.fixture(autouse=True)
async def _account(client: Client, room: str) -> None:
    """Pods have one, which no controller makes here."""
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))


async def job_in(client: Client, room: str) -> Job | None:
    try:
        return await client.get(typed(Job), "demo", room)
    except NotFound:
        return None


async def group_let_in(client: Client, room: str) -> None:
    """As the scheduler would."""

    async def made() -> list[PodGroup]:
        return (await client.list(typed(PodGroup), room)).items

    (group,) = await until(made)
    await client.patch(KINDS.of(PodGroup), group.metadata.key, {"status": {"phase": "Inqueue"}})


async def test_a_job_is_made_has_keys_completes_and_goes(client: Client, room: str) -> None:
    async def pods() -> list[Pod]:
        found = (await client.list(typed(Pod), room)).items
        return found if len(found) == 2 else []

    async def goes() -> bool:
        job = await job_in(client, room)
        return job is None or job.metadata.deletion_timestamp is not None

    async with managed(client, *controllers()):
        await client.create(a_job(room, plugins={"ssh": [], "svc": []}, ttlSecondsAfterFinished=0))
        await group_let_in(client, room)
        made = await until(pods)
        keys = (await client.get(typed(Secret), "demo-ssh", room)).data
        for pod in made:
            await client.set_status(KINDS.of(Pod), pod.metadata.key, {"phase": "Succeeded"})
        await until(goes)

    assert b64decode(keys["id_rsa"]).startswith(b"-----BEGIN RSA PRIVATE KEY-----")
    job = await job_in(client, room)
    assert job is not None, "it goes after its pods, which nobody collects here"
    assert job.metadata.finalizers == ["foregroundDeletion"]
    assert (job.status.state.phase, job.status.succeeded) == ("Completed", 2)


async def test_pods_that_a_quota_refuses_are_told_of_and_made_when_there_is_room(client: Client, room: str) -> None:
    quota: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "one", "namespace": room},
        "spec": {"hard": {"pods": "1"}},
    }
    made = await client.create(quota)
    await client.set_status(
        await client.kind_of(made), Key(room, "one"), {"hard": {"pods": "1"}, "used": {"pods": "0"}}
    )

    async def told() -> list[Event]:
        events = (await client.list(typed(Event), room)).items
        return [event for event in events if event.reason == "FailedCreate"]

    async def pods() -> bool:
        return len((await client.list(typed(Pod), room)).items) == 2

    async with managed(client, *controllers()):
        await client.create(a_job(room))
        await group_let_in(client, room)
        (event, *_) = await until(told)
        await client.delete(await client.kind_of(made), Key(room, "one"))
        await until(pods)

    assert event.message.startswith("Error creating pods: [failed to create pod demo-worker-")
    assert "exceeded quota: one" in event.message
    assert event.source.component == "vc-controller-manager"
