"""Packs what is at a path of a volume into an archive, and unpacks archives. Links are neither followed nor packed."""

import gzip
import os
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO
from zlib import error as ZlibError

from windlass.apps.pipelines.artifacts.stores.remote_records import names_to_publish
from windlass.apps.pipelines.artifacts.stores.store_locations import ArchiveFormat
from windlass.formats.bounded_archives import BoundedTarInfo, open_zip, spare_bytes
from windlass.formats.volume_files import (
    create_file,
    exists,
    list_folder,
    make_folder,
    move_file,
    open_file,
    remove_tree,
)

CHUNK = 1 << 20
MAX_ENTRIES = 1_000_000
GZIP_MAGIC = b"\x1f\x8b"
_EPOCH = (1980, 1, 1, 0, 0, 0)


def pack(root: Path, path: str, target: str, *, name: str, archive: ArchiveFormat, level: int) -> None:
    """Pack a file or folder into the file `target`, as `name` and what is below it. Raises OSError."""
    remove_tree(root, target)
    with os.fdopen(create_file(root, target), "wb") as made:
        if archive == "zip":
            with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as zipped:
                for entry, file in _files(root, path, name):
                    with file, zipped.open(zipfile.ZipInfo(entry, _EPOCH), "w", force_zip64=True) as part:
                        while chunk := file.read(CHUNK):
                            part.write(chunk)
        else:
            with (
                gzip.GzipFile(fileobj=made, mode="wb", compresslevel=level, mtime=0) as packed,
                tarfile.open(fileobj=packed, mode="w|") as tar,
            ):
                for entry, file in _files(root, path, name):
                    with file:
                        status = os.fstat(file.fileno())
                        member = tarfile.TarInfo(entry)
                        member.size, member.mtime = status.st_size, int(status.st_mtime)
                        member.mode = stat.S_IMODE(status.st_mode)
                        tar.addfile(member, file)


def _files(root: Path, path: str, name: str) -> Iterator[tuple[str, IO[bytes]]]:
    for below in names_to_publish(root, path):
        descriptor = open_file(root, f"{path}/{below}" if below else path)
        if descriptor is not None:
            yield f"{name}/{below}" if below else name, os.fdopen(descriptor, "rb")


def unpack(root: Path, path: str, target: str, archive: ArchiveFormat) -> None:
    """Put the content of an archive at `target`: its only entry, or a folder with all of them.

    What is no archive, or with the format none, is moved as it is. Raises ValueError and OSError.
    """
    remove_tree(root, target)
    descriptor = open_file(root, path) if archive != "none" else None
    if descriptor is not None:
        folder = f"{target}.unpacked"
        remove_tree(root, folder)
        unpacking = _Unpacking(root, folder)
        with os.fdopen(descriptor, "rb") as file:
            try:
                is_archive = unpacking.zip(file) if archive == "zip" else unpacking.tar(file)
            except BaseException:
                remove_tree(root, folder)  # the disk may be full of it
                raise
        if is_archive:
            remove_tree(root, path)
            path = _only_entry(root, folder)
    move_file(root, path, target)
    remove_tree(root, f"{target}.unpacked")


def _only_entry(root: Path, folder: str) -> str:
    entries = list_folder(root, folder) or []
    return f"{folder}/{entries[0][0]}" if len(entries) == 1 else folder


class _Unpacking:
    """Unpacks one archive into a folder of a volume, until its entries or the disk are exhausted."""

    def __init__(self, root: Path, folder: str) -> None:
        self._root, self._folder = root, folder
        self._entries, self._spare = 0, spare_bytes(root)

    def tar(self, file: IO[bytes]) -> bool:
        """Unpack an archive of tar, packed by gzip or not; False if it is none."""
        is_packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        file.seek(0)
        try:
            with tarfile.open(fileobj=file, mode="r:gz" if is_packed else "r:", tarinfo=BoundedTarInfo) as tar:
                make_folder(self._root, self._folder)
                while (member := tar.next()) is not None:
                    entry = self._checked(member.name)
                    if member.isdir() and entry:
                        make_folder(self._root, f"{self._folder}/{entry}")
                    content = tar.extractfile(member) if member.isreg() else None
                    if content is not None and entry:
                        self._write(entry, content, member.mode)
                    vars(tar)["members"].clear()  # which tarfile's documentation has users do, and stubs lack
        except (tarfile.ReadError, EOFError, ZlibError, gzip.BadGzipFile) as error:
            if exists(self._root, self._folder) and (self._entries or list_folder(self._root, self._folder)):
                raise ValueError(f"the archive is damaged: {error}") from None
            remove_tree(self._root, self._folder)
            return False
        return True

    def zip(self, file: IO[bytes]) -> bool:
        try:
            with open_zip(file) as zipped:
                make_folder(self._root, self._folder)
                for member in zipped.infolist():
                    entry = self._checked(member.filename)
                    if member.is_dir() and entry:
                        make_folder(self._root, f"{self._folder}/{entry}")
                    elif entry:
                        self._write(entry, zipped.open(member), member.external_attr >> 16)
        except (zipfile.BadZipFile, ZlibError, EOFError, RuntimeError, NotImplementedError) as error:
            raise ValueError(f"it is not an archive of zip: {error}") from None
        return True

    def _checked(self, name: str) -> str:
        """The path of the next entry, without a leading `./`. Raises ValueError for one that leads elsewhere."""
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            raise ValueError(f"the archive has more than {MAX_ENTRIES} entries")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if ".." in parts or name.startswith("/") or "\0" in name:
            raise ValueError(f"the entry {name[:200]!r} of the archive leads outside of it")
        return "/".join(parts)

    def _write(self, entry: str, content: IO[bytes], mode: int) -> None:
        path = f"{self._folder}/{entry}"
        remove_tree(self._root, path)  # an archive may have an entry twice
        with closing(content), os.fdopen(create_file(self._root, path), "wb") as file:
            while chunk := content.read(CHUNK):
                self._spare -= len(chunk)
                if self._spare < 0:
                    raise ValueError("the archive unpacks to more than the disk has left")
                file.write(chunk)
            os.fchmod(file.fileno(), (stat.S_IMODE(mode) & 0o777) | 0o444)
