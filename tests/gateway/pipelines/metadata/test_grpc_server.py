"""The gRPC server for pods, asked by Google's own client."""

import asyncio
from collections.abc import AsyncIterator

import grpc
import grpc.aio
import pytest

from windlass.gateway.pipelines.metadata.frames import MAX_MESSAGE
from windlass.gateway.pipelines.metadata.grpc_server import GrpcServer
from windlass.gateway.request import Http2Request
from windlass.pipelines.wire.errors import NotFound

SERVICE = "/ml_metadata.MetadataStoreService/"


async def answer(request: Http2Request, method: str, message: bytes) -> bytes:
    match method:
        case "Refuse":
            raise NotFound("nothing here: é")
        case "Fail":
            raise RuntimeError("a bug")
        case "Large":
            return bytes(3 << 20)
        case "Wait":
            await asyncio.Event().wait()
    return request.headers.get("authorization", "").encode() + message


@pytest.fixture
async def channel() -> AsyncIterator[grpc.aio.Channel]:
    server = GrpcServer(answer)
    listener = await asyncio.get_running_loop().create_server(server.connection, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield channel
    server.close()
    listener.close()


async def call(
    channel: grpc.aio.Channel, method: str, message: bytes = b"", metadata: tuple[tuple[str, str], ...] = ()
) -> bytes:
    return await channel.unary_unary(method if "/" in method else SERVICE + method)(
        message, timeout=20, metadata=metadata
    )


async def refused(channel: grpc.aio.Channel, method: str, message: bytes = b"") -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call(channel, method, message)
    return error.value.code(), error.value.details() or ""


async def test_a_call_is_answered_with_its_metadata(channel: grpc.aio.Channel) -> None:
    metadata = (("authorization", "Bearer x"),)

    assert await call(channel, "Echo", b"hello", metadata=metadata) == b"Bearer xhello"
    assert await call(channel, "Echo") == b""


async def test_messages_may_be_larger_than_a_window(channel: grpc.aio.Channel) -> None:
    message = bytes(range(256)) * (8 << 10)

    assert await call(channel, "Echo", message) == message
    assert len(await call(channel, "Large")) == 3 << 20


async def test_many_calls_share_a_connection(channel: grpc.aio.Channel) -> None:
    answers = await asyncio.gather(*(call(channel, "Echo", str(number).encode()) for number in range(300)))

    assert [int(each) for each in answers] == list(range(300))


async def test_refusals_have_a_status_and_a_sentence(channel: grpc.aio.Channel) -> None:
    assert await refused(channel, "Refuse") == (grpc.StatusCode.NOT_FOUND, "nothing here: é")
    status, message = await refused(channel, "Echo", bytes(MAX_MESSAGE + 1))
    assert (status, "4 MiB" in message) == (grpc.StatusCode.RESOURCE_EXHAUSTED, True)
    assert (await refused(channel, "/other.Service/Echo"))[0] is grpc.StatusCode.UNIMPLEMENTED


async def test_a_bug_is_answered_without_its_details(
    channel: grpc.aio.Channel, caplog: pytest.LogCaptureFixture
) -> None:
    status, message = await refused(channel, "Fail")

    assert status is grpc.StatusCode.INTERNAL
    assert "a bug" not in message
    assert "a bug" in caplog.text


async def test_a_call_that_the_client_gives_up_ends(channel: grpc.aio.Channel) -> None:
    waiting = asyncio.create_task(call(channel, "Wait"))
    await call(channel, "Echo")
    waiting.cancel()

    assert await call(channel, "Echo", b"still there") == b"still there"
