"""What counts as a hook that went well."""

import asyncio
import time

import pytest
from aiohttp import web

from tests.node.probes.servers import HOST, closed_port, raw_server, says_nothing, target, web_server
from windlass.node.probes import hooks
from windlass.node.probes.hooks import run_hook


@pytest.mark.parametrize(
    ("code", "output", "message"),
    [(0, b"said", None), (2, b"no way\n", "command 'sh -c x' exited with 2: no way\n")],
)
async def test_a_command_must_end_with_0(code: int, output: bytes, message: str | None) -> None:
    async def run(command: list[str]) -> tuple[int, bytes]:
        assert command == ["sh", "-c", "x"]
        return code, output

    assert await run_hook({"exec": {"command": ["sh", "-c", "x"]}}, target(run)) == message


async def test_a_command_that_cannot_be_run_has_failed() -> None:
    async def run(command: list[str]) -> tuple[int, bytes]:
        raise OSError("gone")

    assert await run_hook({"exec": {"command": ["x"]}}, target(run)) == "gone"


@pytest.mark.parametrize("status", [200, 404, 500])
async def test_any_answer_to_a_request_will_do(status: int) -> None:
    seen: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request.headers["User-Agent"])
        return web.Response(status=status)

    async with web_server(handler) as port:
        assert await run_hook({"httpGet": {"port": "web", "path": "/bye"}}, target(web=port)) is None

    assert seen == ["kube-lifecycle/1.35"]


async def test_a_request_without_an_answer_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    port = closed_port()
    refused = f'Get "http://{HOST}:{port}/": dial tcp {HOST}:{port}: connect: connection refused'
    assert await run_hook({"httpGet": {"port": port}}, target()) == refused
    unknown = 'strconv.Atoi: parsing "web": invalid syntax'
    assert await run_hook({"httpGet": {"port": "web"}}, target()) == unknown

    monkeypatch.setattr(hooks, "HTTP_TIMEOUT", 0.05)
    async with raw_server(says_nothing) as port:
        answer = await run_hook({"httpGet": {"port": port}}, target())
    assert answer is not None
    assert "context deadline exceeded" in answer


async def test_a_sleep_takes_its_time_and_can_be_cut_short() -> None:
    begun = time.monotonic()
    assert await run_hook({"sleep": {"seconds": 0.1}}, target()) is None
    assert time.monotonic() - begun >= 0.09

    task = asyncio.create_task(run_hook({"sleep": {"seconds": 3600}}, target()))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_tcp_handler_and_an_empty_one_do_nothing() -> None:
    assert await run_hook({"tcpSocket": {"port": closed_port()}}, target()) is None
    assert await run_hook({}, target()) is None
