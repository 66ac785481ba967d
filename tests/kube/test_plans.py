"""What a plan may ask of a child that has children of its own: to forget its start, and to go last."""

from typing import Any

from tests.kube.crew import a_crew
from tests.kube.live import managed, until
from windlass.apis.batch_v1 import Job
from windlass.apis.core_v1 import ConfigMap
from windlass.kube.client import Client
from windlass.kube.controller import Controller, Key, Observed
from windlass.kube.kind import KINDS
from windlass.kube.plan import Create, Delete, PatchStatus, Plan

TEMPLATE: Any = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox"}]}}
WORK: Any = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "work"},
    "spec": {"suspend": True, "template": TEMPLATE},
}


def order(crew: ConfigMap, observed: Observed) -> Plan:
    """By what the ConfigMap says: the Job is made, its start forgotten, or it goes."""
    work = observed.one(Job, "work")
    if crew.metadata.name != "crew" or work is None:
        return Plan([Create(WORK)] if crew.metadata.name == "crew" and not crew.data.get("over") else [])
    started = crew.data.get("forget") and work.status.start_time is not None
    return Plan(
        [
            *([PatchStatus(work, {"startTime": None})] if started else []),
            *([Delete(work, foreground=True)] if crew.data.get("over") else []),
        ]
    )


async def test_the_status_of_a_child_is_reset_and_a_child_goes_after_what_belongs_to_it(
    client: Client, room: str
) -> None:
    jobs, maps = KINDS.of(Job), KINDS.of(ConfigMap)

    async def work() -> Job | None:
        listed = (await client.list(Job, room)).items
        return listed[0] if listed else None

    async def has(start: str | None) -> bool:
        found = await work()
        return found is not None and found.status.start_time == start

    async def is_going() -> bool:
        found = await work()
        return found is not None and found.metadata.finalizers == ["foregroundDeletion"]

    async with managed(client, Controller("order", ConfigMap, order, owns=[Job])):
        await client.create(a_crew(room))
        await until(lambda: has(None))
        await client.set_status(jobs, Key(room, "work"), {"startTime": "2026-01-01T00:00:00Z"})
        await until(lambda: has("2026-01-01T00:00:00Z"))

        await client.patch(maps, Key(room, "crew"), {"data": {"forget": "yes"}})
        await until(lambda: has(None))
        await client.patch(maps, Key(room, "crew"), {"data": {"over": "yes"}})
        await until(is_going)
