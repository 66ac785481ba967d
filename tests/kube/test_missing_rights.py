"""A controller that may not do something is named in the log, also if it goes on without."""

import logging
from contextlib import suppress
from typing import Any

import pytest

from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.errors import NAMESPACE_TERMINATING, Cause, Forbidden
from windlass.kube.testing import NOW, MemoryServer
from windlass.kube.transport import requests_of

MAP: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "ml"}}


async def create(client: Client, *controllers: str) -> None:
    for controller in controllers:
        with requests_of(controller), suppress(errors.Forbidden):
            await client.create(MAP)


NO_RIGHT = 'configmaps is forbidden: User "ann" cannot create resource "configmaps" in API group ""'


def refusing(message: str = NO_RIGHT, *causes: Cause) -> MemoryServer:
    server = MemoryServer(lambda: NOW)
    server.refuse = lambda verb, obj: Forbidden(message, kind="configmaps", causes=list(causes))
    return server


async def test_a_refusal_is_logged_once_for_each_controller(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "windlass.kube.missing_rights"):
        await create(Client(refusing()), "trainer", "trainer", "jobset")

    assert [record.message.split(" path")[0] for record in caplog.records] == [
        "refused controller=trainer method=POST",
        "refused controller=jobset method=POST",
    ]


async def test_refusals_to_others_and_by_admission_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "windlass.kube.missing_rights"):
        await create(Client(refusing()), "")
        await create(Client(refusing("it is being terminated", Cause("", "it goes", NAMESPACE_TERMINATING))), "trainer")
        await create(Client(refusing('jobsets "a" is forbidden: JobSet name is too long')), "trainer")
        await create(Client(refusing()).impersonating("ann"), "trainer")

    assert caplog.records == []
