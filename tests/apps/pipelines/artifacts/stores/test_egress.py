"""The way to object stores: permitted addresses alone, whatever names and redirects say."""

import asyncio
import urllib.error
import urllib.request
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from windlass.apps.pipelines.artifacts.stores.egress import EgressProxy, Refused, resolve
from windlass.kube.serving import serving_from


async def test_a_name_of_a_local_address_is_refused_unless_local_ones_are_allowed() -> None:
    with pytest.raises(Refused, match=r"localhost is at .* which is not permitted"):
        await resolve("localhost", 80, allow_local=False)

    assert await resolve("localhost", 80, allow_local=True)


@pytest.fixture
async def server() -> AsyncIterator[str]:
    import socket

    async def answer(request: web.Request) -> web.Response:
        return web.Response(text=f"{request.method} {request.raw_path} {request.headers.get('Proxy-Authorization')}")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    listener = socket.create_server(("127.0.0.1", 0))
    async with serving_from(app, listener):
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def through(proxy: str, url: str) -> tuple[int, str]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
    try:
        with opener.open(url, timeout=10) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


async def test_a_request_reaches_its_server_without_the_password_of_the_proxy(server: str) -> None:
    proxy = EgressProxy(allow_local=True)

    answer = await asyncio.to_thread(through, await proxy.url(), f"{server}/bucket/key?a=b%20c")

    assert answer == (200, "GET /bucket/key?a=b%20c None")
    await proxy.close()


async def test_a_connection_to_a_local_address_is_refused_with_the_reason(server: str) -> None:
    proxy = EgressProxy(allow_local=False)

    code, reason = await asyncio.to_thread(through, await proxy.url(), f"{server}/latest/meta-data")

    assert code == 502
    assert "127.0.0.1 is at 127.0.0.1" in reason
    await proxy.close()


async def test_only_the_owner_of_the_password_may_use_the_proxy(server: str) -> None:
    proxy = EgressProxy(allow_local=True)
    address = (await proxy.url()).rpartition("@")[2]

    assert (await asyncio.to_thread(through, f"http://{address}", f"{server}/a"))[0] == 407
    assert (await asyncio.to_thread(through, f"http://windlass:guess@{address}", f"{server}/a"))[0] == 407
    await proxy.close()
