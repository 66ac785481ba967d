"""Replaces the data directory by a backup, completely or not at all.

The archive is unpacked and verified in `restore.partial`. Renaming that to `restore.ready` commits the restore; the
rest only moves files into place, and the next start continues it if it was interrupted (`finish_restore`).
"""

import shutil
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

from windlass.apiserver.store import StoreError, StoreTooNew
from windlass.apiserver.store import restore as restore_store
from windlass.apiserver.store.file import check_format
from windlass.kube.json import BadJson, parse_as
from windlass.supervisor.backup import ITEMS, Manifest
from windlass.supervisor.datadir import LAYOUT, DataDir
from windlass.supervisor.errors import SupervisorError


def unpack(file: Path, data: DataDir) -> None:
    partial, ready = data.root / "restore.partial", data.pending_restore
    shutil.rmtree(partial, ignore_errors=True)
    try:
        with tarfile.open(file) as tar:
            check_manifest(tar, file)
            extract(tar, partial)
        check_database(partial / "store.db", file)
    except FileNotFoundError as error:
        raise SupervisorError(f"{file} does not exist") from error
    except (tarfile.TarError, OSError, EOFError) as error:
        raise SupervisorError(f"{file} cannot be read as a backup: {error}") from error
    else:
        partial.rename(ready)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def extract(tar: tarfile.TarFile, folder: Path) -> None:
    """Extract only files and directories below `folder`, as `filter="data"` does, which needs Python 3.11.4."""
    for member in tar:
        name = Path(member.name)
        if name.is_absolute() or ".." in name.parts or not (member.isdir() or member.isfile()):
            raise tarfile.ExtractError(f"{member.name} must not be in a backup")
        target = folder / name
        (target if member.isdir() else target.parent).mkdir(mode=0o700, parents=True, exist_ok=True)
        content = tar.extractfile(member)
        if content is not None:
            with target.open("wb") as file:
                shutil.copyfileobj(content, file)
            target.chmod(member.mode & 0o755 | 0o600)


def check_manifest(tar: tarfile.TarFile, file: Path) -> None:
    try:
        member = tar.extractfile("backup.json")
        manifest = parse_as(member.read() if member else b"", Manifest)
    except (KeyError, BadJson) as error:
        raise SupervisorError(f"{file} is not a Windlass backup") from error
    if manifest.layout > LAYOUT:
        raise SupervisorError(
            f"{file} was taken by Windlass {manifest.windlass}, which is newer. Upgrade Windlass first"
        )


def check_database(database: Path, file: Path) -> None:
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            check_format(database, connection)
            verdict = connection.execute("PRAGMA integrity_check").fetchone()[0]
    except StoreTooNew as error:
        raise SupervisorError(f"the store in {file} was written by a newer Windlass. Upgrade Windlass first") from error
    except (sqlite3.Error, StoreError) as error:
        raise SupervisorError(f"the store in {file} is damaged: {error}") from error
    if verdict != "ok":
        raise SupervisorError(f"the store in {file} is damaged: {verdict}")


def finish_restore(data: DataDir) -> None:
    """Move a committed restore into place; safe to repeat. The caller holds the lock."""
    ready = data.pending_restore
    if not ready.is_dir():
        return
    if (ready / "store.db").exists():
        try:
            restore_store(ready / "store.db", data.store)
        except StoreError as error:
            raise SupervisorError(str(error)) from error
        (ready / "store.db").unlink()
    for name in ITEMS:
        if (ready / name).exists():
            _remove(data.root / name)
            (ready / name).rename(data.root / name)
    shutil.rmtree(ready)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
