"""A real API server without controllers, and clients of it: what tests of the client side run against."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import pytest

from tests.support import Windlass, running
from windlass.apis.core_v1 import Namespace
from windlass.kube.client import Client
from windlass.kube.connect import by_socket
from windlass.kube.controller import AnyController
from windlass.kube.manager import Manager
from windlass.kube.meta import ObjectMeta

T = TypeVar("T")


@pytest.fixture(scope="session")
def bare_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("bare")) as windlass:
        yield windlass


def client_of(server: Windlass) -> Client:
    """The administrator, through the Unix socket."""
    data = server.data_dir
    return by_socket(data / "run" / "api.sock", token_file=data / "credentials" / "admin.token")


@pytest.fixture
async def client(bare_server: Windlass) -> AsyncIterator[Client]:
    async with client_of(bare_server) as made:
        yield made


@pytest.fixture
async def room(client: Client) -> str:
    """A namespace of the test's own."""
    made = await client.create(Namespace(metadata=ObjectMeta(generate_name="room-")))
    return made.metadata.name


async def until(check: Callable[[], Awaitable[T]], within: float = 60.0) -> T:
    """Ask again until the answer is true."""
    deadline = time.monotonic() + within
    while True:
        found = await check()
        if found:
            return found
        assert time.monotonic() < deadline, f"not within {within} s; last: {found!r}"
        await asyncio.sleep(0.01)


@asynccontextmanager
async def managed(client: Client, *controllers: AnyController, **options: Any) -> AsyncIterator[Manager]:
    """A manager that runs these controllers until the end of the block."""
    manager, stop = Manager(client, controllers, **options), asyncio.Event()
    running = asyncio.create_task(manager.run(stop))
    try:
        await manager.started.wait()
        yield manager
    finally:
        stop.set()
        await running
