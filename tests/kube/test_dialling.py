"""Connections for other protocols than HTTP have the credentials, and the name of the user, that requests have."""

import asyncio
from pathlib import Path

import pytest

from windlass.kube.client import Client
from windlass.kube.connect import by_address, by_socket
from windlass.kube.errors import ServiceUnavailable
from windlass.kube.testing import NOW, MemoryServer
from windlass.kube.transport import Request

ASKED = Request("GET", "/api/v1/x?a=b", accept="*/*", more_headers={"Sec-WebSocket-Key": "k"})


async def test_the_head_names_the_user_and_the_client() -> None:
    async def ignore(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(ignore, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        client = by_address(f"http://127.0.0.1:{port}/api/k8s", token="t").impersonating("ann", ["a", "b"])
        _, head = await client.dial(ASKED, "websocket", asyncio.Protocol)

    first, *lines = head.decode().split("\r\n")
    assert first == "GET /api/k8s/api/v1/x?a=b HTTP/1.1"
    assert set(lines) == {
        f"Host: 127.0.0.1:{port}",
        "Accept: */*",
        "Authorization: Bearer t",
        "Connection: Upgrade",
        "Impersonate-Group: a",
        "Impersonate-Group: b",
        "Impersonate-User: ann",
        "Sec-WebSocket-Key: k",
        "Upgrade: websocket",
        "",
    }


async def test_a_server_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    for client in (by_socket(tmp_path / "none"), by_socket(tmp_path / "none", restart_seconds=1)):
        with pytest.raises(ServiceUnavailable):
            await client.dial(ASKED, "websocket", asyncio.Protocol)


async def test_a_transport_that_cannot_says_so() -> None:
    with pytest.raises(ServiceUnavailable, match="opens no connections for websocket"):
        await Client(MemoryServer(lambda: NOW)).impersonating("ann").dial(ASKED, "websocket", asyncio.Protocol)
