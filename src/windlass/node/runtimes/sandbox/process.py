"""A process of exec or an attachment, as the agent holds it."""

import asyncio
import fcntl
import os
import struct
import termios
from collections.abc import Callable

from windlass.node.runtimes.base import Gone


class SandboxProcess:
    """`base.Process`. `on_resize` and `on_close` tell the supervisor what a descriptor cannot."""

    def __init__(
        self,
        stdin: int | None,
        stdout: int | None,
        stderr: int | None,
        *,
        exit_code: "asyncio.Future[int]",
        on_close: Callable[[], None],
        on_resize: Callable[[int, int], None] | None = None,
    ) -> None:
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self._exit_code, self._on_close, self._on_resize, self._is_closed = exit_code, on_close, on_resize, False
        for descriptor in self._descriptors():
            os.set_blocking(descriptor, False)

    def _descriptors(self) -> set[int]:
        return {fd for fd in (self.stdin, self.stdout, self.stderr) if fd is not None}

    async def wait(self) -> int:
        try:
            return await asyncio.shield(self._exit_code)
        except Gone:
            return 137  # the supervisor was killed, and its containers with it

    def resize(self, columns: int, rows: int) -> None:
        if self._is_closed or self.stdout is None:
            return
        if self._on_resize:
            self._on_resize(columns, rows)
        else:
            fcntl.ioctl(self.stdout, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        for descriptor in self._descriptors():
            try:
                os.close(descriptor)
            except OSError:
                continue  # its owner has closed it already, to end the input
        self._on_close()
