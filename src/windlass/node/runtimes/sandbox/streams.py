"""Output that never blocks on its reader."""

import os
import select
from collections.abc import Callable
from typing import Protocol

_MAX_BUFFERED = 2**20


class Loop(Protocol):
    def watch(self, fd: int, handler: Callable[[], None], events: int = ...) -> None: ...

    def unwatch(self, fd: int) -> None: ...


class Outlet:
    """Writes to a descriptor as fast as it is read; a reader that falls a mebibyte behind is disconnected."""

    def __init__(self, loop: Loop, fd: int) -> None:
        os.set_blocking(fd, False)
        self._loop, self._fd, self._waiting, self._closing = loop, fd, b"", False

    def put(self, data: bytes) -> None:
        if self._fd < 0 or self._closing:
            return
        self._waiting += data
        self._flush()
        if len(self._waiting) > _MAX_BUFFERED:
            self._close()

    def _flush(self) -> None:
        try:
            while self._waiting:
                self._waiting = self._waiting[os.write(self._fd, self._waiting) :]
        except BlockingIOError:
            self._loop.watch(self._fd, self._flush, select.EPOLLOUT)
            return
        except OSError:  # nobody reads any more
            self._close()
            return
        self._loop.unwatch(self._fd)
        if self._closing:
            self._close()

    def finish(self) -> None:
        """Close when everything is written."""
        self._closing = True
        if self._fd >= 0 and not self._waiting:
            self._close()

    def _close(self) -> None:
        if self._fd >= 0:
            self._loop.unwatch(self._fd)
            os.close(self._fd)
            self._fd, self._waiting = -1, b""
