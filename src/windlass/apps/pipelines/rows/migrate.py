"""Bring the tables to the newest revision when the database is opened.

Gateway and manager open the database at the same time: the first one migrates under a lock, the other waits for it.
"""

from functools import partial
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from windlass.apps.pipelines.rows import FirstRecords
from windlass.apps.pipelines.rows.connections import Connections
from windlass.apps.pipelines.rows.errors import DatabaseError
from windlass.apps.pipelines.rows.statements import insert_record

HEAD = "0003"
"""The newest revision; a database that is there needs no Alembic."""
LOCK = 0x57494E44
SCRIPTS = Path(__file__).parent / "migrations"


def migrate(connections: Connections, first_records: FirstRecords) -> None:
    if connections.transaction(revision, False) != HEAD:
        connections.transaction(partial(upgrade, first_records=first_records), True)


def revision(connection: Connection) -> str:
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or ""


def upgrade(connection: Connection, first_records: FirstRecords) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    take_lock(connection)
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        is_new = not revision(connection)
        command.upgrade(config, "head")
        for record in first_records() if is_new else ():
            insert_record(connection, record)
        commit_before_release(connection)
    except CommandError as error:
        raise DatabaseError(f"the database of pipelines was written by a newer Windlass: {error}") from error
    finally:
        release_lock(connection)


def take_lock(connection: Connection) -> None:
    """SQLite holds its lock since the transaction began; PostgreSQL's ends with the transaction."""
    match connection.dialect.name:
        case "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        case "mysql" | "mariadb":
            if connection.execute(text("SELECT GET_LOCK('windlass-pipelines', 300)")).scalar() != 1:
                raise DatabaseError("another process has been changing the tables of pipelines for five minutes")
        case _:
            pass


def commit_before_release(connection: Connection) -> None:
    """MariaDB's lock is not of the transaction: who gets it next must see the revision that was written."""
    if connection.dialect.name in ("mysql", "mariadb"):
        connection.execute(text("COMMIT"))


def release_lock(connection: Connection) -> None:
    """MariaDB commits with every change of a table, so its lock is the session's."""
    if connection.dialect.name in ("mysql", "mariadb"):
        connection.execute(text("SELECT RELEASE_LOCK('windlass-pipelines')"))
