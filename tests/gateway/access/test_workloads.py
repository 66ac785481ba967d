"""Labels of pods are asked for once in a while, and a pod that is gone has none."""

from windlass.apis.core_v1 import Pod
from windlass.gateway.access.workloads import LABELS_LAST, WorkloadLabels
from windlass.kube.client import Client
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.testing import NOW, MemoryServer


async def test_labels_are_remembered_for_a_moment() -> None:
    server, now = MemoryServer(lambda: NOW), [0.0]
    client = Client(server)
    await client.create(Pod(metadata=ObjectMeta(name="lab-0", namespace="ml", labels={"app": "lab"})))
    labels = WorkloadLabels(client, lambda: now[0])
    pods = [Key("ml", "lab-0"), Key("ml", "gone-0")]

    assert await labels.of(pods) == [{"app": "lab"}]
    await client.patch(KINDS.of(Pod), pods[0], {"metadata": {"labels": {"app": "changed"}}})
    assert await labels.of(pods) == [{"app": "lab"}]

    now[0] += LABELS_LAST.total_seconds()
    assert await labels.of(pods) == [{"app": "changed"}]
