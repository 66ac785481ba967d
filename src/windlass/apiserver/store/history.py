"""Reads from the log: the objects at a revision, and the changes after one.

Everything is read on the event loop in bounded pieces. A thread would not help: while the loop is busy a thread waits
for the interpreter far longer than these queries take.
"""

import sqlite3
from typing import Any

from windlass.apiserver.store.file import CREATED
from windlass.apiserver.store.rows import Change, ChangeType, Row, path_of

WINDOW = 512  # revisions that one query for changes looks at: 1 to 3 ms

# SQLite takes the bare column `change` from the row that has max(rev), and walks the index in order, so the cost is
# that of the page and not of the resource.
_AT = """
SELECT l.path, l.rev, l.created_rev, l.value
FROM (
    SELECT max(rev) AS newest, change FROM log
    WHERE resource = :resource AND path > :after AND path < :before AND rev <= :revision
    GROUP BY path HAVING change <> 3 ORDER BY path LIMIT :limit
) AS found CROSS JOIN log AS l ON l.rev = found.newest
"""

_COUNT_AT = """
SELECT count(*) FROM (
    SELECT max(rev), change FROM log
    WHERE resource = :resource AND path > :after AND path < :before AND rev <= :revision
    GROUP BY path HAVING change <> 3
)
"""

_CHANGES = """
SELECT l.path, l.change, l.rev, l.created_rev, l.value, p.rev, p.created_rev, p.value
FROM log AS l LEFT JOIN log AS p ON l.change <> 1 AND p.rev = (
    SELECT max(rev) FROM log WHERE resource = l.resource AND path = l.path AND rev < l.rev
)
WHERE l.rev > :since AND l.rev <= :until AND l.resource = :resource AND l.path > :after AND l.path < :before
ORDER BY l.rev
"""

_TYPES: dict[int, ChangeType] = {1: "ADDED", 2: "MODIFIED", 3: "DELETED"}

_ALWAYS_BEFORE, _ALWAYS_AFTER = "", "\U0010ffff"


def _bounds(namespace: str | None, after: tuple[str, str] | None) -> dict[str, Any]:
    """The open interval of paths: those of the namespace, after `after`."""
    low, high = (_ALWAYS_BEFORE, _ALWAYS_AFTER) if namespace is None else (f"{namespace}/", f"{namespace}0")
    if after is not None:
        low = max(low, path_of(*after))
    return {"after": low, "before": high}  # "0" is the character after "/"


def rows_at(
    connection: sqlite3.Connection,
    resource: str,
    namespace: str | None,
    revision: int,
    after: tuple[str, str] | None,
    limit: int | None,
) -> list[Row]:
    asked = _bounds(namespace, after) | {"resource": resource, "revision": revision, "limit": limit or -1}
    rows: list[Row] = []
    for path, rev, created_rev, value in connection.execute(_AT, asked):
        space, _, name = path.partition("/")
        rows.append(Row((resource, space, name), rev, created_rev, value))
    return rows


def count_at(
    connection: sqlite3.Connection, resource: str, namespace: str | None, revision: int, after: tuple[str, str] | None
) -> int:
    asked = _bounds(namespace, after) | {"resource": resource, "revision": revision}
    return int(connection.execute(_COUNT_AT, asked).fetchone()[0])


def changes(
    connection: sqlite3.Connection, resource: str, namespace: str | None, name: str | None, since: int, until: int
) -> list[Change]:
    """Read the changes of the resource's objects after `since` and not after `until`, oldest first."""
    asked = _bounds(namespace, None) | {"resource": resource, "since": since, "until": until}
    found: list[Change] = []
    for path, change, rev, created_rev, value, *before in connection.execute(_CHANGES, asked):
        space, _, own = path.partition("/")
        if name is not None and own != name:
            continue
        key = (resource, space, own)
        previous = None if change == CREATED or before[0] is None else Row(key, *before)
        found.append(Change(_TYPES[change], key, rev, Row(key, rev, created_rev, value), previous))
    return found
