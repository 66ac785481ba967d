"""The tables of pipelines, on SQLite, PostgreSQL or MariaDB through SQLAlchemy.

`open_database` is all that others need to import: SQLAlchemy is loaded when the first database is opened.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from windlass.apps.pipelines.model import Record

if TYPE_CHECKING:
    from windlass.apps.pipelines.rows.database import Database

FirstRecords = Callable[[], Iterable[Record]]
"""What a new database contains."""


async def open_database(url: str, first_records: FirstRecords = tuple) -> "Database":
    """Open the database at a URL such as sqlite:////path/pipelines.db, with its tables up to date.

    Raises `errors.DatabaseError` if it cannot be reached or used.
    """
    return await asyncio.to_thread(open_now, url, first_records)


def open_now(url: str, first_records: FirstRecords = tuple) -> "Database":
    from windlass.apps.pipelines.rows.connections import Connections
    from windlass.apps.pipelines.rows.database import Database
    from windlass.apps.pipelines.rows.migrate import migrate

    connections = Connections(url)
    migrate(connections, first_records)
    return Database(connections)
