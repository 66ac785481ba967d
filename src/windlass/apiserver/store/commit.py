"""Appends a batch of writes to the log: one transaction and one fsync, whatever the size of the batch."""

import sqlite3
from typing import Any, TypeAlias

Entry: TypeAlias = tuple[int, str, str, int, int, bytes]
"""A row of `log`: rev, resource, path, change, created_rev, value."""

MAX_ROWS = 64  # rows in one statement

# One statement for the whole batch: the thread then asks for the interpreter once and not once a row, which on a busy
# server is what takes the time.
_INSERTS = [
    "",
    *(f"INSERT INTO log VALUES {', '.join(['(?, ?, ?, ?, ?, ?)'] * rows)}" for rows in range(1, MAX_ROWS + 1)),
]


def append(connection: sqlite3.Connection, entries: list[Entry], discard_after: int | None) -> None:
    """Write the rows; all are durable when this returns, or none is written.

    `discard_after`: a commit after that revision has failed. Whether it reached the disk is unknown, and its authors
    got an error, so rows after that revision are deleted first.
    """
    if len(entries) <= MAX_ROWS and discard_after is None:
        connection.execute(_INSERTS[len(entries)], _flat(entries))  # commits by itself
        return
    connection.execute("BEGIN IMMEDIATE")
    if discard_after is not None:
        connection.execute("DELETE FROM log WHERE rev > ?", (discard_after,))
    for start in range(0, len(entries), MAX_ROWS):
        piece = entries[start : start + MAX_ROWS]
        connection.execute(_INSERTS[len(piece)], _flat(piece))
    connection.execute("COMMIT")


def _flat(entries: list[Entry]) -> list[Any]:
    return [value for entry in entries for value in entry]
