"""`httpGet`: statuses, redirects, headers, TLS, and what is said where there is no answer."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.node.probes.servers import HOST, closed_port, raw_server, says_nothing, self_signed, target, web_server
from windlass.kube.json import Object
from windlass.node.probes.checks import check


def get(port: int | str, path: str | None = None, **more: Any) -> Object:
    within = more.pop("within", 60)
    return {"httpGet": {"port": port, **({"path": path} if path else {}), **more}, "timeoutSeconds": within}


async def by_number(request: web.Request) -> web.Response:
    return web.Response(status=int(request.path[1:]))


@pytest.mark.parametrize(
    ("status", "well"),
    [
        *((status, True) for status in (200, 204, 226, 300, 302, 304, 399)),
        *((status, False) for status in (400, 404, 500, 503)),
    ],
)
async def test_every_status_from_200_to_399_is_well(status: int, well: bool) -> None:
    async with web_server(by_number) as port:
        answer = await check(get(port, f"/{status}"), target())

    assert answer == (None if well else f"HTTP probe failed with statuscode: {status}")


async def test_a_path_without_a_slash_a_query_and_letters_of_all_kinds_arrive() -> None:
    seen: list[str] = []

    async def note(request: web.Request) -> web.Response:
        seen.append(request.raw_path)
        return web.Response()

    async with web_server(note) as port:
        for path in (None, "ready", "/a?deep=1&b=%20", "/a b", "/é", "/%41"):
            assert await check(get("web", path), target(web=port)) is None

    assert seen == ["/", "/ready", "/a?deep=1&b=%20", "/a%20b", "/%C3%A9", "/%41"]


async def test_headers_are_those_of_kubelet_unless_the_manifest_says_otherwise() -> None:
    seen: list[dict[str, list[str]]] = []

    async def note(request: web.Request) -> web.Response:
        seen.append({name.title(): request.headers.getall(name) for name in request.headers})
        return web.Response()

    own = [("host", "me.example"), ("User-Agent", ""), ("Accept", ""), ("X-A", "1"), ("X-A", "2"), ("X-B", "")]
    async with web_server(note) as port:
        assert await check(get(port), target()) is None
        headers = [{"name": name, "value": value} for name, value in own]
        assert await check(get(port, httpHeaders=headers), target()) is None
        assert await check(get(port, httpHeaders=[{"name": "accept", "value": "text/plain"}]), target()) is None

    plain, given, accepting = seen
    assert plain == {
        "Host": [f"{HOST}:{port}"],
        "User-Agent": ["kube-probe/1.35"],
        "Accept": ["*/*"],
        "Connection": ["close"],
    }
    assert given == {
        "Host": ["me.example"],
        "User-Agent": [""],
        "X-A": ["1", "2"],
        "X-B": [""],
        "Connection": ["close"],
    }
    assert accepting["Accept"] == ["text/plain"]


async def test_redirects_are_followed_on_the_same_host_and_ten_requests_are_enough() -> None:
    asked: list[str] = []

    async def move(request: web.Request) -> web.Response:
        asked.append(request.path)
        match request.path:
            case "/once":
                return web.Response(status=301, headers={"Location": "/bad"})
            case "/away":
                return web.Response(status=307, headers={"Location": "http://elsewhere.example:1/"})
            case "/nowhere":
                return web.Response(status=308)
            case "/bad":
                return web.Response(status=500)
            case _:
                return web.Response(status=302, headers={"location": f"http://{HOST}:{port}/round"})

    async with web_server(move) as port:
        assert await check(get(port, "/once"), target()) == "HTTP probe failed with statuscode: 500"
        assert await check(get(port, "/away"), target()) is None
        assert await check(get(port, "/nowhere"), target()) is None
        assert asked == ["/once", "/bad", "/away", "/nowhere"]
        asked.clear()
        answer = await check(get(port, "/round"), target())

    assert answer == f'Get "http://{HOST}:{port}/round": stopped after 10 redirects'
    assert len(asked) == 10


async def test_https_takes_any_certificate(tmp_path: Path) -> None:
    async with web_server(by_number, self_signed(tmp_path)) as port:
        assert await check(get(port, "/200", scheme="HTTPS"), target()) is None
        assert await check(get(port, "/404", scheme="HTTPS"), target()) == "HTTP probe failed with statuscode: 404"


async def test_https_to_a_server_without_tls_is_reported() -> None:
    async with web_server(by_number) as port:
        answer = await check(get(port, "/200", scheme="HTTPS"), target())

    assert answer == f'Get "https://{HOST}:{port}/200": http: server gave HTTP response to HTTPS client'


async def test_nobody_listening_is_reported_as_go_does() -> None:
    port = closed_port()

    answer = await check(get(port, "/ready"), target())

    assert answer == f'Get "http://{HOST}:{port}/ready": dial tcp {HOST}:{port}: connect: connection refused'


@pytest.mark.parametrize("scheme", ["HTTP", "HTTPS"])
async def test_a_slow_answer_is_too_late(scheme: str) -> None:
    async with raw_server(says_nothing) as port:
        answer = await check(get(port, scheme=scheme, within=0.05), target())

    late = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    assert answer == f'Get "{scheme.lower()}://{HOST}:{port}/": {late}'


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (b"", "EOF"),
        (b"HTTP/1.1 200", "EOF"),
        (
            b"SSH-2.0-OpenSSH_9.6\r\n",
            'net/http: HTTP/1.x transport connection broken: malformed HTTP response "SSH-2.0-OpenSSH_9.6"',
        ),
        (b"HTTP/1.0 200 OK\r\n\r\nand so on until the end", None),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", None),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", None),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "statuscode: 101"),
    ],
)
async def test_what_is_not_an_answer_is_named(said: bytes, message: str | None) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(said)
        await writer.drain()

    async with raw_server(talk) as port:
        answer = await check(get(port), target())

    if message is None:
        assert answer is None
    elif message.startswith("statuscode"):
        assert answer == f"HTTP probe failed with {message}"
    else:
        assert answer == f'Get "http://{HOST}:{port}/": {message}'


async def test_an_answer_that_asks_for_patience_is_not_the_last() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for said in (b"HTTP/1.1 103 Early Hints\r\n\r\n", b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"):
            writer.write(said)
            await writer.drain()
            await asyncio.sleep(0.05)  # so that they arrive apart

    async with raw_server(talk) as port:
        assert await check(get(port), target()) == "HTTP probe failed with statuscode: 503"


async def test_a_server_can_finish_its_answer() -> None:
    """One that is cut off in the middle of its body would complain in the container's log."""
    finished = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
        await writer.drain()
        writer.write(b"def")
        await writer.drain()
        assert await reader.read() == b""
        finished.set()

    async with raw_server(talk) as port:
        assert await check(get(port), target()) is None
        await asyncio.wait_for(finished.wait(), 60)


async def test_an_answer_without_an_end_is_read_no_further_than_needed() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        with contextlib.suppress(OSError):
            while True:
                writer.write(b"x" * 4096)
                await writer.drain()

    async with raw_server(talk) as port:
        assert await check(get(port), target()) is None
