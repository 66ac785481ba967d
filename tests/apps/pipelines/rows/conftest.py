"""Every test of rows runs on SQLite, PostgreSQL and MariaDB; servers only by `make test-databases`."""

import os
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import sqlalchemy

from windlass.apps.pipelines.rows import open_database
from windlass.apps.pipelines.rows.connections import create_engine
from windlass.apps.pipelines.rows.database import Database

from . import servers


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="pg") as folder, servers.postgresql(Path(folder)) as url:
        yield url


@pytest.fixture(scope="session")
def mariadb() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="maria") as folder, servers.mariadb(Path(folder)) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql", "mariadb"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/pipelines.db"
    if not os.environ.get("TEST_DATABASES"):
        pytest.skip("database servers are tested by `make test-databases`")
    template: str = request.getfixturevalue(request.param)
    name = f"t{uuid.uuid4().hex}"
    engine = create_engine(template.format(name="postgres" if request.param == "postgresql" else ""))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sqlalchemy.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return template.format(name=name)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    database = await open_database(database_url)
    yield database
    await database.close()
