"""Packs the working folder into an archive that fits into a ConfigMap; equal files give equal bytes."""

import gzip
import io
import os
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from windlass.apps.training.jobs.submit.ignore_files import Ignored

LIMIT = 900 * 1024
"""Maximum size of the archive. A ConfigMap may hold 1 MiB, and base64 makes the request a third larger."""
IGNORE_FILES = (".gitignore", ".windlassignore")
MAX_NAMED = 5
MAX_FILES = 5000


@dataclass(frozen=True)
class SourceFile:
    path: Path
    name: str
    """The path in the archive, with slashes."""
    size: int


class TooManyFiles(Exception):
    """There are more than `MAX_FILES` files."""


class TooLarge(Exception):
    """The archive is larger than `limit` bytes; `files` are its files."""

    def __init__(self, limit: int, files: Sequence[SourceFile] = ()) -> None:
        super().__init__(f"the archive is larger than {limit} bytes")
        self.limit, self.files = limit, files


def pack(folder: Path, *, limit: int = LIMIT) -> bytes:
    """The folder's files as tar.gz.

    Raises TooManyFiles or TooLarge if they do not fit, and OSError if a file cannot be read.
    """
    files = sorted(islice(collect(folder), MAX_FILES + 1), key=lambda one: one.name)
    if len(files) > MAX_FILES:
        raise TooManyFiles
    try:
        return archive(files, limit)
    except TooLarge as error:
        raise TooLarge(error.limit, files) from None


def collect(folder: Path) -> Iterator[SourceFile]:
    """Every file that is not ignored. Links to files count as files; links to folders are not followed."""
    ignored = Ignored(_lines(folder))
    for place, folders, names in os.walk(folder):
        inside = Path(place).relative_to(folder)
        folders[:] = [name for name in folders if not ignored((inside / name).as_posix(), folder=True)]
        for name in names:
            path, relative = Path(place, name), (inside / name).as_posix()
            if path.is_file() and not ignored(relative, folder=False):
                yield SourceFile(path, relative, path.stat().st_size)


def archive(files: list[SourceFile], limit: int) -> bytes:
    """Pack files without owners and times, so that only contents matter. Stops as soon as the archive is too large."""
    target = _Bounded(limit)
    with (
        gzip.GzipFile(fileobj=target, mode="wb", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for one in files:
            entry = tarfile.TarInfo(one.name)
            with one.path.open("rb") as file:
                entry.size = os.fstat(file.fileno()).st_size
                entry.mode = 0o755 if os.access(one.path, os.X_OK) else 0o644
                tar.addfile(entry, file)
    return target.getvalue()


def largest(files: Sequence[SourceFile]) -> list[SourceFile]:
    return sorted(files, key=lambda one: -one.size)[:MAX_NAMED]


def _lines(folder: Path) -> Iterator[str]:
    for name in IGNORE_FILES:
        if (file := folder / name).is_file():
            yield from file.read_text(errors="replace").splitlines()


class _Bounded(io.BytesIO):
    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def write(self, data: bytes) -> int:  # pyright: ignore[reportIncompatibleMethodOverride] - gzip gives it bytes
        if self.tell() + len(data) > self._limit:
            raise TooLarge(self._limit)
        return super().write(data)
