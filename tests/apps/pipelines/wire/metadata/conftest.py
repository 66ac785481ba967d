"""The metadata store over a database of its own, and callers who may read some namespaces."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from windlass.apps.pipelines.rows import open_database
from windlass.apps.pipelines.rows.database import Database
from windlass.apps.pipelines.wire.metadata.api import MetadataApi
from windlass.apps.pipelines.wire.metadata.methods import READS
from windlass.formats.protobuf_messages import decode, encode
from windlass.kube.client import Client


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the tables, which take half a second to make."""
    path = tmp_path_factory.mktemp("metadata") / "pipelines.db"

    async def make() -> None:
        await (await open_database(f"sqlite:///{path}")).close()

    asyncio.run(make())
    return path


@pytest.fixture
async def database(empty_database: Path, tmp_path: Path) -> AsyncIterator[Database]:
    shutil.copy(empty_database, tmp_path / "pipelines.db")
    database = await open_database(f"sqlite:///{tmp_path}/pipelines.db")
    yield database
    await database.close()


@dataclass
class ReadingCaller:
    namespaces: Collection[str]
    user: str = "anna@example.com"
    asked: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    @property
    def client(self) -> Client:
        raise AssertionError("the metadata store reads no objects")

    async def allows(self, verb: str, group: str, resource: str, namespace: str, name: str = "") -> bool:
        self.asked.append((verb, group, resource, namespace))
        return namespace in self.namespaces

    async def own_namespaces(self) -> list[str]:
        return []


@dataclass
class Reader:
    """Calls the store as a client does, message by message."""

    database: Database
    caller: ReadingCaller

    def may_read(self, *namespaces: str) -> "Reader":
        return Reader(self.database, ReadingCaller(namespaces))

    async def call(self, method: str, namespace: str = "", **request: Any) -> Any:
        async def opened() -> Database:
            return self.database

        known = READS[method]
        message = encode(known.request, request)
        return decode(known.response, await MetadataApi(opened).answer(method, message, self.caller, namespace))


@pytest.fixture
def reader(database: Database) -> Reader:
    return Reader(database, ReadingCaller(("team",)))
