import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import web

from windlass.apis.core_v1 import Pod
from windlass.kube.connect import by_socket
from windlass.kube.errors import ServiceUnavailable
from windlass.kube.reconnecting import may_repeat
from windlass.kube.transport import Request

REFUSED = aiohttp.ClientConnectorError(cast(Any, None), OSError(111, "Connection refused"))
REVIEW = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


@pytest.mark.parametrize(
    ("method", "path", "cause", "expected"),
    [
        ("POST", "/api/v1/pods", REFUSED, True),
        ("GET", "/api/v1/pods", aiohttp.ServerDisconnectedError(), True),
        ("GET", "/api/v1/pods", ConnectionResetError(), True),
        ("POST", "/api/v1/pods", aiohttp.ServerDisconnectedError(), False),
        ("POST", "/api/v1/pods", ConnectionResetError(), False),
        ("DELETE", "/api/v1/pods/a", aiohttp.ServerDisconnectedError(), False),
        ("POST", REVIEW, aiohttp.ServerDisconnectedError(), True),
        ("GET", "/api/v1/pods", TimeoutError(), False),
        ("GET", "/api/v1/pods", None, False),
    ],
)
def test_only_what_cannot_happen_twice_is_sent_again(
    method: str, path: str, cause: BaseException | None, expected: bool
) -> None:
    assert may_repeat(Request(method, path), cause) is expected


@asynccontextmanager
async def a_server(socket: Path) -> AsyncGenerator[None]:
    async def answer(request: web.Request) -> web.Response:
        return web.json_response({"metadata": {"name": request.match_info["name"]}})

    app = web.Application()
    app.router.add_get("/api/v1/namespaces/ns/pods/{name}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.UnixSite(runner, str(socket)).start()
    try:
        yield
    finally:
        await runner.cleanup()


async def test_a_request_waits_for_a_server_that_is_restarting(tmp_path: Path) -> None:
    async with by_socket(tmp_path / "api", restart_seconds=30) as client:
        async with a_server(tmp_path / "api"):
            assert (await client.get(Pod, "before", "ns")).metadata.name == "before"
        asked = asyncio.create_task(client.get(Pod, "after", "ns"))
        await asyncio.sleep(0)
        async with a_server(tmp_path / "api"):
            assert (await asked).metadata.name == "after"


async def test_a_server_that_stays_away_is_reported(tmp_path: Path) -> None:
    async with by_socket(tmp_path / "api", restart_seconds=0.2) as client:
        with pytest.raises(ServiceUnavailable, match="does not answer"):
            await client.get(Pod, "a", "ns")
