"""A container's output as the engine keeps it, copied into the files that the agent reads.

It is asked for from the last line that is in the file on, so that an agent that was killed loses nothing.
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
        """One line or, without a line feed, a part of one."""
        kind = b" F " if text.endswith(b"\n") else b" P "
        self._write(stamp(nanoseconds) + b" " + stream.encode() + kind + text.rstrip(b"\n") + b"\n")


def parts(stream: str, data: bytes) -> Iterator[tuple[int, str, bytes]]:
    """The lines of a frame, each with the time that the engine has written before it."""
    for line in data.splitlines(keepends=True):
        moment, _, text = line.partition(b" ")
        try:
            yield nanoseconds(moment.decode(errors="replace")), stream, text
        except ValueError:
            yield 0, stream, line


class Lines:
    """Lines out of what has no frames: a terminal's output."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[tuple[str, bytes]]:
        *whole, self._rest = (self._rest + data).split(b"\n")
        return [("stdout", line.rstrip(b"\r") + b"\n") for line in whole]


def last_moment(path: Path) -> int:
    """Of what is in the file already; 0 if nothing is."""
    with contextlib.suppress(OSError, ValueError):
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - 65536))
            lines = file.read().splitlines()
        return nanoseconds(lines[-1].split(b" ", 1)[0].decode()) if lines else 0
    return 0


async def copy(engine: Engine, container: str, path: Path, *, tty: bool) -> None:
    """Until the container has ended, and all of its output is there."""
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
