"""Replaces a set of files atomically, like kubelet's atomic writer: a reader sees all old or all new files.

Files are in a timestamped folder; `..data` is a link to it that one rename swaps; the visible files (`key`) are links
to `..data/key`.
"""

import os
import secrets
import stat
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from windlass.node.volumes.owner import Owner
from windlass.node.volumes.removal import remove_tree

DATA, NEW_DATA = "..data", "..data_tmp"


class File(Struct, frozen=True):
    content: bytes
    mode: int
    user: int = 0


def write(folder: Path, files: dict[str, File], owner: Owner) -> bool:
    """Make `folder` contain exactly `files` (by relative path); False if it did already."""
    current = _current(folder)
    if current is not None and _shows(current, files, owner):
        return False
    _sweep(folder, keep=current)
    fresh = folder / f"..{datetime.now(UTC):%Y_%m_%d_%H_%M_%S}.{secrets.randbelow(10**9):09d}"
    try:
        _make(fresh, owner)
        for path, file in files.items():
            _write_file(fresh, path, file, owner)
        link = folder / NEW_DATA
        link.unlink(missing_ok=True)
        link.symlink_to(fresh.name)
        owner.own(link)
        link.rename(folder / DATA)
    except OSError:
        remove_tree(fresh)
        raise
    _link_names(folder, {path.split("/", 1)[0] for path in files}, owner)
    if current is not None:
        remove_tree(current)
    return True


def _current(folder: Path) -> Path | None:
    try:
        return folder / (folder / DATA).readlink()
    except OSError:
        return None


def _shows(current: Path, files: dict[str, File], owner: Owner) -> bool:
    there = {str(path.relative_to(current)): path for path in current.rglob("*") if path.is_file()}
    if there.keys() != files.keys():
        return False
    return all(
        stat.S_IMODE(path.lstat().st_mode) == owner.file_mode(files[name].mode)
        and path.read_bytes() == files[name].content
        for name, path in there.items()
    )


def _sweep(folder: Path, keep: Path | None) -> None:
    """Remove what an interrupted write left."""
    for entry in folder.iterdir():
        if entry.name.startswith("..2") and entry != keep and not entry.is_symlink():
            remove_tree(entry)


def _make(folder: Path, owner: Owner) -> None:
    folder.mkdir()
    owner.own(folder)
    folder.chmod(0o755)


def _write_file(fresh: Path, path: str, file: File, owner: Owner) -> None:
    target = fresh / path
    for parent in reversed(target.relative_to(fresh).parents[:-1]):
        if not (fresh / parent).is_dir():
            _make(fresh / parent, owner)
    opened = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(opened, "wb") as out:
        out.write(file.content)
        out.flush()
        owner.own(opened, file.user)
        os.fchmod(opened, owner.file_mode(file.mode))


def _link_names(folder: Path, names: set[str], owner: Owner) -> None:
    for name in names:
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(f"{DATA}/{name}")
            owner.own(folder / name)
    for entry in folder.iterdir():
        if entry.is_symlink() and entry.name not in names and entry.name != DATA:
            entry.unlink()
