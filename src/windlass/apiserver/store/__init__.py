"""Storage: SQLite on disk, the current state in memory, and a watch on every change.

Start at `store.py`. `file.py` and `journal.py` define what is on disk, `committer.py` which of them a write goes to,
and `pace.py` on which thread; `writer.py` and `commit.py` write to SQLite, `state.py` is the state in memory,
`history.py` and `watch.py` read the past and the future, `compaction.py` removes old revisions, `backup.py` makes
copies.
"""

from windlass.apiserver.store.backup import restore
from windlass.apiserver.store.errors import (
    Compacted,
    StorageFailed,
    StorageFull,
    StoreCorrupt,
    StoreError,
    StoreInUse,
    StoreTooNew,
    StoreUnusable,
)
from windlass.apiserver.store.rows import Change, ChangeType, Key, Row
from windlass.apiserver.store.store import Store
from windlass.apiserver.store.watch import Watcher

__all__ = [
    "Change",
    "ChangeType",
    "Compacted",
    "Key",
    "Row",
    "StorageFailed",
    "StorageFull",
    "Store",
    "StoreCorrupt",
    "StoreError",
    "StoreInUse",
    "StoreTooNew",
    "StoreUnusable",
    "Watcher",
    "restore",
]
