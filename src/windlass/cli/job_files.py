"""The working folder as one archive that fits into a ConfigMap: the same bytes for the same files."""

import gzip
import io
import os
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from windlass.cli import screen
from windlass.cli.failure import Failure
from windlass.cli.job_ignore import Ignored

LIMIT = 900 * 1024
"""Bytes of the archive. A ConfigMap may hold 1 MiB, and the request that brings it is a third larger in base64."""
IGNORE_FILES = (".gitignore", ".windlassignore")
NAMED = 5
MOST_FILES = 5000


@dataclass(frozen=True)
class Found:
    path: Path
    name: str
    """Where it lies in the archive, with slashes."""
    size: int


class TooLarge(Exception):
    """The archive outgrew its limit."""


def pack(folder: Path, *, limit: int = LIMIT) -> bytes:
    """The folder's files as tar.gz; refuses, naming the largest, what does not fit."""
    files = sorted(islice(collect(folder), MOST_FILES + 1), key=lambda one: one.name)
    if len(files) > MOST_FILES:
        raise Failure(
            f"{screen.short(folder)} has more than {MOST_FILES} files, too many to ship. Is it the folder you meant? "
            f"If so, name what is not needed in {folder / '.windlassignore'} (as in a .gitignore)"
        )
    try:
        return archive(files, limit)
    except TooLarge:
        total = screen.size(sum(one.size for one in files))
        raise Failure(
            f"{screen.short(folder)} is too large to ship: {total} in {len(files)} files, and packed no more than "
            f"{limit // 1024} KiB fit. Name what is not needed in {folder / '.windlassignore'} (as in a .gitignore), "
            f"or keep data in a volume. The largest:",
            lines=tuple(f"{screen.size(one.size):>8}  {one.name}" for one in largest(files)),
        ) from None
    except OSError as error:
        raise Failure(f"cannot read {error.filename}: {error.strerror}") from error


def collect(folder: Path) -> Iterator[Found]:
    """Every file that is not ignored. Links to files count as files; links to folders are not followed."""
    ignored = Ignored(_lines(folder))
    for place, folders, names in os.walk(folder):
        inside = Path(place).relative_to(folder)
        folders[:] = [name for name in folders if not ignored((inside / name).as_posix(), folder=True)]
        for name in names:
            path, relative = Path(place, name), (inside / name).as_posix()
            if path.is_file() and not ignored(relative, folder=False):
                yield Found(path, relative, path.stat().st_size)


def archive(files: list[Found], limit: int) -> bytes:
    """Owners and times are left out, so that only contents make a difference. Stops as soon as it is too large."""
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


def largest(files: list[Found]) -> list[Found]:
    return sorted(files, key=lambda one: -one.size)[:NAMED]


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
            raise TooLarge
        return super().write(data)
