"""Asking a pod through the server's proxy: whatever it answers, and when it does not."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.support import free_port
from windlass.apis.core_v1 import Pod, ServiceAccount
from windlass.kube.api import PodAnswer
from windlass.kube.client import Client
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta

POD = KINDS.of(Pod)


@pytest.fixture
async def pod(client: Client, room: str) -> Key:
    """A pod whose address is this machine."""
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    spec: Any = {"containers": [{"name": "c", "image": "i"}]}
    key = Key(room, "p")
    await client.create(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": room}, "spec": spec}, kind=POD
    )
    await client.set_status(POD, key, {"podIP": "127.0.0.1", "podIPs": [{"ip": "127.0.0.1"}]})
    return key


@asynccontextmanager
async def answering(reply: Callable[[bytes], bytes]) -> AsyncIterator[int]:
    """Something that listens; the port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(reply(await reader.readuntil(b"\r\n\r\n")))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def http(code: int, body: bytes = b"") -> Callable[[bytes], bytes]:
    return lambda _: b"HTTP/1.1 %d Some\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (code, len(body), body)


@pytest.mark.parametrize("code", [200, 302, 404, 500, 503])
async def test_an_answer_comes_with_its_code(client: Client, pod: Key, code: int) -> None:
    async with answering(http(code, b"whatever")) as port:
        assert await client.ask_pod(pod, port, "/", {}) == PodAnswer(is_listening=True, code=code)


async def test_a_pod_that_answers_nested_json_listens(client: Client, pod: Key) -> None:
    async with answering(http(500, b'{"kind":' * 5_000)) as port:
        assert await client.ask_pod(pod, port, "/", {}) == PodAnswer(is_listening=True, code=500)


async def test_path_and_headers_go_to_the_pod(client: Client, pod: Key) -> None:
    asked: list[bytes] = []

    def reply(request: bytes) -> bytes:
        asked.append(request)
        return http(200)(request)

    async with answering(reply) as port:
        await client.ask_pod(pod, port, "/is/it ready", {"X-Who": "me"})

    [request] = asked
    assert request.startswith(b"GET /is/it%20ready HTTP/1.1\r\n")
    assert b"x-who: me\r\n" in request.lower()


@pytest.mark.parametrize("said", [b"\x00\x00\x12\x04\x00\x00\x00\x00\x00", b"", b"-ERR unknown command\r\n"])
async def test_what_speaks_no_http_listens_all_the_same(client: Client, pod: Key, said: bytes) -> None:
    async with answering(lambda _: said) as port:
        assert await client.ask_pod(pod, port, "/", {}) == PodAnswer(is_listening=True)


async def test_where_nobody_listens_and_where_there_is_no_pod_nobody_answers(client: Client, pod: Key) -> None:
    nobody = free_port()

    assert await client.ask_pod(pod, nobody, "/", {}) == PodAnswer(is_listening=False)
    assert await client.ask_pod(Key(pod.namespace, "gone"), nobody, "/", {}) == PodAnswer(is_listening=False)
