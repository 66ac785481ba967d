"""A process of exec or attach, as the agent holds it."""

import asyncio
import fcntl
import struct
import termios
from collections.abc import Callable

from windlass.node.runtimes.base import Gone
from windlass.node.runtimes.stdio import Stdio


class SandboxProcess(Stdio):
    """`base.Process`. `on_resize` and `on_close` send the supervisor what a descriptor cannot carry."""

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
        super().__init__(stdin, stdout, stderr)
        self._exit_code, self._on_close, self._on_resize = exit_code, on_close, on_resize
        self.unblock()

    async def wait(self) -> int:
        try:
            return await asyncio.shield(self._exit_code)
        except Gone:
            return 137  # the supervisor was killed, and its containers with it

    def resize(self, columns: int, rows: int) -> None:
        if self.is_closed or self.stdout is None:
            return
        if self._on_resize:
            self._on_resize(columns, rows)
        else:
            fcntl.ioctl(self.stdout, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def close(self) -> None:
        if self.close_descriptors():
            self._on_close()
