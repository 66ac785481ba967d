"""Notifications of changed files, with one inotify descriptor for the whole agent.

Without inotify (another system, or its limits are reached), `changed` returns every second instead.
"""

import asyncio
import contextlib
import ctypes
import os
import struct
from collections.abc import Iterator

_MODIFY, _MOVE_SELF, _DELETE_SELF, _IGNORED = 0x2, 0x800, 0x400, 0x8000
_NONBLOCK, _CLOEXEC = os.O_NONBLOCK, getattr(os, "O_CLOEXEC", 0)
_POLL_SECONDS = 1.0
_EVENT = struct.Struct("iIII")


class Inotify:
    """The watches of one event loop."""

    def __init__(self) -> None:
        self._fd = -1
        self._libc: ctypes.CDLL | None = None
        self._watches: dict[int, set[asyncio.Event]] = {}

    @contextlib.contextmanager
    def watch(self, path: str) -> Iterator[asyncio.Event | None]:
        """Yield an event that is set whenever the file changes or moves; None without inotify."""
        number = self._add(path)
        if number < 0:
            yield None
            return
        event = asyncio.Event()
        self._watches.setdefault(number, set()).add(event)
        try:
            yield event
        finally:
            self._remove(number, event)

    def _add(self, path: str) -> int:
        if self._fd < 0 and not self._open():
            return -1
        assert self._libc is not None
        return int(self._libc.inotify_add_watch(self._fd, os.fsencode(path), _MODIFY | _MOVE_SELF | _DELETE_SELF))

    def _open(self) -> bool:
        try:
            self._libc = ctypes.CDLL(None, use_errno=True)
            self._fd = int(self._libc.inotify_init1(_NONBLOCK | _CLOEXEC))
        except (OSError, AttributeError):
            return False
        if self._fd < 0:
            return False
        asyncio.get_running_loop().add_reader(self._fd, self._read)
        return True

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 65536)
        except BlockingIOError:
            return
        at = 0
        while at < len(data):
            number, mask, _, length = _EVENT.unpack_from(data, at)
            at += _EVENT.size + length
            for event in self._watches.get(number, ()):
                event.set()
            if mask & _IGNORED:
                self._watches.pop(number, None)

    def _remove(self, number: int, event: asyncio.Event) -> None:
        events = self._watches.get(number)
        if events is None:
            return
        events.discard(event)
        if not events:
            del self._watches[number]
            assert self._libc is not None
            self._libc.inotify_rm_watch(self._fd, number)

    def close(self) -> None:
        if self._fd >= 0:
            asyncio.get_running_loop().remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1


async def changed(event: asyncio.Event | None) -> None:
    """Wait until the watched file has changed since `event` was cleared."""
    if event is None:
        await asyncio.sleep(_POLL_SECONDS)
    else:
        await event.wait()
