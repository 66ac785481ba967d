"""An API server that is not quite the embedded one: a proxy in front of it that refuses, delays, or is away."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
from aiohttp import web

from tests.support import Windlass, free_port
from windlass.kube.client import Client
from windlass.kube.connect import by_address

NO_PROGRESS = (
    "a watch stream was requested by the client but the required storage feature RequestWatchProgress is disabled"
)
"""What kube-apiserver says to a streamed list when its etcd is older than 3.4.31 or 3.5.13."""
HOP_BY_HOP = ("transfer-encoding", "content-length", "connection")


class Answered(NamedTuple):
    """A request and the status that it was answered with."""

    method: str
    path: str
    query: dict[str, str]
    status: int

    @property
    def is_streamed_list(self) -> bool:
        return "sendInitialEvents" in self.query


class ForeignServer:
    """`answered` is what clients have asked for. Change the other attributes at any time."""

    def __init__(self, behind: Windlass) -> None:
        self._behind = behind
        self._runner: web.AppRunner | None = None
        self._session: aiohttp.ClientSession | None = None
        self._port = free_port()
        self.answered: list[Answered] = []
        self.refusal: tuple[int, str] | None = None
        """Code and message for streamed lists: in an ERROR event if the code is 500, else as the HTTP status."""
        self.watch_delay = 0.0
        """Seconds by which changes reach watchers later than answers reach their authors."""
        self.unserved: set[str] = set()
        """Path prefixes that are answered 404."""
        self.held: dict[str, asyncio.Event] = {}
        """Paths whose requests wait for an event."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def write_kubeconfig(self, path: Path) -> Path:
        named = {"name": "foreign"}
        config = {
            "current-context": "foreign",
            "contexts": [{**named, "context": {"cluster": "foreign", "user": "foreign"}}],
            "clusters": [{**named, "cluster": {"server": self.url}}],
            "users": [{**named, "user": {"token": self._behind.token}}],
        }
        path.write_text(json.dumps(config))
        return path

    def client(self) -> Client:
        return by_address(self.url, token=self._behind.token)

    async def start(self) -> None:
        socket = str(self._behind.data_dir / "run" / "api.sock")
        self._session = aiohttp.ClientSession(connector=aiohttp.UnixConnector(socket, limit=0))
        application = web.Application(client_max_size=1 << 30)
        application.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.05, handler_cancellation=True)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()

    async def stop(self) -> None:
        if self._runner is not None and self._session is not None:
            await self._runner.cleanup()
            await self._session.close()
            self._runner = self._session = None

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        query = dict(request.query)
        if request.path in self.held:
            await self.held[request.path].wait()
        if self.refusal is not None and "sendInitialEvents" in query:
            code, message = self.refusal
            response = _refusal(code, message)
        elif any(request.path.startswith(prefix) for prefix in self.unserved):
            response = web.Response(status=404, text="404 page not found\n")
        else:
            return await self._forward(request, query)
        self._note(request, query, response.status)
        return response

    async def _forward(self, request: web.Request, query: dict[str, str]) -> web.StreamResponse:
        assert self._session is not None
        headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
        url = f"http://windlass{request.path_qs}"
        body = await request.read() or None
        timeout = aiohttp.ClientTimeout(total=None)
        async with self._session.request(request.method, url, headers=headers, data=body, timeout=timeout) as answer:
            self._note(request, query, answer.status)
            kept = {name: value for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP}
            if query.get("watch") != "true":
                return web.Response(status=answer.status, headers=kept, body=await answer.read())
            response = web.StreamResponse(status=answer.status, headers=kept)
            await response.prepare(request)
            async for chunk in answer.content.iter_any():
                await asyncio.sleep(self.watch_delay)
                await response.write(chunk)
            return response

    def _note(self, request: web.Request, query: dict[str, str], status: int) -> None:
        self.answered.append(Answered(request.method, request.path, query, status))

    def asked(self, plural: str) -> list[Answered]:
        """The requests for a collection, by its plural."""
        return [each for each in self.answered if each.path.endswith(f"/{plural}")]


def _refusal(code: int, message: str) -> web.Response:
    status: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    status |= {"message": message, "reason": "InternalError" if code == 500 else "", "code": code}
    if code != 500:
        return web.json_response(status, status=code)
    line = json.dumps({"type": "ERROR", "object": status}) + "\n"
    return web.Response(text=line, content_type="application/json")


@asynccontextmanager
async def foreign_server(behind: Windlass) -> AsyncIterator[ForeignServer]:
    server = ForeignServer(behind)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
