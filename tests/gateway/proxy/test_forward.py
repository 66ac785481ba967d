"""Requests reach a backend and its answers come back as they were sent, piece by piece."""

import asyncio
import logging
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import suppress

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from multidict import CIMultiDict
from yarl import URL

from windlass.gateway.app import answer_errors
from windlass.gateway.proxy.forward import Target, forward, query_of
from windlass.gateway.proxy.paths import encoded
from windlass.gateway.proxy.tunnel import Tunnel
from windlass.gateway.proxy.upstream import Address, BackendFailed, Pool, Upstream
from windlass.kube.serving import serving_at


async def _dial(address: Address) -> Upstream:
    try:
        _, upstream = await asyncio.get_running_loop().create_connection(Upstream, *address)
    except OSError as error:
        raise BackendFailed(str(error)) from error
    return upstream


async def _echo(request: web.Request) -> web.Response:
    body = await request.read()
    return web.json_response(
        {
            "method": request.method,
            "path": request.raw_path,
            "headers": {name.lower(): value for name, value in request.headers.items()},
            "size": len(body),
        }
    )


async def _events(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for number in range(3):
        await response.write(b"data: %d\n\n" % number)
        await request.app[HELD].wait()
    return response


async def _socket(request: web.Request) -> web.WebSocketResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        await socket.send_str(f"echo {message.data}")
    return socket


async def _large(request: web.Request) -> web.Response:
    return web.Response(body=b"x" * 900_000)


async def _hostile(request: web.Request) -> web.Response:
    headers = CIMultiDict({"Service-Worker-Allowed": "/", "Clear-Site-Data": '"cookies"'})
    for cookie in ("session=theirs; Path=/", "mine=1; Path=/", " session =theirs"):
        headers.add("Set-Cookie", cookie)
    return web.Response(headers=headers)


HELD = web.AppKey("held", asyncio.Event)


@pytest.fixture
async def backend() -> AsyncIterator[TestServer]:
    app = web.Application(client_max_size=1 << 30)
    app[HELD] = asyncio.Event()
    app.add_routes(
        [
            web.get("/events", _events),
            web.get("/socket", _socket),
            web.get("/large", _large),
            web.get("/hostile", _hostile),
        ]
    )
    app.router.add_route("*", "/{path:.*}", _echo)
    server = TestServer(app)
    await server.start_server()
    yield server
    await server.close()


async def _breaking(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer a part, and then end as the path says."""
    head = await reader.readuntil(b"\r\n\r\n")
    how = head.split(b" ")[1]
    if how == b"/tunnel":
        writer.write(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
    elif how == b"/garbage":
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\nnot hexadecimal\r\n")
    else:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart")
    await writer.drain()
    if how in (b"/tunnel", b"/reset"):
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        await asyncio.sleep(0)
    writer.close()


@pytest.mark.parametrize("how", ["closed", "reset", "garbage"])
async def test_a_backend_that_breaks_off_is_one_line_in_the_log(how: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    pool = Pool(_dial)
    async with await asyncio.start_server(_breaking, "127.0.0.1", 0) as server:
        address = server.sockets[0].getsockname()

        async def answer(request: web.Request) -> web.StreamResponse:
            return await forward(request, Target(address=address, path=request.path), pool)

        app = web.Application(middlewares=[answer_errors])
        app.router.add_route("*", "/{path:.*}", answer)
        async with serving_at(app, "127.0.0.1", 0) as (host, port):
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(f"GET /{how} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            with suppress(ConnectionResetError):
                seen = await asyncio.wait_for(reader.read(), 10)
                assert b"500" not in seen
                assert not seen.endswith(b"0\r\n\r\n"), "the answer looks complete"
            writer.close()
    pool.close()

    assert [record.getMessage().partition(" error=")[0] for record in caplog.records] == [
        f"answer broken off method=GET path=/{how}"
    ]
    assert not caplog.records[0].exc_info


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=\xe9.txt\r\nX: \xed\xa0\x80\r\n",
        b"HTTP/1.1 200 \xff\x1b[2J\r\nX: 1\r\n",
        b"HTTP/1.1 200 \x00\r\nX: 1\r\n",
        b"HTTP/1.1 999 ?\r\nX: 1\r\n",
        b"HTTP/1.1 000 ?\r\nX: 1\r\n",
        b"HTTP/1.1 204 No\r\nContent-Length: 5\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\x00b\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\x7f\x1b[2J\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\r\n folded\r\n",
        b"HTTP/1.1 200 OK\r\nX\xe9: a\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: \x80/\x81; charset=no-such\r\n",
        b"SSH-2.0-OpenSSH\r\n",
        b"\x00\x00\x00\x04\x08\x00\x00\x00\x00\x00",
    ],
)
async def test_no_answer_of_a_backend_is_a_fault_of_the_gateway(head: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async def send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head + b"\r\nhello")
        writer.close()

    pool = Pool(_dial)
    async with await asyncio.start_server(send, "127.0.0.1", 0) as server:
        target = Target(address=server.sockets[0].getsockname(), path="/")

        async def answer(request: web.Request) -> web.StreamResponse:
            try:
                return await forward(request, target, pool)
            except BackendFailed:
                raise web.HTTPBadGateway from None

        app = web.Application(middlewares=[answer_errors])
        app.router.add_route("*", "/{path:.*}", answer)
        async with serving_at(app, "127.0.0.1", 0) as (host, port):
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            seen = await asyncio.wait_for(reader.read(), 10)
            writer.close()
    pool.close()

    assert seen.startswith(b"HTTP/1.1 "), seen
    assert not seen.startswith(b"HTTP/1.1 500"), seen
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_tunnel_knows_how_its_backend_broke_off() -> None:
    pool, links = Pool(_dial), list[Tunnel]()
    async with await asyncio.start_server(_breaking, "127.0.0.1", 0) as server:
        target = Target(address=server.sockets[0].getsockname(), path="/tunnel")

        async def answer(request: web.Request) -> web.StreamResponse:
            return await forward(request, target, pool, on_open=links.append)

        app = web.Application()
        app.router.add_route("*", "/{path:.*}", answer)
        async with serving_at(app, "127.0.0.1", 0) as (host, port):
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
            assert b"101" in await reader.readline()
            await asyncio.wait_for(reader.read(), 10)
            await asyncio.wait_for(links[0].closed, 10)
            writer.close()

    assert isinstance(links[0].broken_by, ConnectionResetError)


async def test_a_client_that_leaves_is_no_fault(
    proxy: TestServer, backend: TestServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with aiohttp.ClientSession() as client, client.get(proxy.make_url("/events")) as answer:
        await answer.content.readuntil(b"\n\n")
    backend.app[HELD].set()
    await proxy.close()

    assert not [record for record in caplog.records if record.exc_info]


@pytest.fixture
async def proxy(backend: TestServer) -> AsyncIterator[TestServer]:
    pool = Pool(_dial)

    async def answer(request: web.Request) -> web.StreamResponse:
        target = Target(
            address=("127.0.0.1", backend.port or 0),
            path=encoded(request.path),
            query=query_of(request),
            set_headers=[("kubeflow-userid", "user@example.com")],
            hidden_cookies=frozenset({"session"}),
            scope="/notebook/ml/lab/",
        )
        return await forward(request, target, pool)

    app = web.Application(client_max_size=1 << 30, middlewares=[answer_errors])
    app.router.add_route("*", "/{path:.*}", answer)
    server = TestServer(app)
    await server.start_server()
    yield server
    pool.close()
    await server.close()


async def test_a_request_arrives_with_its_query_and_the_identity_of_the_gateway(proxy: TestServer) -> None:
    headers = {"Kubeflow_Userid": "a", "kubeflow-userid": "a", "X-Mine": "1", "Cookie": "session=secret; mine=1"}
    url = URL(f"{proxy.make_url('/')}a%20b/c?x=1&y=%2F", encoded=True)
    async with aiohttp.ClientSession() as client, client.get(url, headers=headers) as answer:
        seen = await answer.json()

    assert seen["path"] == "/a%20b/c?x=1&y=%2F"
    assert seen["headers"]["kubeflow-userid"] == "user@example.com"
    assert "kubeflow_userid" not in seen["headers"]
    assert seen["headers"]["cookie"] == "mine=1"
    assert seen["headers"]["x-mine"] == "1"


@pytest.mark.parametrize("is_chunked", [True, False])
async def test_a_body_passes_with_and_without_a_length(proxy: TestServer, is_chunked: bool) -> None:
    body = b"y" * 900_000

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 100_000):
            yield body[start : start + 100_000]

    async with aiohttp.ClientSession() as client:
        for _ in range(3):  # the connection to the backend is used again
            async with client.post(proxy.make_url("/in"), data=pieces() if is_chunked else body) as answer:
                assert (await answer.json())["size"] == len(body)


async def test_a_body_is_never_read_as_another_request(proxy: TestServer) -> None:
    body = "GET /admin HTTP/1.1\r\nHost: x\r\nkubeflow-userid: admin@example.com\r\n\r\n"
    headers = {"Connection": "keep-alive, Content-Length"}
    async with aiohttp.ClientSession() as client:
        async with client.post(proxy.make_url("/mine"), data=body, headers=headers) as answer:
            first = await answer.json()
        async with client.get(proxy.make_url("/next")) as answer:
            second = await answer.json()

    assert (first["path"], first["size"]) == ("/mine", len(body))
    assert (second["path"], second["headers"]["kubeflow-userid"]) == ("/next", "user@example.com")


async def test_head_and_large_answers_pass(proxy: TestServer) -> None:
    async with aiohttp.ClientSession() as client:
        async with client.head(proxy.make_url("/large")) as answer:
            assert answer.headers["Content-Length"] == "900000"
        async with client.get(proxy.make_url("/large")) as answer:
            assert len(await answer.read()) == 900_000


async def test_events_arrive_as_they_are_sent(proxy: TestServer, backend: TestServer) -> None:
    async with aiohttp.ClientSession() as client, client.get(proxy.make_url("/events")) as answer:
        first = await asyncio.wait_for(answer.content.readuntil(b"\n\n"), 5)
        assert first == b"data: 0\n\n"  # the backend has not sent the second yet
        backend.app[HELD].set()
        assert await answer.content.read() == b"data: 1\n\ndata: 2\n\n"


async def test_a_websocket_passes_in_both_directions(proxy: TestServer) -> None:
    async with aiohttp.ClientSession() as client, client.ws_connect(proxy.make_url("/socket")) as socket:
        for number in range(3):
            await socket.send_str(str(number))
            assert (await socket.receive_str(timeout=5)) == f"echo {number}"
        await socket.close()
        assert socket.closed


@pytest.mark.parametrize("protocol", ["h2c", "websocket, H2C", "HTTP/2.0", "TLS/1.0"])
async def test_no_upgrade_leads_past_the_gateways_rules(proxy: TestServer, protocol: str) -> None:
    """A backend that goes on in HTTP/2 would take requests that the gateway neither sees nor authorises."""
    headers = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": protocol, "HTTP2-Settings": "AAMAAABkAAQAAP__"}
    async with aiohttp.ClientSession() as client, client.get(proxy.make_url("/"), headers=headers) as answer:
        seen = await answer.json()

    assert {"upgrade", "http2-settings"}.isdisjoint(seen["headers"])


async def test_a_backend_can_neither_exchange_the_session_nor_serve_the_whole_origin(proxy: TestServer) -> None:
    async with aiohttp.ClientSession() as client, client.get(proxy.make_url("/hostile")) as answer:
        headers = answer.headers

    assert headers.getall("Set-Cookie") == ["mine=1; Path=/"]
    assert headers["Service-Worker-Allowed"] == "/notebook/ml/lab/"
    assert "Clear-Site-Data" not in headers


async def test_an_upgrade_that_the_backend_declines_is_answered(proxy: TestServer) -> None:
    async with aiohttp.ClientSession() as client:
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await client.ws_connect(proxy.make_url("/elsewhere"))

    assert caught.value.status == 200


async def test_a_backend_that_closed_its_connection_is_asked_again(proxy: TestServer, backend: TestServer) -> None:
    async with aiohttp.ClientSession() as client:
        for _ in range(2):
            async with client.get(proxy.make_url("/a")) as answer:
                assert answer.status == 200
            runner = backend.runner
            assert runner is not None
            assert runner.server is not None
            for connection in runner.server.connections:
                connection.force_close()
