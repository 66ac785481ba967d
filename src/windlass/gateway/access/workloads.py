"""The labels of the pods behind a Service, by which policies select them; asked for only where a policy does.

Labels are remembered for ten seconds, by the pod's name: they change rarely, and no watch of all pods is needed.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta

from windlass.apis.core_v1 import Pod
from windlass.kube.client import Client
from windlass.kube.meta import Key
from windlass.kube.view import metadata_only

LABELS_LAST = timedelta(seconds=10)
MAX_KNOWN = 1_000
Labels = Mapping[str, str]


class WorkloadLabels:
    def __init__(self, client: Client, clock: Callable[[], float] = time.monotonic) -> None:
        self._client, self._clock = client, clock
        self._known: dict[Key, tuple[float, Labels]] = {}

    async def of(self, pods: Iterable[Key]) -> list[Labels]:
        """Of each pod that is there. Raises ApiError."""
        found = [await self._labels(pod) for pod in pods]
        return [labels for labels in found if labels is not None]

    async def _labels(self, pod: Key) -> Labels | None:
        now = self._clock()
        known = self._known.get(pod)
        if known is not None and known[0] > now:
            return known[1]
        listed = await self._client.list(metadata_only(Pod), pod.namespace, fields=f"metadata.name={pod.name}")
        labels = next((one.metadata.labels for one in listed.items if one.metadata.name == pod.name), None)
        if labels is None:
            return None
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[pod] = (now + LABELS_LAST.total_seconds(), labels)
        return labels
