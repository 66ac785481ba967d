"""Appending a batch of writes to the log: one transaction, one fsync, whatever the size of the batch."""

import sqlite3
from typing import Any, TypeAlias

Entry: TypeAlias = tuple[int, str, str, int, int, bytes]
"""A row of `log`: rev, resource, path, change, created_rev, value."""

MOST = 64  # rows in one statement

# One statement for the whole batch: the thread then asks for the interpreter once and not once a row, which on a busy
# server is what takes the time.
_INSERTS = ["", *(f"INSERT INTO log VALUES {', '.join(['(?, ?, ?, ?, ?, ?)'] * rows)}" for rows in range(1, MOST + 1))]


def append(connection: sqlite3.Connection, entries: list[Entry], discard_after: int | None) -> None:
    """Write the rows; all are durable when this returns, or none is there.

    `discard_after`: a commit after that revision has failed. Whether it reached the disk is not known, and those who
    asked were told that it did not, so what may be there goes first.
    """
    if len(entries) <= MOST and discard_after is None:
        connection.execute(_INSERTS[len(entries)], _flat(entries))  # commits by itself
        return
    connection.execute("BEGIN IMMEDIATE")
    if discard_after is not None:
        connection.execute("DELETE FROM log WHERE rev > ?", (discard_after,))
    for start in range(0, len(entries), MOST):
        piece = entries[start : start + MOST]
        connection.execute(_INSERTS[len(piece)], _flat(piece))
    connection.execute("COMMIT")


def _flat(entries: list[Entry]) -> list[Any]:
    return [value for entry in entries for value in entry]
