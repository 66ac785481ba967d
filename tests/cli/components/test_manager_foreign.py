"""`windlass manager` against a cluster whose API server is away, goes away, or is slow to take the webhooks' CA."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.kube.foreign import ForeignServer, foreign_server
from tests.kube.live import bare_server, client, room, until
from tests.support import Windlass, free_port
from windlass.cli.components.manager import _run  # pyright: ignore[reportPrivateUsage] - the command without its process
from windlass.cli.failure import Failure
from windlass.cli.manager_settings import ManagerSettings
from windlass.kube import lease
from windlass.kube.client import Client
from windlass.kube.errors import NotFound

__all__ = ["bare_server", "client", "room"]


@pytest.fixture
def server(bare_server: Windlass) -> ForeignServer:
    return ForeignServer(bare_server)


def manager_of(server: ForeignServer, folder: Path, room: str, **more: Any) -> "asyncio.Task[None]":
    settings = ManagerSettings(
        kubeconfig=server.write_kubeconfig(folder / "kubeconfig"),
        data_dir=folder,
        enable_scheme=("volcano",),
        leader_election_namespace=room,
        metrics_bind_address="0",
        health_probe_bind_address="0",
        **more,
    )
    return asyncio.create_task(_run(settings, server_timeout=0.0))


@asynccontextmanager
async def stopped_at_the_end(manager: "asyncio.Task[None]") -> AsyncIterator[None]:
    try:
        yield
    finally:
        manager.cancel()
        await asyncio.wait([manager])


async def leads(client: Client, room: str) -> bool:
    try:
        found = await client.get(lease.LEASE, "windlass-manager", room)
    except NotFound:
        return False
    return bool(found["spec"]["holderIdentity"])


async def test_a_manager_waits_for_an_api_server_that_is_not_up_and_says_so(
    server: ForeignServer, client: Client, room: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    manager = manager_of(server, tmp_path, room)
    async with stopped_at_the_end(manager):
        await until(partial(_says, caplog, manager, "waiting for the API server again_in="))
        assert f"the API server at {server.url} does not answer" in caplog.text
        await server.start()
        await until(partial(leads, client, room))
    await server.stop()


async def _says(caplog: pytest.LogCaptureFixture, manager: "asyncio.Task[None]", text: str) -> bool:
    assert not manager.done(), manager.exception()
    return text in caplog.text


async def test_a_manager_whose_api_server_goes_away_says_that_the_lease_was_not_renewed(
    server: ForeignServer, client: Client, room: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "Terms", partial(lease.Terms, renew_within=3, retry_every=0.2))
    await server.start()
    manager = manager_of(server, tmp_path, room)
    async with stopped_at_the_end(manager):
        await until(partial(leads, client, room))
        await server.stop()

        with pytest.raises(Failure) as failure:
            await asyncio.wait_for(asyncio.shield(manager), 60)

    said = f"the lease {room}/windlass-manager could not be renewed for 3 s: the API server at {server.url} does not"
    assert failure.value.message.startswith(said)
    assert failure.value.message.endswith("This manager is no longer the leader, so it exits; start it again")


async def test_controllers_start_after_the_webhooks_are_trusted(
    bare_server: Windlass, client: Client, room: str, tmp_path: Path
) -> None:
    async with foreign_server(bare_server) as server:
        secrets, may_be_made = f"/api/v1/namespaces/{room}/secrets", asyncio.Event()
        server.held[secrets] = may_be_made
        manager = manager_of(server, tmp_path, room, webhook_port=free_port(), webhook_namespace=room)
        async with stopped_at_the_end(manager):
            await until(partial(_is_asked, server, "apis"))
            with suppress(TimeoutError):  # that something does not happen can only be waited for so long
                async with asyncio.timeout(1.0):
                    await until(partial(_is_asked, server, "queues"))
            may_be_made.set()
            await until(partial(_is_asked, server, "queues"))

    asked = [each.path for each in server.answered]
    watched = [number for number, path in enumerate(asked) if path.endswith("/queues")]
    assert asked.index(secrets) < watched[0]


async def _is_asked(server: ForeignServer, plural: str) -> bool:
    return bool(server.asked(plural))
