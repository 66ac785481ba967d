"""The tables of pipelines, on SQLite, PostgreSQL or MariaDB through SQLAlchemy.

`open_database` is all that others need to import: SQLAlchemy is loaded when the first database is opened.
"""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.pipelines.rows.database import Database


async def open_database(url: str) -> "Database":
    """Open the database at a URL such as sqlite:////path/pipelines.db, with its tables up to date.

    Raises `errors.DatabaseError` if it cannot be reached or used.
    """
    return await asyncio.to_thread(open_now, url)


def open_now(url: str) -> "Database":
    from windlass.pipelines.rows.connections import Connections
    from windlass.pipelines.rows.database import Database
    from windlass.pipelines.rows.migrate import migrate

    connections = Connections(url)
    migrate(connections)
    return Database(connections)
