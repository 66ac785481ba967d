"""Writes a tar of everything in a data directory that cannot be recreated, while the server runs."""

import io
import os
import re
import sqlite3
import tarfile
import tempfile
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import msgspec

from windlass import __version__
from windlass.apiserver.store.backup import copy_to
from windlass.kube.json import BadJson, parse_as
from windlass.supervisor.datadir import LAYOUT, DataDir, write_atomically

ITEMS = ("pki", "credentials", "kubeconfig", "users.yaml", "gateway", "pipelines")
"""In addition to store.db; `restore` restores the same."""
DATED_NAME = re.compile(r"windlass-\d{8}T\d{6}Z\.tar")
"""Files that `dated_name` has named; their names are in the order of their times."""
COPIED = frozenset({"gateway", "pipelines"})
"""Folders of a SQLite database each, which may be written to meanwhile."""


class Manifest(msgspec.Struct, frozen=True):
    """The first member of the archive, `backup.json`: its format and the version that wrote it."""

    windlass: str
    layout: int
    taken: float
    kind: str = "WindlassBackup"


class BackupRecord(msgspec.Struct, frozen=True):
    """A backup that was written."""

    path: str
    taken: float
    size: int


def write_backup(data: DataDir, file: Path) -> int:
    """Write the archive, which appears under its name when it is complete and on disk; return its size."""
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}.") as folder:
        copy, partial = Path(folder) / "store.db", Path(folder) / "backup.tar"
        copy_to(data.store, copy)
        for database in (data.gateway / "gateway.db", data.pipelines):
            _copy_database(database, Path(folder) / database.parent.name)
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as raw:  # noqa: PTH123 - of an fd
            with tarfile.open(fileobj=raw, mode="w") as tar:
                _add_bytes(tar, "backup.json", msgspec.json.encode(Manifest(__version__, LAYOUT, time.time())))
                tar.add(copy, "store.db")
                for name in ITEMS:
                    source = (Path(folder) if name in COPIED else data.root) / name
                    if source.exists():
                        tar.add(source, name)
            raw.flush()
            os.fsync(raw.fileno())
        partial.replace(file)
    size = file.stat().st_size
    record = BackupRecord(str(file.absolute()), time.time(), size)
    write_atomically(data.last_backup, msgspec.json.encode(record), mode=0o600, durable=False)
    return size


def dated_name(seconds: float) -> str:
    """The name of a backup taken at a time since 1970."""
    return f"windlass-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(seconds))}.tar"


def surplus_backups(names: Iterable[str], keep: int) -> list[str]:
    """The dated backups beyond the newest `keep`, the oldest first; 0 keeps all. Files of other names are kept."""
    dated = sorted(name for name in names if DATED_NAME.fullmatch(name))
    return dated[:-keep] if keep else []


def prune_backups(data: DataDir, keep: int) -> list[Path]:
    """Delete surplus backups of the data directory; return what was deleted."""
    surplus = [data.backups / name for name in surplus_backups((file.name for file in data.backups.iterdir()), keep)]
    for file in surplus:
        file.unlink(missing_ok=True)
    return surplus


def newest_backup(data: DataDir) -> BackupRecord | None:
    """What is known of the newest backup; None if none was written."""
    try:
        return parse_as(data.last_backup.read_bytes(), BackupRecord)
    except (OSError, BadJson):
        return None


def _copy_database(source: Path, folder: Path) -> None:
    """Copy a database into `folder` in one consistent file, if there is one."""
    if source.exists():
        folder.mkdir(mode=0o700)
        copy = folder / source.name
        os.close(os.open(copy, os.O_CREAT | os.O_WRONLY, 0o600))
        with closing(sqlite3.connect(source, timeout=10)) as origin, closing(sqlite3.connect(copy)) as made:
            origin.backup(made)
            made.execute("PRAGMA journal_mode = DELETE").fetchall()


def _add_bytes(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = len(content), 0o600, int(time.time())
    tar.addfile(member, io.BytesIO(content))
