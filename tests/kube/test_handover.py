"""Connections that a handler takes over from aiohttp.web."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
import uvloop
from aiohttp import web

from windlass.kube.handover import HandedOver, hand_over, upgraded_streams
from windlass.kube.serving import serving_at

HEADERS = [(b"Connection", b"Upgrade"), (b"Upgrade", b"echo")]
UPGRADE = b"POST / HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: %b\r\nContent-Length: 0\r\n\r\n"
SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def echo(request: web.Request) -> web.StreamResponse:
    with upgraded_streams(request, HEADERS) as (reader, writer):
        while data := await reader.read(1 << 16):
            writer.write(data.upper())
            await writer.drain()
            if data.endswith(b"bye"):
                break
    return HandedOver()


@asynccontextmanager
async def connected(handler: object, upgrade: bytes = b"echo", early: bytes = b"") -> AsyncGenerator[Streams]:
    app = web.Application()
    app.router.add_post("/", handler)  # pyright: ignore[reportArgumentType] - a coroutine function
    async with asyncio.timeout(20), serving_at(app, "127.0.0.1", 0, grace=timedelta(seconds=0.1)) as at:
        reader, writer = await asyncio.open_connection(*at)
        writer.write(UPGRADE % upgrade + early)
        assert await reader.readexactly(len(SWITCHED)) == SWITCHED
        try:
            yield reader, writer
        finally:
            writer.close()


@pytest.mark.parametrize("upgrade", [b"echo", b"SPDY/3.1", b"websocket"])
async def test_bytes_go_both_ways_and_the_connection_ends_with_the_handler(upgrade: bytes) -> None:
    async with connected(echo, upgrade) as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert await reader.readexactly(18) == b"GET / HTTP/1.1\r\n\r\n"
        writer.write(b"bye")
        assert await reader.read() == b"BYE"


async def test_bytes_that_came_with_the_request_are_not_lost() -> None:
    async with connected(echo, b"websocket", early=b"early") as (reader, _):
        assert await reader.readexactly(5) == b"EARLY"


async def test_much_goes_to_a_slow_reader_without_being_held() -> None:
    waited = 0

    async def flood(request: web.Request) -> web.StreamResponse:
        nonlocal waited
        with upgraded_streams(request, HEADERS) as (_, writer):
            for _ in range(1000):
                writer.write(b"x" * 65536)
                held = writer.transport.get_write_buffer_size()
                assert held < 1 << 20
                waited += held > 0
                await writer.drain()
        return HandedOver()

    async with connected(flood) as (reader, _):
        assert len(await reader.read()) == 65536 * 1000
    assert waited > 0


async def test_a_handler_ends_when_its_client_goes() -> None:
    ended = asyncio.Event()

    class Deaf(asyncio.Protocol):
        lost = False

        def connection_lost(self, exc: Exception | None) -> None:
            self.lost = True

    protocol = Deaf()

    async def wait(request: web.Request) -> web.StreamResponse:
        hand_over(request, HEADERS, protocol)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return HandedOver()

    async with connected(wait) as (_, writer):
        writer.close()
        await ended.wait()
    assert protocol.lost


async def test_a_server_that_stops_closes_connections_that_were_taken_over() -> None:
    app = web.Application()
    app.router.add_post("/", echo)
    async with asyncio.timeout(20):
        async with serving_at(app, "127.0.0.1", 0, grace=timedelta(seconds=0.1)) as at:
            reader, writer = await asyncio.open_connection(*at)
            writer.write(UPGRADE % b"echo")
            assert await reader.readexactly(len(SWITCHED)) == SWITCHED
        assert await reader.read() == b""
    writer.close()


def test_connections_of_uvloop_are_taken_over_too() -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(test_bytes_go_both_ways_and_the_connection_ends_with_the_handler(b"SPDY/3.1"))
        runner.run(test_bytes_that_came_with_the_request_are_not_lost())
        runner.run(test_much_goes_to_a_slow_reader_without_being_held())
        runner.run(test_a_handler_ends_when_its_client_goes())
