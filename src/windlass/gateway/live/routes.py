"""The address of the stream, and all pages that are connected."""

from collections import Counter
from collections.abc import Sequence

from aiohttp import web

from windlass.gateway.context import GatewayContext
from windlass.gateway.live.connection import LiveConnection
from windlass.gateway.live.hub import Hub
from windlass.gateway.live.topics import Topic
from windlass.gateway.request import IDENTITY
from windlass.gateway.views.topics import view_topics

MAX_INCOMING_BYTES = 64 << 10
MAX_PAGES_OF_A_USER = 200
HEARTBEAT_SECONDS = 25.0


def routes(context: GatewayContext) -> list[web.RouteDef]:
    return [web.get("/api/live", LiveRoutes(context).connect)]


class LivePages:
    """Every connected page, and the hub that they share."""

    def __init__(self, context: GatewayContext, topics: Sequence[Topic] | None = None) -> None:
        """`topics`: all views, if not given."""
        self._context, self._topics = context, view_topics() if topics is None else topics
        self.hub = Hub(context.client)
        self._connections: set[LiveConnection] = set()

    async def run(self) -> None:
        """Keep watches and rights up to date until cancelled."""
        self._context.proxy.on_rights_changed.append(self._rights_changed)
        try:
            await self.hub.run()
        finally:
            self._context.proxy.on_rights_changed.remove(self._rights_changed)

    def pages_of(self, user: str) -> int:
        return Counter(connection.identity.user for connection in self._connections)[user]

    async def serve(self, request: web.Request) -> web.StreamResponse:
        identity = request[IDENTITY]
        # Compression would cost 0.3 MB a page.
        socket = web.WebSocketResponse(heartbeat=HEARTBEAT_SECONDS, max_msg_size=MAX_INCOMING_BYTES, compress=False)
        await socket.prepare(request)
        connection = LiveConnection(self._context, self.hub, self._topics, identity, socket, request)
        tunnels = self._context.proxy.tunnels
        self._connections.add(connection)
        tunnels.add(connection, identity, None)
        try:
            await connection.run()
        finally:
            self._connections.discard(connection)
            tunnels.remove(connection)
        return socket

    def _rights_changed(self) -> None:
        for connection in self._connections:
            connection.check_soon()


class LiveRoutes:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context

    async def connect(self, request: web.Request) -> web.StreamResponse:
        if not web.WebSocketResponse().can_prepare(request).ok:
            return web.json_response({"error": "connect with a WebSocket"}, status=400)
        pages = self._context.live
        if pages.pages_of(request[IDENTITY].user) >= MAX_PAGES_OF_A_USER:
            return web.json_response({"error": f"you have {MAX_PAGES_OF_A_USER} pages open; close some"}, status=429)
        return await pages.serve(request)


async def run_live(context: GatewayContext) -> None:
    """Follow what pages follow until the gateway stops."""
    await context.live.run()
