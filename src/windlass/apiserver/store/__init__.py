"""Where objects are kept: SQLite on disk, the current state in memory, and a watch on every change.

Start at `store.py`. `file.py` and `journal.py` say what is on disk, `committer.py` which of them a write goes to, and
`pace.py` on which thread; `writer.py` and `commit.py` how it gets into SQLite, `state.py` what is in memory,
`history.py` and `watch.py` how the past and the future are read, `compaction.py` how the past is forgotten, `backup.py`
how copies are made.
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
