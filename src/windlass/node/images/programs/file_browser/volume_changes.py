"""Changes of a volume's files: folders, moves, deletion with a bin, and uploads in pieces."""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from typing import Any, Protocol

from .volume_paths import Refused, Volume, exists, names_in, own_as_folder, remove_tree

BIN_SECONDS = 7 * 24 * 3600
"""How long deleted files and unfinished uploads are kept."""


class Body(Protocol):
    """The body of a request."""

    def read(self, size: int, /) -> bytes: ...


_ID = re.compile(r"[0-9a-f]{32}")
_PIECE = 1 << 20


def make_folder(volume: Volume, path: str) -> None:
    with volume.parent(path) as (folder, name):
        os.mkdir(name, 0o777, dir_fd=folder)
        own_as_folder(folder, name)


def move(volume: Volume, source: str, target: str) -> None:
    """Rename or move an entry; one that exists is not replaced."""
    with volume.parent(source) as (here, old), volume.parent(target) as (there, new):
        if exists(there, new):
            raise Refused(409, f"{target} exists already")
        os.rename(old, new, src_dir_fd=here, dst_dir_fd=there)


# --- the bin: each deletion is a folder with the entry and where it was


def delete(volume: Volume, path: str) -> str:
    """Move an entry to the bin; returns the id by which it is restored."""
    number = secrets.token_hex(16)
    with volume.parent(path) as (folder, name):
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        with volume.private("bin", number) as kept:
            _write_json(kept, "deleted.json", {"path": path, "at": int(time.time())})
            os.rename(name, "entry", src_dir_fd=folder, dst_dir_fd=kept)
    return number


def restore(volume: Volume, number: str) -> str:
    """Move an entry back to where it was; returns its path."""
    _check_id(number)
    with volume.private("bin") as folder:
        if not exists(folder, number):
            raise Refused(404, "it is not in the bin any more")
    with volume.private("bin", number) as kept:
        path = str(_read_json(kept, "deleted.json")["path"])
        with volume.parent(path, make=True) as (folder, name):
            if exists(folder, name):
                raise Refused(409, f"{path} exists again")
            os.rename("entry", name, src_dir_fd=kept, dst_dir_fd=folder)
    with volume.private("bin") as folder:
        remove_tree(folder, number)
    return path


def deleted_entries(volume: Volume) -> list[dict[str, Any]]:
    """Return what is in the bin, newest first."""
    found: list[dict[str, Any]] = []
    with volume.private("bin") as folder:
        numbers = [name for name in names_in(folder) if _ID.fullmatch(name)]
    for number in numbers:
        with volume.private("bin", number) as kept:
            if exists(kept, "entry"):
                found.append({"id": number, **_read_json(kept, "deleted.json")})
    return sorted(found, key=lambda entry: -int(entry["at"]))


def empty_bin(volume: Volume) -> None:
    with volume.private("bin") as folder:
        for name in names_in(folder):
            remove_tree(folder, name)


def remove_expired(volume: Volume) -> None:
    """Remove deleted files and unfinished uploads that nobody has asked for in a week."""
    oldest = time.time() - BIN_SECONDS
    for kind in ("bin", "uploads"):
        with volume.private(kind) as folder:
            for name in names_in(folder):
                if os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime < oldest:
                    remove_tree(folder, name)


# --- uploads


def start_upload(volume: Volume, path: str, size: int, *, replace: bool) -> dict[str, Any]:
    if size < 0:
        raise Refused(400, "size must not be negative")
    number = secrets.token_hex(16)
    with volume.parent(path, make=True) as (folder, name):
        if exists(folder, name) and not replace:
            raise Refused(409, f"{path} exists already")
    with volume.private("uploads", number) as kept:
        _write_json(kept, "upload.json", {"path": path, "size": size, "replace": replace})
        os.close(os.open("data", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=kept))
    if size == 0:
        return append(volume, number, 0, 0, None)
    return {"id": number, "offset": 0, "done": False}


def upload_state(volume: Volume, number: str) -> dict[str, Any]:
    """Return how much has arrived, so that an interrupted upload continues there."""
    with volume.private("uploads", _known_upload(volume, number)) as kept:
        facts = _read_json(kept, "upload.json")
        return {"id": number, "offset": os.stat("data", dir_fd=kept).st_size, **facts}


def append(volume: Volume, number: str, offset: int, length: int, body: Body | None) -> dict[str, Any]:
    """Append `length` bytes at `offset`; the last piece gives the file its name."""
    with volume.private("uploads", _known_upload(volume, number)) as kept:
        facts = _read_json(kept, "upload.json")
        data = os.open("data", os.O_WRONLY | os.O_NOFOLLOW, dir_fd=kept)
        try:
            arrived = os.fstat(data).st_size
            if offset != arrived:
                raise Refused(409, f"the upload continues at {arrived}, not at {offset}")
            if arrived + length > facts["size"]:
                raise Refused(400, "more bytes than the upload was announced with")
            os.lseek(data, arrived, os.SEEK_SET)
            arrived += _receive(data, length, body)
        finally:
            os.close(data)
        if arrived < facts["size"]:
            return {"id": number, "offset": arrived, "done": False}
        with volume.parent(str(facts["path"]), make=True) as (folder, name):
            if exists(folder, name) and not facts["replace"]:
                raise Refused(409, f"{facts['path']} exists already")
            os.rename("data", name, src_dir_fd=kept, dst_dir_fd=folder)
            own_as_folder(folder, name)
    with volume.private("uploads") as folder:
        remove_tree(folder, number)
    return {"id": number, "offset": arrived, "done": True}


def cancel_upload(volume: Volume, number: str) -> None:
    name = _known_upload(volume, number)
    with volume.private("uploads") as folder:
        remove_tree(folder, name)


def _receive(data: int, length: int, body: Body | None) -> int:
    """Write what arrives; a client that goes away leaves what has arrived, so the upload can continue."""
    left = length
    while left and body is not None:
        piece = body.read(min(_PIECE, left))
        if not piece:
            break
        left -= len(piece)
        view = memoryview(piece)
        while view:
            view = view[os.write(data, view) :]
    return length - left


def _known_upload(volume: Volume, number: str) -> str:
    _check_id(number)
    with volume.private("uploads") as folder:
        if not exists(folder, number):
            raise Refused(404, "there is no such upload (any more)")
    return number


def _check_id(number: str) -> None:
    if not _ID.fullmatch(number):
        raise Refused(404, "the id is not valid")


def _write_json(folder: int, name: str, value: dict[str, Any]) -> None:
    opened = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
    with os.fdopen(opened, "w") as file:
        json.dump(value, file)


def _read_json(folder: int, name: str) -> dict[str, Any]:
    with os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder)) as file:
        return json.load(file)
