"""The tables and their migrations."""

import asyncio
import stat
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection
from sqlalchemy.dialects import mysql
from sqlalchemy.schema import CreateTable

from windlass.apps.pipelines.model import Pipeline, PipelineVersion, Record
from windlass.apps.pipelines.rows import open_database
from windlass.apps.pipelines.rows.database import Database
from windlass.apps.pipelines.rows.errors import DatabaseError
from windlass.apps.pipelines.rows.migrate import HEAD, SCRIPTS
from windlass.apps.pipelines.rows.tables import METADATA, TABLE_OF
from windlass.apps.pipelines.samples import SAMPLES, sample_records


@pytest.mark.parametrize("type", TABLE_OF, ids=lambda type: type.__name__)
def test_each_field_of_a_record_has_a_column(type: type[Record]) -> None:
    assert set(type.__struct_fields__) <= set(TABLE_OF[type].c.keys())


def test_head_is_the_newest_revision() -> None:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))

    assert ScriptDirectory.from_config(config).get_current_head() == HEAD


def context(connection: Connection) -> MigrationContext:
    """Types are not compared: PostgreSQL does not say that a text column holds JSON."""
    return MigrationContext.configure(connection, opts={"compare_type": False})


async def test_the_migrations_make_the_declared_tables(database: Database) -> None:
    differences = await database.connections.read(lambda connection: compare_metadata(context(connection), METADATA))

    assert differences == []


async def test_two_processes_open_an_empty_database_at_once(database_url: str) -> None:
    databases = await asyncio.gather(*(open_database(database_url) for _ in range(4)))

    for database in databases:
        assert await database.unfinished_runs() == []
        await database.close()


async def test_the_first_records_are_inserted_once_and_stay_deleted(database_url: str) -> None:
    databases = await asyncio.gather(*(open_database(database_url, sample_records) for _ in range(3)))
    names = [pipeline.name for pipeline in await databases[0].find(Pipeline)]
    assert sorted(names) == sorted(SAMPLES)
    versions = await databases[0].find(PipelineVersion)
    assert sorted(version.name for version in versions) == sorted(names)

    for pipeline in await databases[0].find(Pipeline):
        await databases[0].delete(Pipeline, pipeline.pipeline_id)
    again = await open_database(database_url, sample_records)

    assert await again.find(Pipeline) == []
    for database in (*databases, again):
        await database.close()


async def test_a_sqlite_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    database = await open_database(f"sqlite:///{tmp_path}/new/pipelines.db")
    await database.unfinished_runs()

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new").iterdir()}
    await database.close()
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize("url", ["nonsense", "sqlite://", "sqlite:////proc/none/x.db", "nodatabase://host/x"])
async def test_a_url_that_cannot_be_used_is_refused_with_the_reason(url: str) -> None:
    with pytest.raises(DatabaseError, match="database of pipelines"):
        await open_database(url)


async def test_a_database_of_a_newer_release_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/pipelines.db"
    database = await open_database(url)
    await database.connections.write(
        lambda connection: connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    )
    await database.close()

    with pytest.raises(DatabaseError, match="newer"):
        await open_database(url)


def test_the_tables_can_be_made_on_mariadb() -> None:
    """Also where no server is installed: names are quoted, and keys short enough for its indexes."""
    limit = 3072  # bytes of a key in InnoDB
    for table in METADATA.sorted_tables:
        assert str(CreateTable(table).compile(dialect=mysql.dialect()))
        for index in table.indexes:
            assert sum(4 * (getattr(column.type, "length", None) or 8) for column in index.columns) <= limit
