"""The gRPC health check against gRPC's own server and health service."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from tests.node.probes.servers import HOST, closed_port, raw_server, says_nothing, target
from windlass.node.probes.checks import check

LONG = "a.long.name." * 20
PATIENT = {"timeoutSeconds": 60}
Servicer = health_pb2_grpc.HealthServicer


@contextlib.asynccontextmanager
async def serving(servicer: Servicer | None) -> AsyncIterator[int]:
    server = grpc.aio.server()
    if servicer is not None:
        health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    port = server.add_insecure_port(f"{HOST}:0")
    await server.start()
    try:
        yield port
    finally:
        await server.stop(None)


@pytest.mark.parametrize(
    ("service", "message"),
    [
        (None, None),
        ("", None),
        ("up", None),
        (LONG, None),
        ("down", 'service unhealthy (responded with "NOT_SERVING")'),
        ("who", 'service unhealthy (responded with "UNKNOWN")'),
        ("nobody", "error: health rpc probe failed: rpc error: code = NotFound desc = "),
    ],
)
async def test_a_service_that_serves_is_well_and_another_is_reported(service: str | None, message: str | None) -> None:
    states = health_pb2.HealthCheckResponse
    servicer = health.aio.HealthServicer()  # pyright: ignore[reportAttributeAccessIssue] - set by its __init__
    for name in ("", "up", LONG):
        await servicer.set(name, states.SERVING)
    await servicer.set("down", states.NOT_SERVING)
    await servicer.set("who", states.UNKNOWN)
    async with serving(servicer) as port:
        answer = await check({"grpc": {"port": port, "service": service}, **PATIENT}, target())

    assert answer == message


async def test_a_server_without_the_health_service_is_reported() -> None:
    async with serving(None) as port:
        answer = await check({"grpc": {"port": port}, **PATIENT}, target())

    said = "error: this server does not implement the grpc health protocol (grpc.health.v1.Health)"
    assert answer == f"{said}: Method not found!"


async def test_the_server_is_reported_who_asks_whom() -> None:
    seen: dict[str, Any] = {}

    class Noting(Servicer):
        async def Check(self, request: Any, context: Any) -> Any:
            seen.update(context.invocation_metadata())
            await context.abort(grpc.StatusCode.PERMISSION_DENIED, "not you, 50 % of the time")

    async with serving(Noting()) as port:
        answer = await check({"grpc": {"port": port}, **PATIENT}, target())

    desc = "code = PermissionDenied desc = not you, 50 % of the time"
    assert answer == f"error: health rpc probe failed: rpc error: {desc}"
    assert seen["user-agent"] == "kube-probe/1.35"


async def test_a_health_check_that_takes_too_long_is_reported() -> None:
    class Slow(Servicer):
        async def Check(self, request: Any, context: Any) -> Any:
            await asyncio.Event().wait()

    async with serving(Slow()) as port:
        answer = await check({"grpc": {"port": port}, "timeoutSeconds": 1}, target())

    assert answer == "timeout: health rpc did not complete within 1s"


async def test_nobody_listening_and_nobody_answering_are_reported() -> None:
    port = closed_port()
    refused = f"dial tcp {HOST}:{port}: connect: connection refused"
    answer = await check({"grpc": {"port": port}, **PATIENT}, target())
    assert answer == f'error: failed to connect service at "{HOST}:{port}": {refused}'

    async def never(host: str, port: int) -> Any:
        await asyncio.Event().wait()

    found = target()
    found.dial = never
    answer = await check({"grpc": {"port": 80}, "timeoutSeconds": 0.05}, found)
    assert answer == f'timeout: failed to connect service "{HOST}:80" within 0s: context deadline exceeded'


async def test_a_server_of_another_kind_is_reported() -> None:
    async def http_1(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65536)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")

    async def closes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)

    for talk in (http_1, closes):
        async with raw_server(talk) as port:
            answer = await check({"grpc": {"port": port}, **PATIENT}, target())
        assert answer is not None
        said = "error: health rpc probe failed: rpc error: code = Unavailable desc = error reading from server: "
        assert answer.startswith(said)
    async with raw_server(says_nothing) as port:
        answer = await check({"grpc": {"port": port}, "timeoutSeconds": 0.05}, target())
    assert answer == "timeout: health rpc did not complete within 0s"
