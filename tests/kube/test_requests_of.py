"""The requests of a manager name the controller that makes them, for the audit log of the server."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.kube.live import managed, until
from windlass.apis.core_v1 import ConfigMap
from windlass.kube.api import Runtime
from windlass.kube.client import Client
from windlass.kube.controller import Service
from windlass.kube.meta import ObjectMeta
from windlass.kube.transport import (
    HttpTransport,
    ImpersonatingTransport,
    Request,
    Response,
    acting_controller,
    requests_of,
)


@pytest.fixture
async def agents() -> AsyncIterator[tuple[HttpTransport, list[str]]]:
    """A transport to a server, and the User-Agents that the server has seen."""
    seen: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        seen.append(request.headers["User-Agent"])
        return web.json_response({})

    app = web.Application()
    app.router.add_get("/", answer)
    async with TestServer(app) as server:
        transport = HttpTransport(str(server.make_url("")))
        yield transport, seen
        await transport.close()


async def test_the_user_agent_names_the_controller(agents: tuple[HttpTransport, list[str]]) -> None:
    transport, seen = agents
    await transport.request(Request("GET", "/"))
    with requests_of("trainer"):
        await transport.request(Request("GET", "/"))
        await ImpersonatingTransport(transport, "ann", ()).request(Request("GET", "/"))
    await transport.request(Request("GET", "/"))

    assert seen == ["windlass", "windlass/trainer", "windlass/trainer", "windlass"]


class Observing:
    """A transport that keeps for which controller each request is made."""

    def __init__(self, client: Client) -> None:
        self.request_of, self.stream, self.close = client._transport.request, client._transport.stream, client.close
        self.asked: list[tuple[str, str]] = []
        """The method of each request, and its controller."""

    async def request(self, request: Request) -> Response:
        self.asked.append((request.method, acting_controller()))
        return await self.request_of(request)


async def test_each_worker_of_a_manager_acts_for_its_controller(client: Client, room: str) -> None:
    def service(name: str) -> Service:
        def start(runtime: Runtime) -> None:
            queue = runtime.queue(name)
            runtime.work(f"{name}-worker", queue, make, 1)
            queue.add(name)

        return Service(name, start)

    async def make(name: str) -> None:
        await observing_client.create(ConfigMap(metadata=ObjectMeta(name=name, namespace=room)))

    observing = Observing(client)
    observing_client = Client(observing)
    async with managed(observing_client, service("one"), service("two")):

        async def made() -> bool:
            names = {found.metadata.name for found in (await client.list(ConfigMap, room)).items}
            return {"one", "two"} <= names

        await until(made)

    assert sorted(controller for method, controller in observing.asked if method == "POST") == ["one", "two"]
