"""A server without controllers for the tests of admission, a webhook, and a namespace in which pods can be made."""

from collections.abc import Iterator

import pytest

from tests.apiserver.webhook_server import WebhookServer, serving
from tests.support import Windlass, running


@pytest.fixture(scope="session")
def hook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebhookServer]:
    with serving(tmp_path_factory.mktemp("webhook"), "hook.default.svc") as server:
        yield server


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory, hook: WebhookServer) -> Iterator[Windlass]:
    """It ends before the webhook, so that no connection is left open between them."""
    with running(tmp_path_factory.mktemp("admission")) as windlass:
        yield windlass


@pytest.fixture
def room(bare: Windlass) -> str:
    made = bare.create("/api/v1/namespaces", {"metadata": {"generateName": "room-"}})
    name = made["metadata"]["name"]
    bare.create(f"/api/v1/namespaces/{name}/serviceaccounts", {"metadata": {"name": "default"}})
    return name
