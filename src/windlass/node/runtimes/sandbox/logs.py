"""A container's output on disk, in the log format of the container runtime interface, and to attached clients."""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH105
import os
import time

ROTATE_AT = 10 * 2**20
KEPT = 4
MAX_LINE = 16 * 1024
"""Longer lines are split into parts, as containerd does."""


def stamp(nanoseconds: int) -> bytes:
    seconds, rest = divmod(nanoseconds, 10**9)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)).encode() + b".%09dZ" % rest


class Log:
    """Appends to one file, which is rotated when it is too long."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._fd = self._open()
        self._size = os.fstat(self._fd).st_size
        self._rest = {"stdout": b"", "stderr": b""}

    def _open(self) -> int:
        return os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)

    def add(self, stream: str, data: bytes) -> None:
        """Write complete lines to the file; what follows the last one waits for its end."""
        *lines, rest = (self._rest[stream] + data).split(b"\n")
        prefix = stamp(time.time_ns()) + b" " + stream.encode()
        out: list[bytes] = []
        for line in lines:
            while len(line) > MAX_LINE:
                out += (prefix, b" P ", line[:MAX_LINE], b"\n")
                line = line[MAX_LINE:]
            out += (prefix, b" F ", line, b"\n")
        while len(rest) >= MAX_LINE:
            out += (prefix, b" P ", rest[:MAX_LINE], b"\n")
            rest = rest[MAX_LINE:]
        self._rest[stream] = rest
        self._write(b"".join(out))

    def end(self, stream: str) -> None:
        """Write the last line of a stream that has ended, which has no line feed."""
        if rest := self._rest[stream]:
            self._rest[stream] = b""
            self._write(stamp(time.time_ns()) + b" " + stream.encode() + b" F " + rest + b"\n")

    def _write(self, data: bytes) -> None:
        if not data:
            return
        try:
            self._size += os.write(self._fd, data)
        except OSError:
            return  # a full disk must not stop the container's own work
        if self._size >= ROTATE_AT:
            self._rotate()

    def _rotate(self) -> None:
        os.close(self._fd)
        for number in range(KEPT, 0, -1):
            older = f"{self._path}.{number - 1}" if number > 1 else self._path
            try:
                os.replace(older, f"{self._path}.{number}")
            except FileNotFoundError:
                continue
        self._fd, self._size = self._open(), 0

    def close(self) -> None:
        if self._fd < 0:
            return
        for stream in self._rest:
            self.end(stream)
        os.close(self._fd)
        self._fd = -1
