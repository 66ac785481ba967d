"""A manager whose server is not up waits for it, says so, and can be stopped meanwhile."""

import asyncio
from collections.abc import Sequence

import pytest

from tests.kube.crew import CREW, a_crew, secrets
from tests.kube.foreign import ForeignServer
from tests.kube.live import until
from tests.support import Windlass
from windlass.kube import errors, reaching
from windlass.kube.client import Client
from windlass.kube.controller import AnyController
from windlass.kube.manager import run_manager
from windlass.kube.reaching import until_answered


async def test_controllers_that_the_server_must_be_asked_about_run_once_it_is_up(
    bare_server: Windlass, client: Client, room: str
) -> None:
    server, stop, reports = ForeignServer(bare_server), asyncio.Event(), list[str]()
    foreign = server.client()

    async def choose() -> Sequence[AnyController]:
        try:
            await foreign.served()
        except errors.ServiceUnavailable as error:
            reports.append(str(error))
            raise
        return [CREW]

    running = asyncio.create_task(run_manager(foreign, choose, namespace=room, stop=stop))
    try:
        await until(lambda: _has(reports))
        await server.start()
        await client.create(a_crew(room))
        await until(lambda: secrets(client, room))
    finally:
        stop.set()
        await running
        await server.stop()

    assert reports[0].startswith(f"the API server at {server.url} does not answer")


async def _has(reports: list[str]) -> bool:
    return bool(reports)


async def test_what_is_wrong_is_reported_until_the_answer_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "FIRST_PAUSE_SECONDS", 0.01)
    failures, reports = [errors.ServiceUnavailable("away"), errors.InternalError("starting")], list[str]()

    async def ask() -> str:
        if failures:
            raise failures.pop(0)
        return "here"

    assert await until_answered(ask, asyncio.Event(), reports.append) == "here"
    assert reports == ["away", "starting", ""]


async def test_a_refusal_that_would_stay_is_not_waited_out() -> None:
    async def ask() -> None:
        raise errors.Forbidden("no")

    with pytest.raises(errors.Forbidden):
        await until_answered(ask, asyncio.Event(), lambda _: None)


async def test_who_waits_can_be_stopped() -> None:
    stop = asyncio.Event()

    async def ask() -> None:
        stop.set()
        raise errors.ServiceUnavailable("away")

    assert await until_answered(ask, stop, lambda _: None) is None
