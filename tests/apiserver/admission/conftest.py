"""A server without controllers for the tests of admission, and a namespace in which pods can be made."""

from collections.abc import Iterator

import pytest
from tests.support import Windlass, running


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("admission")) as windlass:
        yield windlass


@pytest.fixture
def room(bare: Windlass) -> str:
    made = bare.create("/api/v1/namespaces", {"metadata": {"generateName": "room-"}})
    name = made["metadata"]["name"]
    bare.create(f"/api/v1/namespaces/{name}/serviceaccounts", {"metadata": {"name": "default"}})
    return name
