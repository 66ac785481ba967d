"""Copies a container's output from the engine into the files that the agent reads.

Copying resumes at the last line of the file, so that a killed agent loses nothing.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from windlass.node.runtimes.podman.answers import nanoseconds
from windlass.node.runtimes.podman.engine import Engine
from windlass.node.runtimes.podman.frames import Frames
from windlass.node.runtimes.sandbox.logs import Log, stamp


class CopiedLog(Log):
    def line(self, nanoseconds: int, stream: str, text: bytes) -> None:
        """Write one line or, without a line feed, a part of one."""
        kind = b" F " if text.endswith(b"\n") else b" P "
        self._write(stamp(nanoseconds) + b" " + stream.encode() + kind + text.rstrip(b"\n") + b"\n")


def parts(stream: str, data: bytes) -> Iterator[tuple[int, str, bytes]]:
    """Write the lines of a frame, each with the time that the engine put before it."""
    for line in data.splitlines(keepends=True):
        moment, _, text = line.partition(b" ")
        try:
            yield nanoseconds(moment.decode(errors="replace")), stream, text
        except ValueError:
            yield 0, stream, line


class Lines:
    """Splits a terminal's output, which has no frames, into lines."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[tuple[str, bytes]]:
        *whole, self._rest = (self._rest + data).split(b"\n")
        return [("stdout", line.rstrip(b"\r") + b"\n") for line in whole]


def last_moment(path: Path) -> int:
    """Return the time of the file's last line; 0 if it is empty."""
    with contextlib.suppress(OSError, ValueError):
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - 65536))
            lines = file.read().splitlines()
        return nanoseconds(lines[-1].split(b" ", 1)[0].decode()) if lines else 0
    return 0


async def copy(engine: Engine, container: str, path: Path, *, tty: bool) -> None:
    """Copy until the container has ended and all of its output is written."""
    after = last_moment(path)
    query = {"follow": True, "stdout": True, "stderr": True, "timestamps": True, "since": after // 10**9}
    log, framing = CopiedLog(str(path)), Lines() if tty else Frames()
    try:
        async for chunk in engine.chunks("GET", f"/containers/{container}/logs", **query):
            for stream, data in framing.feed(chunk):
                for moment, name, text in parts(stream, data):
                    if moment > after:
                        log.line(moment, name, text)
    finally:
        log.close()
