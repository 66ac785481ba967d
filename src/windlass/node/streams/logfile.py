"""Log files of one run of a container: the newest and those before it that were rotated away.

A line is `2026-11-16T00:00:00.000000000Z stdout F text`; with P instead of F the line goes on in the next one.
"""

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

KEPT = 4
BLOCK = 64 << 10


class Line(NamedTuple):
    """A piece of output: a whole line or the beginning of one (`partial`)."""

    time: str
    stream: str
    partial: bool
    text: bytes


def parse(raw: bytes) -> Line | None:
    """A line without its newline; None where it was not written whole (the machine went down)."""
    parts = raw.split(b" ", 3)
    if len(parts) < 3 or parts[1] not in (b"stdout", b"stderr") or parts[2][:1] not in (b"P", b"F"):
        return None
    text = parts[3] if len(parts) == 4 else b""
    return Line(parts[0].decode("ascii", "replace"), parts[1].decode(), parts[2][:1] == b"P", text)


def files(path: str) -> list[str]:
    """All files of the run that are there, oldest first; the newest is `path` itself."""
    names = [f"{path}.{number}" for number in range(KEPT, 0, -1)] + [path]
    return [name for name in names if os.path.exists(name)]  # noqa: PTH110 - paths are text in the runtime's contract


class Position(NamedTuple):
    file: str
    offset: int


def tail(path: str, lines: int, counts: Callable[[Line], bool] = lambda line: True) -> Position | None:
    """Where the last `lines` lines begin; None where there is nothing to read."""
    found = files(path)
    if not found:
        return None
    if lines <= 0:
        return Position(path, os.stat(found[-1]).st_size)  # noqa: PTH116
    left = lines + 1  # the end of the line before the first wanted one is what is looked for
    for name in reversed(found):
        for offset, raw in _backwards(name):
            line = parse(raw)
            if line is not None and not line.partial and counts(line):
                left -= 1
                if left == 0:
                    return Position(name, offset + len(raw) + 1)
    return Position(found[0], 0)


def _backwards(name: str) -> Iterator[tuple[int, bytes]]:
    """The whole lines of a file from the last to the first, each with its offset."""
    with open(name, "rb", buffering=0) as file:  # noqa: PTH123
        end = file.seek(0, os.SEEK_END)
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
    """Reads on from a position through all files to the newest, over rotations."""

    def __init__(self, path: str, start: Position) -> None:
        self._path = path
        self._file = open(start.file, "rb", buffering=0)  # noqa: PTH123, SIM115 - closed by `close`
        self._file.seek(start.offset)
        self._rest = b""
        self.file_number = 0
        """Counts up with each file that was finished."""

    def read(self) -> list[bytes] | None:
        """The next whole lines; None when all that is there has been read."""
        while True:
            data = self._file.read(BLOCK)
            if data:
                *lines, self._rest = (self._rest + data).split(b"\n")
                return lines
            if not self._advance():
                return None

    def _advance(self) -> bool:
        """Go on to the file that came after this one, if this one has been rotated away."""
        mine = os.fstat(self._file.fileno())
        names = files(self._path)
        known = [(os.stat(name).st_dev, os.stat(name).st_ino) for name in names]  # noqa: PTH116
        here = (mine.st_dev, mine.st_ino)
        if not names or (known and known[-1] == here):
            return False
        if self._file.tell() < os.fstat(self._file.fileno()).st_size:
            return True  # its last lines came just before it was rotated
        after = names[known.index(here) + 1] if here in known else names[0]
        self._file.close()
        self._file = open(after, "rb", buffering=0)  # noqa: PTH123, SIM115 - closed by `close`
        self._rest = b""
        self.file_number += 1
        return True

    def close(self) -> None:
        self._file.close()
