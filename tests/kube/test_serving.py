"""Applications on aiohttp.web, served as every process but the API server serves them."""

import asyncio
import gzip
import stat
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from windlass.kube.listening import CannotListen
from windlass.kube.serving import serving_at, serving_on_socket

HERE = "127.0.0.1"


async def hello(request: web.Request) -> web.Response:
    return web.Response(text="hello")


def application(handler: web.RequestHandler | object = hello) -> web.Application:
    app = web.Application()
    app.router.add_get("/", handler)  # pyright: ignore[reportArgumentType] - a coroutine function
    return app


async def test_a_port_of_zero_becomes_a_free_one_and_one_that_is_taken_is_named() -> None:
    async with serving_at(application(), HERE, 0) as (host, port), aiohttp.ClientSession() as session:
        async with session.get(f"http://{host}:{port}/") as answer:
            assert await answer.text() == "hello"
        with pytest.raises(CannotListen, match=f"cannot listen on {HERE}:{port}: Address already in use"):
            async with serving_at(application(), HERE, port):
                pass


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: "], ids=["nothing", "half a request"])
async def test_whoever_does_not_ask_is_let_go(sent: bytes) -> None:
    async with serving_at(application(), HERE, 0, idle=timedelta(seconds=0.05)) as at:
        reader, writer = await asyncio.open_connection(*at)
        writer.write(sent)
        async with asyncio.timeout(10):
            await reader.read()
        writer.close()


async def test_a_response_in_progress_is_finished_when_serving_ends() -> None:
    begun, finish = asyncio.Event(), asyncio.Event()

    async def slow(request: web.Request) -> web.Response:
        begun.set()
        await finish.wait()
        return web.Response(text="done")

    async with aiohttp.ClientSession() as session:
        async with serving_at(application(slow), HERE, 0, grace=timedelta(seconds=10)) as (host, port):
            asked = asyncio.ensure_future(session.get(f"http://{host}:{port}/"))
            await begun.wait()
            asyncio.get_running_loop().call_soon(finish.set)
        async with await asked as answer:
            assert await answer.text() == "done"


async def test_a_socket_is_for_its_user_alone_and_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    path.write_text("left behind")
    async with (
        serving_on_socket(application(), path),
        aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(path))) as session,
    ):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        async with session.get("http://local/") as answer:
            assert await answer.text() == "hello"
    assert not path.exists()


async def test_a_connection_that_breaks_while_it_is_answered_is_one_line_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def breaking(request: web.Request) -> web.Response:
        raise ConnectionResetError("Cannot write to closing transport")

    async with (
        serving_at(application(breaking), HERE, 0) as (host, port),
        aiohttp.ClientSession() as session,
        session.get(f"http://{host}:{port}/") as answer,
    ):
        assert answer.status == 500

    (record,) = [record for record in caplog.records if record.name == "windlass.kube.serving"]
    assert record.getMessage().endswith(": ConnectionResetError: Cannot write to closing transport")
    assert not record.exc_info


async def test_a_body_that_is_not_in_its_encoding_leaves_nothing_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """The handler does not read the body, so that aiohttp does when it has answered."""
    body = bytearray(gzip.compress(b"a" * 100_000))
    body[-8] ^= 0xFF  # the checksum
    head = f"POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n"
    app = web.Application()
    app.router.add_post("/", hello)

    async with serving_at(app, HERE, 0) as (host, port):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(head.encode() + body[:20])
        await reader.readuntil(b"hello")
        writer.write(body[20:])
        await reader.read()
        writer.close()

    assert [record.getMessage() for record in caplog.records if record.name == "windlass.kube.serving"] == []
