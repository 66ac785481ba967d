"""Asks now and then how busy nodes are, while a plugin wants to know."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

from windlass.kube import errors
from windlass.kube.controller import Runtime
from windlass.kube.kind import Kind
from windlass.kube.queue import Queue
from windlass.kube.view import untyped
from windlass.scheduler.framework.session import Plugins
from windlass.scheduler.live.node_usage import NodeUsage
from windlass.scheduler.model.cluster import Cluster

NODE_METRICS = Kind(group="metrics.k8s.io", version="v1beta1", name="NodeMetrics", plural="nodes", namespaced=False)
EVERY = timedelta(seconds=30)
READERS = ("usage", "rescheduling")
"""The plugins that want to know."""


class UsageReader:
    """`plugins` are those in force; `told` hears when there is something new."""

    def __init__(
        self, runtime: Runtime, cluster: Cluster, plugins: Callable[[], Plugins], told: Callable[[], None]
    ) -> None:
        self._api, self._cluster, self._plugins, self._told = runtime.api, cluster, plugins, told
        self.queue: Queue[str] = runtime.queue("node_usage")
        self._usage = NodeUsage()
        self.queue.add("read")

    async def step(self, _: str) -> timedelta | None:
        if not any(self._plugins().named(name) for name in READERS):
            return EVERY
        offers = {node.name: node.allocatable for node in self._cluster.snapshot.nodes}
        with suppress(errors.NotFound, errors.ServiceUnavailable):  # nobody measures here
            self._usage.hear((await self._api.list(untyped(NODE_METRICS))).items, offers)
            self._cluster.usage = self._usage.now()
            self._told()
        return EVERY
