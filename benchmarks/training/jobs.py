"""Jobs to measure with, and waiting for what becomes of them."""

import asyncio
import time
from collections import Counter

from windlass.apis.core_v1 import Pod
from windlass.apps.training.frameworks import BY_KIND
from windlass.kube.client import Client
from windlass.kube.json import Object, dig, dig_list
from windlass.kube.kind import KINDS
from windlass.kube.view import untyped

POD = untyped(KINDS.of(Pod))
TFJOB = KINDS.of(BY_KIND["TFJob"].kind)


def a_template(command: list[str], container: str = "tensorflow", image: str = "busybox") -> Object:
    main = {"name": container, "image": image, "command": command}
    return {"spec": {"terminationGracePeriodSeconds": 0, "containers": [main]}}


def a_tfjob(name: str, namespace: str, counts: dict[str, int], command: list[str], **spec: object) -> Object:
    template = a_template(command)
    replicas = {role: {"replicas": count, "template": template} for role, count in counts.items()}
    metadata = {"name": name, "namespace": namespace}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": metadata,
        "spec": {"tfReplicaSpecs": replicas, **spec},
    }


class PodWatch:
    """When the pods of a namespace were first seen, and when each first ran, by this process' clock."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.made: dict[str, float] = {}
        self.ran: dict[str, float] = {}
        self._client, self._namespace = client, namespace
        self._changed = asyncio.Event()
        self._task = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        async for change in self._client.watch(POD, self._namespace, initial_events=True):
            if change.object is None:
                continue
            name, now = str(dig(change.object, "metadata", "name")), time.perf_counter()
            self.made.setdefault(name, now)
            if dig(change.object, "status", "phase") in ("Running", "Succeeded"):
                self.ran.setdefault(name, now)
            self._changed.set()

    async def until(self, seen: dict[str, float], prefix: str, count: int) -> float:
        """When the last of so many pods of a prefix was seen."""
        while True:
            moments = [moment for name, moment in seen.items() if name.startswith(prefix)]
            if len(moments) >= count:
                return max(moments)
            self._changed.clear()
            await self._changed.wait()

    def stop(self) -> None:
        self._task.cancel()


async def until_over(client: Client, namespace: str, count: int) -> Counter[str]:
    """Wait until so many jobs have ended well; how often each was written to after it was made."""
    done: set[str] = set()
    written: Counter[str] = Counter()
    async for change in client.watch(untyped(TFJOB), namespace, initial_events=True):
        if change.object is None:
            continue
        name = str(dig(change.object, "metadata", "name"))
        written[name] += change.type == "MODIFIED"
        for condition in dig_list(change.object, "status", "conditions"):
            if condition["type"] == "Failed":
                raise RuntimeError(f"{name}: {condition['message']}")
            if condition["type"] == "Succeeded":
                done.add(name)
        if len(done) >= count:
            return written
    raise RuntimeError("the watch has ended")
