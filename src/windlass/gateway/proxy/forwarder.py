"""Send requests to backends over pooled connections, count the answers, and hold the connections that stay open."""

import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from aiohttp import web

from windlass.gateway.access.open_tunnels import OpenTunnels
from windlass.gateway.metrics import GatewayMetrics
from windlass.gateway.proxy.backends import dial
from windlass.gateway.proxy.decision import Decision
from windlass.gateway.proxy.forward import Target, forward
from windlass.gateway.proxy.tunnel import Tunnel
from windlass.gateway.proxy.upstream import Pool, Upstream

log = logging.getLogger(__name__)


class Forwarder:
    def __init__(
        self,
        metrics: GatewayMetrics,
        tunnels: OpenTunnels,
        admits: Callable[[Decision], Awaitable[bool]],
        on_data: Callable[[Decision], None],
        pods_socket: Path | None,
    ) -> None:
        """`admits`: whether a decision still holds; `on_data` is called when a client sends over a tunnel."""
        self._metrics, self._tunnels, self._admits, self._on_data = metrics, tunnels, admits, on_data
        self._pool = Pool(lambda address: dial(address, pods_socket, Upstream))

    async def send(self, request: web.Request, decision: Decision, target: Target) -> web.StreamResponse:
        """Send a request on and return the answer. Raises what `forward` raises."""
        began = time.perf_counter()
        return await forward(
            request,
            target,
            self._pool,
            on_open=partial(self._opened, decision),
            on_head=lambda: self._metrics.proxied(decision.path, time.perf_counter() - began),
            while_sent=partial(
                self._tunnels.holding,
                identity=decision.identity,
                access=decision.access,
                admits=partial(self._admits, decision),
            ),
        )

    def close(self) -> None:
        self._pool.close()

    def _opened(self, decision: Decision, tunnel: Tunnel) -> None:
        self._metrics.answered(decision.path, "GET", 101)
        self._tunnels.add(tunnel, decision.identity, decision.access, partial(self._admits, decision))
        tunnel.closed.add_done_callback(lambda _: self._ended(decision, tunnel))
        tunnel.on_data = partial(self._on_data, decision)

    def _ended(self, decision: Decision, tunnel: Tunnel) -> None:
        self._tunnels.remove(tunnel)
        if tunnel.broken_by is not None:
            log.info("backend broke off a connection route=%s error=%s", decision.route.owner, tunnel.broken_by)
