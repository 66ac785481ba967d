"""Errors of the data file, by audience.

Errors of clients (`ApiError`s, which the HTTP layer returns):

    Compacted       410   that revision's history is gone: list again
    StorageFull     507   nothing was written; works again once there is room
    StorageFailed   500   the disk refused; works again once it does not

Errors of the operator (`StoreError`s: one line that says what to do):

    StoreTooNew     the file was written by a newer Windlass
    StoreCorrupt    the file is damaged, or is no Windlass data file
    StoreInUse      another server has it open
    StoreUnusable   it cannot be opened: no permission, no such directory, a read-only disk …
"""

from pathlib import Path

from windlass.kube.errors import Expired, InsufficientStorage, InternalError


class Compacted(Expired):
    """The history from `requested` on is incomplete; it is complete from `compacted` on."""

    def __init__(self, requested: int, compacted: int) -> None:
        super().__init__(f"too old resource version: {requested} ({compacted})")
        self.requested = requested
        self.compacted = compacted


class StorageFull(InsufficientStorage):
    """The disk has no space for the write, which was not made."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"the disk that holds {path} is full: free some space and try again")


class StorageFailed(InternalError):
    """The disk refused the write. Writes that were not acknowledged are invisible to all readers."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"cannot write to {path}: {why}")


class StoreError(Exception):
    """The data file cannot be used; the message says why and what to do."""


class StoreTooNew(StoreError):
    def __init__(self, path: Path, found: int, known: int) -> None:
        super().__init__(
            f"{path} has data format {found}, and this Windlass knows formats up to {known}. "
            "Install the newer Windlass that wrote it, or use another --data-dir."
        )


class StoreCorrupt(StoreError):
    def __init__(self, path: Path, why: object) -> None:
        super().__init__(
            f"{path} is damaged or is not a Windlass data file ({why}). "
            "Restore a backup with `windlass restore`, or move the file away to start empty."
        )


class StoreInUse(StoreError):
    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is in use by another server. Stop it first, or use another --data-dir.")


class StoreUnusable(StoreError):
    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"cannot open {path}: {why}. Make room and the directory writable, or use another --data-dir.")
