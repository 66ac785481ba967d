"""The running scheduler counts what it decides, in the registry of the process that it is a part of."""

from tests.kube.live import managed, until
from tests.scheduler.live.objects import add_node, add_pod, node_of
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION
from windlass.kube.client import Client
from windlass.scheduler.live.service import SCHEDULER
from windlass.scheduler.model.pod_groups import KUBE_BATCH


async def test_a_gang_that_is_placed_is_counted(client: Client, room: str, pool: dict[str, str]) -> None:
    async def served() -> bool:
        return KUBE_BATCH in await client.served(refresh=True)

    await until(served)
    await add_node(client, pool, "n")
    group = {"apiVersion": KUBE_BATCH.api_version, "kind": "PodGroup", "metadata": {"name": "g", "namespace": room}}
    await client.create({**group, "spec": {"minMember": 1}}, kind=KUBE_BATCH)
    async with managed(client, SCHEDULER) as manager:
        mark = {"annotations": {POD_GROUP_NAME_ANNOTATION: "g"}}
        await node_of(client, await add_pod(client, room, pool, "p", schedulerName="kube-batch", metadata=mark))

        def value(name: str, **labels: str) -> float:
            return manager.registry.get_sample_value(f"volcano_{name}", labels) or 0

        assert value("schedule_attempts_total", result="scheduled") >= 1
        assert value("task_scheduling_latency_milliseconds_count") >= 1
        assert value("e2e_scheduling_latency_milliseconds_count") >= 1
        assert value("job_share", job_ns=room, job_id="g") > 0
