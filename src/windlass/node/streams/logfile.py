"""Log files of one run of a container: the newest and the rotated ones.

A line is `2026-11-16T00:00:00.000000000Z stdout F text`; with P instead of F the line continues in the next one.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from io import FileIO
from typing import NamedTuple

KEPT = 4
BLOCK = 64 << 10
_TRIES = 20  # looks at files that are rotated just then


class Line(NamedTuple):
    """A piece of output: a whole line or the beginning of one (`partial`)."""

    time: str
    stream: str
    partial: bool
    text: bytes


def parse(raw: bytes) -> Line | None:
    """Parse a line without its newline; None if it was not written completely (the machine crashed)."""
    parts = raw.split(b" ", 3)
    if len(parts) < 3 or parts[1] not in (b"stdout", b"stderr") or parts[2][:1] not in (b"P", b"F"):
        return None
    text = parts[3] if len(parts) == 4 else b""
    return Line(parts[0].decode("ascii", "replace"), parts[1].decode(), parts[2][:1] == b"P", text)


def files(path: str) -> list[str]:
    """Return all existing files of the run, oldest first; the newest is `path` itself."""
    names = [f"{path}.{number}" for number in range(KEPT, 0, -1)] + [path]
    return [name for name in names if os.path.exists(name)]  # noqa: PTH110 - paths are text in the runtime's contract


class Position(NamedTuple):
    """A position in a file of the run. The file is identified by its inode: rotation changes its name."""

    inode: int
    offset: int


def tail(
    path: str, lines: int, counts: Callable[[Line], bool] = lambda line: True, until: Position | None = None
) -> Position | None:
    """Return where the last `lines` lines before `until` (or the end) begin; None if there is nothing to read."""
    until = until or end(path)
    if until is None or lines <= 0:
        return until
    left = lines + 1  # the end of the line before the first wanted one is what is looked for
    seen: set[int] = set()
    for file in _opened(reversed(files(path))):
        inode = os.fstat(file.fileno()).st_ino
        if inode in seen or (not seen and inode != until.inode):
            continue  # a rotation shows a file under two names, or has begun one after `until`
        for offset, raw in _backwards(file, None if seen else until.offset):
            line = parse(raw)
            if line is not None and not line.partial and counts(line):
                left -= 1
                if left == 0:
                    return Position(inode, offset + len(raw) + 1)
        seen.add(inode)
    return first(path)


def first(path: str) -> Position | None:
    """Return the beginning of the oldest file; None if there is none."""
    for file in _opened(files(path)):
        return Position(os.fstat(file.fileno()).st_ino, 0)
    return None


def end(path: str) -> Position | None:
    """Return the current end of the newest file; None if there is none."""
    for file in _opened(reversed(files(path))):
        found = os.fstat(file.fileno())
        return Position(found.st_ino, found.st_size)
    return None


def _opened(names: Iterable[str]) -> Iterator[FileIO]:
    """Yield the files that still exist, one at a time; each is closed when the next is requested."""
    for name in names:
        try:
            file = FileIO(name)
        except FileNotFoundError:  # it was the oldest, and has just been rotated away
            continue
        with file:
            yield file


def _backwards(file: FileIO, end: int | None) -> Iterator[tuple[int, bytes]]:
    """Yield the whole lines of a file, before `end` if given, from the last to the first, each with its offset."""
    end = file.seek(0, os.SEEK_END) if end is None else end
    rest = b""
    first = True
    while end > 0:
        begin = max(0, end - BLOCK)
        file.seek(begin)
        block = file.read(end - begin) + rest
        pieces = block.split(b"\n")
        if first:
            block = block[: len(block) - len(pieces[-1])]
            pieces[-1:] = []
            first = False
        at = begin + len(block) - (1 if block.endswith(b"\n") else 0)
        for piece in reversed(pieces[1:] if begin > 0 else pieces):
            at -= len(piece)
            yield at, piece
            at -= 1
        rest = (pieces[0] + b"\n") if begin > 0 and pieces else b""
        end = begin


class Reader:
    """Reads from a position through all files to the newest, across rotations; with `until`, no further than there."""

    def __init__(self, path: str, start: Position, until: Position | None = None) -> None:
        self._path, self._until = path, until
        self._file = self._open(start)
        self._rest = b""
        self.file_number = 0
        """Counts finished files."""

    def _open(self, start: Position) -> FileIO:
        """Open the file under its current name; if it has been removed since, the oldest that is left."""
        for _ in range(_TRIES):
            names = files(self._path)
            for name in (*names, *names[:1]):
                try:
                    file = FileIO(name)
                except FileNotFoundError:
                    continue
                if os.fstat(file.fileno()).st_ino == start.inode:
                    file.seek(start.offset)
                    return file
                file.close()
            with contextlib.suppress(FileNotFoundError, IndexError):
                return FileIO(names[0])
        raise FileNotFoundError(self._path)

    def read(self) -> list[bytes] | None:
        """Return the next whole lines; None when everything, or everything up to `until`, has been read."""
        while True:
            data = self._file.read(self._allowed())
            if data:
                *lines, self._rest = (self._rest + data).split(b"\n")
                return lines
            if self._is_at_end() or not self._advance():
                return None

    def _allowed(self) -> int:
        if self._until is None or os.fstat(self._file.fileno()).st_ino != self._until.inode:
            return BLOCK
        return max(0, min(BLOCK, self._until.offset - self._file.tell()))

    def _is_at_end(self) -> bool:
        """Whether `until` is reached, or must have been passed in a file that was rotated away."""
        return self._until is not None and (self._allowed() == 0 or self.file_number > KEPT)

    def _advance(self) -> bool:
        """Continue with the next newer file, if this one has been rotated."""
        mine = os.fstat(self._file.fileno()).st_ino
        for _ in range(_TRIES):
            names = files(self._path)
            try:
                known = [os.stat(name).st_ino for name in names]  # noqa: PTH116 - paths are text here
                if not names or known[-1] == mine:
                    return False
                if self._file.tell() < os.fstat(self._file.fileno()).st_size:
                    return True  # its last lines came just before it was rotated
                after = FileIO(names[known.index(mine) + 1] if mine in known else names[0])
            except FileNotFoundError:  # rotated between two looks
                continue
            if os.fstat(after.fileno()).st_ino in known:
                self._file.close()
                self._file, self._rest = after, b""
                self.file_number += 1
                return True
            after.close()
        return False

    def close(self) -> None:
        self._file.close()
