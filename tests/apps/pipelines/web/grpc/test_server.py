"""The gRPC server for pods, asked by Google's own client."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import grpc.aio
import pytest

from windlass.apps.pipelines.web.grpc.server import GrpcServer
from windlass.apps.pipelines.wire.errors import NotFound, Unauthenticated, Unimplemented
from windlass.formats.protobuf_messages import decode
from windlass.formats.protobuf_well_known import STATUS
from windlass.gateway.request import Http2Request

SERVICE = "some.Service"
LIMIT = 4 << 20


async def identify(request: Http2Request) -> str:
    if request.headers.get("authorization") == "nobody":
        raise Unauthenticated("who are you?")
    return request.headers.get("authorization", "")


async def answer(caller: str, service: str, method: str, message: bytes) -> bytes:
    if service != SERVICE:
        raise Unimplemented(f"unknown service {service}")
    match method:
        case "Refuse":
            raise NotFound("nothing here: é")
        case "Fail":
            raise RuntimeError("a bug")
        case "Large":
            return bytes(3 << 20)
        case "Wait":
            await asyncio.Event().wait()
    return caller.encode() + message


def talk(message: bytes) -> bytes:
    if message == b"stop":
        raise NotFound("no more")
    return message.upper()


@pytest.fixture
async def channel() -> AsyncIterator[grpc.aio.Channel]:
    server = GrpcServer(identify, answer, LIMIT, {f"/{SERVICE}/Talk": talk})
    listener = await asyncio.get_running_loop().create_server(server.connection, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield channel
    server.close()
    listener.close()


async def call(
    channel: grpc.aio.Channel, method: str, message: bytes = b"", metadata: tuple[tuple[str, str], ...] = ()
) -> bytes:
    return await channel.unary_unary(method if "/" in method else f"/{SERVICE}/{method}")(
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
    status, message = await refused(channel, "Echo", bytes(LIMIT + 1))
    assert (status, "4 MiB" in message) == (grpc.StatusCode.RESOURCE_EXHAUSTED, True)
    assert (await refused(channel, "/other.Service/Echo"))[0] is grpc.StatusCode.UNIMPLEMENTED


async def test_a_refusal_has_its_status_as_a_message_too(channel: grpc.aio.Channel) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call(channel, "Refuse")

    trailers: Any = dict(error.value.trailing_metadata())
    status = decode(STATUS, trailers["grpc-status-details-bin"])
    assert (status["code"], status["message"]) == (5, "nothing here: é")
    (detail,) = status["details"]
    assert detail["type_url"] == "type.googleapis.com/google.rpc.Status"
    assert decode(STATUS, detail["value"]) == {"code": 5, "message": "nothing here: é", "details": []}


async def test_nobody_is_refused_before_the_message_is_read(channel: grpc.aio.Channel) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call(channel, "Echo", bytes(LIMIT + 1), metadata=(("authorization", "nobody"),))

    assert error.value.code() is grpc.StatusCode.UNAUTHENTICATED


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


async def test_a_dialog_is_answered_message_by_message(channel: grpc.aio.Channel) -> None:
    dialog: Any = channel.stream_stream(f"/{SERVICE}/Talk")(timeout=20)
    answers: list[bytes] = []
    for message in (b"a", b"", b"b" * 300_000):
        await dialog.write(message)
        answers.append(await dialog.read())
    await dialog.done_writing()

    assert answers == [b"A", b"", b"B" * 300_000]
    assert await dialog.read() == grpc.aio.EOF  # pyright: ignore[reportAttributeAccessIssue] - missing in its stubs
    assert await dialog.code() is grpc.StatusCode.OK


async def test_a_dialog_ends_with_a_refusal(channel: grpc.aio.Channel) -> None:
    for message, code in ((b"stop", grpc.StatusCode.NOT_FOUND), (bytes(LIMIT), grpc.StatusCode.RESOURCE_EXHAUSTED)):
        dialog: Any = channel.stream_stream(f"/{SERVICE}/Talk")(timeout=20)
        await dialog.write(b"a")
        assert await dialog.read() == b"A"
        await dialog.write(message)
        assert await dialog.code() is code
