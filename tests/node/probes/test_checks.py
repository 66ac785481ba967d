"""Commands, connections and ports: what a check answers, in kubelet's words."""

import asyncio
from typing import Any

import pytest

from tests.node.probes.servers import HOST, closed_port, raw_server, says_nothing, target
from windlass.node.probes.checks import MAX_OUTPUT, ProbeError, ProbeTarget, check


def executing(code: int, output: bytes = b"") -> ProbeTarget:
    async def run(command: list[str]) -> tuple[int, bytes]:
        assert command == ["cat", "/ready"]
        return code, output

    return target(run)


EXEC: dict[str, Any] = {"exec": {"command": ["cat", "/ready"]}}


async def test_a_command_that_ends_with_0_is_well_and_another_is_reported_by_its_output() -> None:
    assert await check(EXEC, executing(0, b"noise")) is None
    assert await check(EXEC, executing(1, b"cat: /ready: No such file\n")) == "cat: /ready: No such file\n"
    assert await check(EXEC, executing(3)) == ""
    assert await check(EXEC, executing(1, b"\xff")) == "\N{REPLACEMENT CHARACTER}"
    assert await check(EXEC, executing(1, b"x" * 20_000)) == "x" * MAX_OUTPUT


async def test_a_command_that_takes_too_long_is_ended_and_has_failed() -> None:
    ended = asyncio.Event()

    async def forever(command: list[str]) -> tuple[int, bytes]:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError

    answer = await check(EXEC | {"timeoutSeconds": 0.05}, target(forever))

    assert answer == 'command timed out: "cat /ready" timed out after 0s'
    assert ended.is_set()


async def test_a_command_has_one_second_unless_it_is_given_another_time() -> None:
    async def forever(command: list[str]) -> tuple[int, bytes]:
        await asyncio.Event().wait()
        raise AssertionError

    assert await check(EXEC, target(forever)) == 'command timed out: "cat /ready" timed out after 1s'


@pytest.mark.parametrize("error", [OSError("the sandbox is gone"), TimeoutError("the sandbox is gone")])
async def test_a_command_that_cannot_be_run_says_nothing_about_the_container(error: OSError) -> None:
    async def broken(command: list[str]) -> tuple[int, bytes]:
        raise error

    with pytest.raises(ProbeError, match="the sandbox is gone"):
        await check(EXEC, target(broken))


async def test_a_port_that_takes_connections_is_well() -> None:
    async with raw_server(says_nothing) as port:
        assert await check({"tcpSocket": {"port": port}}, target()) is None
        assert await check({"tcpSocket": {"port": str(port)}}, target()) is None
        assert await check({"tcpSocket": {"port": "web"}}, target(web=port)) is None
        assert await check({"tcpSocket": {"port": port, "host": "localhost"}}, target()) is None


async def test_a_port_that_nobody_listens_at_refuses() -> None:
    port = closed_port()

    answer = await check({"tcpSocket": {"port": port}}, target())

    assert answer == f"dial tcp {HOST}:{port}: connect: connection refused"


async def test_an_address_that_does_not_answer_times_out() -> None:
    async def never(host: str, port: int) -> Any:
        await asyncio.Event().wait()

    async def late(host: str, port: int) -> Any:
        raise TimeoutError("as the network says it")

    found = target()
    for found.dial in (never, late):
        answer = await check({"tcpSocket": {"port": 80}, "timeoutSeconds": 0.05}, found)
        assert answer == f"dial tcp {HOST}:80: i/o timeout"


@pytest.mark.parametrize(
    ("port", "message"),
    [
        ("web", 'strconv.Atoi: parsing "web": invalid syntax'),
        (None, 'strconv.Atoi: parsing "None": invalid syntax'),
        (0, "invalid port number: 0"),
        ("-1", "invalid port number: -1"),
        (65536, "invalid port number: 65536"),
    ],
)
@pytest.mark.parametrize("kind", ["tcpSocket", "httpGet", "grpc"])
async def test_a_port_that_there_is_not_says_nothing_about_the_container(kind: str, port: Any, message: str) -> None:
    with pytest.raises(ProbeError) as found:
        await check({kind: {"port": port}}, target(other=80))

    assert str(found.value) == message
