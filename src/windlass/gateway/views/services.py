"""What the views share in one gateway: the sampler, and what the data dir says."""

import asyncio
import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from windlass.apis.core_v1 import Node
from windlass.gateway.views.measuring.sampler import MAX_AGE, Sampler
from windlass.gateway.views.parts import ClaimUse, Usage
from windlass.gateway.views.reading import name_of, namespace_of, text
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, dig, timestamp
from windlass.kube.kind import KINDS
from windlass.kube.transport import Request

if TYPE_CHECKING:
    from windlass.gateway.context import GatewayContext
    from windlass.gateway.views.statuses import StatusReader
    from windlass.gateway.views.topics import SharedViews

VIEWS_MODULE = "windlass.gateway.views.all_views"
USAGE_TICK = timedelta(seconds=10)
"""How often views that show the use of CPU and memory are computed again."""
VOLUME_USE_AGE = timedelta(seconds=30)
_VOLUME_USE = re.compile(
    r'^kubelet_volume_stats_used_bytes\{namespace="([^"]*)",persistentvolumeclaim="([^"]*)"\} ([0-9.e+]+)', re.MULTILINE
)


@dataclass
class ViewServices:
    context: "GatewayContext"
    _volume_use: tuple[float, dict[tuple[str, str], ClaimUse]] = field(
        default=(-VOLUME_USE_AGE.total_seconds(), dict[tuple[str, str], ClaimUse]())
    )
    _loading: asyncio.Task[ModuleType] | None = None

    def preload(self) -> asyncio.Future[ModuleType]:
        """Import in a thread what computes the views, once: it takes long enough to be noticed by who waits for it.

        Called when a person is about to need it, at the sign-in or when the dashboard is loaded.
        """
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(import_module, VIEWS_MODULE))
        return asyncio.shield(self._loading)

    @property
    def data_dir(self) -> Path | None:
        """Of the embedded platform; None on a cluster."""
        return self.context.settings.data_dir

    @cached_property
    def shared(self) -> "SharedViews":
        from windlass.gateway.views.topics import SharedViews

        return SharedViews(self.context)

    @cached_property
    def sampler(self) -> Sampler:
        return Sampler(self.context.client)

    @cached_property
    def statuses(self) -> "StatusReader":
        from windlass.gateway.views.statuses import StatusReader

        return StatusReader()

    def usage_of(self, pods: list[Object]) -> dict[str, Usage]:
        """The newest measurements, by the uid of the pod."""
        self.sampler.mark_watched()
        samples, now = self.sampler.samples, time.time()
        return {
            text(dig(pod, "metadata", "uid")): samples.usage(
                namespace_of(pod), name_of(pod), now, MAX_AGE.total_seconds()
            )
            for pod in pods
        }

    def usage_of_nodes(self, names: Iterable[str]) -> list[Usage]:
        """The newest measurements of these nodes."""
        self.sampler.mark_watched()
        samples, now = self.sampler.samples, time.time()
        return [samples.node_usage(name, now, MAX_AGE.total_seconds()) for name in names]

    async def volume_use(self) -> dict[tuple[str, str], ClaimUse]:
        """How much claims use, as the nodes measure it, by namespace and name."""
        at, known = self._volume_use
        if time.monotonic() - at < VOLUME_USE_AGE.total_seconds():
            return known
        self._volume_use = (time.monotonic(), known)
        self._volume_use = (time.monotonic(), await self._read_volume_use())
        return self._volume_use[1]

    async def _read_volume_use(self) -> dict[tuple[str, str], ClaimUse]:
        client, now = self.context.client, timestamp()
        try:
            nodes = [name_of(node) for node in (await client.list(KINDS.of(Node))).items]
            texts = await asyncio.gather(*(self._node_metrics(node) for node in nodes))
        except ApiError:
            return {}
        return {
            (namespace, claim): ClaimUse(used_bytes=float(used), at=now)
            for page in texts
            for namespace, claim, used in _VOLUME_USE.findall(page)
        }

    async def _node_metrics(self, node: str) -> str:
        path = f"/api/v1/nodes/{node}/proxy/metrics"
        try:
            answer = await self.context.client.send(Request("GET", path, accept="*/*", timeout=5.0))
        except ApiError:
            return ""  # a node that is down: its claims have no figures
        return answer.body.decode(errors="replace")

    def disk(self) -> tuple[float, float] | None:
        """Size and free part of the disk with the data directory, in bytes; None on a cluster."""
        if self.data_dir is None:
            return None
        try:
            usage = os.statvfs(self.data_dir)
        except OSError:
            return None
        return float(usage.f_blocks * usage.f_frsize), float(usage.f_bavail * usage.f_frsize)


async def sample_usage(context: "GatewayContext") -> None:
    """Sample the use of CPU and memory until the gateway stops."""
    await context.views.sampler.run()
