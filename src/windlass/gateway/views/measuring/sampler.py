"""Samples metrics.k8s.io: often while a page looks, seldom otherwise, not at all where nobody serves it."""

import asyncio
import logging
import time
from datetime import timedelta

from windlass.apis.core_v1 import Node
from windlass.gateway.views.measuring.samples import Sample, Samples
from windlass.gateway.views.reading import amount_of, name_of, namespace_of, text
from windlass.kube.client import Client
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, dig, dig_list
from windlass.kube.kind import KINDS, Kind

IDLE_INTERVAL = timedelta(seconds=30)
WATCHED_INTERVAL = timedelta(seconds=5)
LOOKED_AT_FOR = timedelta(seconds=15)
"""A page that asked within this time still looks."""
MAX_AGE = timedelta(seconds=90)
"""Older samples say nothing of now."""
GROUP, VERSION = "metrics.k8s.io", "v1beta1"
NODES = Kind(group=GROUP, version=VERSION, name="NodeMetrics", plural="nodes", namespaced=False)
PODS = Kind(group=GROUP, version=VERSION, name="PodMetrics", plural="pods")

log = logging.getLogger(__name__)


class Sampler:
    """`samples` are of the whole cluster: routes and topics choose what a user may see."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.samples = Samples()
        self.trouble = ""
        """Why there are no new samples; empty while there are."""
        self._looked = -LOOKED_AT_FOR.total_seconds()
        self._wake = asyncio.Event()

    def mark_watched(self) -> None:
        """A page looks at usage: sample more often for a while."""
        was_idle = not self._is_looked_at()
        self._looked = time.monotonic()
        if was_idle:
            self._wake.set()

    def _is_looked_at(self) -> bool:
        return time.monotonic() - self._looked < LOOKED_AT_FOR.total_seconds()

    async def run(self) -> None:
        while True:
            await self.sample()
            interval = WATCHED_INTERVAL if self._is_looked_at() else IDLE_INTERVAL
            self._wake.clear()
            try:
                async with asyncio.timeout(interval.total_seconds()):
                    await self._wake.wait()
            except TimeoutError:
                continue

    async def sample(self) -> None:
        try:
            nodes = (await self._client.list(NODES)).items
            pods = (await self._client.list(PODS)).items
            if missing := {name_of(node) for node in nodes} - {*self.samples.cores}:
                await self._learn_cores(missing)
        except (ApiError, OSError, TimeoutError) as error:
            if not self.trouble:
                log.info("no usage is sampled error=%s", error)
            self.trouble = f"the metrics API (metrics.k8s.io) does not answer: {error}"
            return
        self.trouble = ""
        self.samples.add(
            time.time(),
            {name_of(node): _of(node) for node in nodes},
            {(namespace_of(pod), name_of(pod)): pod_sample(pod) for pod in pods},
        )

    async def _learn_cores(self, names: set[str]) -> None:
        for node in (await self._client.list(KINDS.of(Node))).items:
            cores = amount_of(dig(node, "status", "capacity", "cpu")).value
            self.samples.cores[name_of(node)] = cores or 1.0
        for name in names - {*self.samples.cores}:
            self.samples.cores[name] = 1.0


def _of(measured: Object) -> Sample:
    return Sample(amount_of(dig(measured, "usage", "cpu")).value, amount_of(dig(measured, "usage", "memory")).value)


def pod_sample(measured: Object) -> Sample:
    """All containers together."""
    containers = [_of(one) for one in dig_list(measured, "containers") if text(dig(one, "name"))]
    return Sample(sum(one.cpu for one in containers), sum(one.memory for one in containers))
