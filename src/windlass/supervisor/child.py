"""A supervised process: started, polled until it is ready, restarted when it crashes, and stopped.

It runs in its own session, so that Ctrl-C in the terminal reaches only the supervisor. Its standard input is a pipe
from the supervisor: when that closes, the supervisor is gone and the child exits too.
"""

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from windlass.supervisor import process
from windlass.supervisor.backoff import Backoff
from windlass.supervisor.run_state import ComponentState

POLL_INTERVAL_SECONDS = 0.02
WINDLASS = (sys.executable, "-P", "-Xno_debug_ranges", "-m", "windlass")
"""This program, as the supervisor starts it: not a ./windlass.py where the user stands (-P), and without the columns of
instructions, which only tracebacks show and which cost each process memory."""


@dataclass(frozen=True, kw_only=True)
class Component:
    """What to run.

    It is ready when the Unix socket `probe` answers /readyz with 200 and the file `ready_file` exists; without either,
    as soon as it has started.
    """

    name: str
    argv: tuple[str, ...]
    log: Path
    probe: Path | None = None
    ready_file: Path | None = None


class Child:
    def __init__(self, component: Component, *, inherited_fd: int, changed: Callable[["Child"], None]) -> None:
        """`inherited_fd` holds the data directory's lock; `changed` is called on every change of state."""
        self.component = component
        self.state = "starting"
        self.pid = 0
        self.born = 0
        self.started = 0.0
        self.restarts = 0
        self.exit_code: int | None = None
        self.restart_delay = 0.0
        self.ready = asyncio.Event()
        self.failed_to_start = asyncio.Event()
        self._inherited_fd = inherited_fd
        self._changed = changed
        self._stop = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None

    def snapshot(self) -> ComponentState:
        return ComponentState(
            name=self.component.name,
            state=self.state,
            pid=self.pid,
            born=self.born,
            started=self.started,
            restarts=self.restarts,
        )

    async def keep_running(self) -> None:
        """Run until `stop`, or until it exits before it was ever ready, since a restart would not help."""
        backoff = Backoff()
        while not self._stop.is_set():
            ran_for = await self._run_once()
            if self._stop.is_set():
                break
            if not self.ready.is_set():
                self._set_state("stopped")
                self.failed_to_start.set()
                return
            backoff = backoff.after(ran_for)
            self.restart_delay = backoff.delay
            self.restarts += 1
            self._set_state("restarting")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(backoff.delay):
                    await self._stop.wait()
        self._set_state("stopped")

    async def stop(self, grace: float) -> None:
        """Send SIGTERM, and SIGKILL after `grace` seconds."""
        self._stop.set()
        if self._process is None or self._process.returncode is not None:
            return
        self._set_state("stopping")
        self._signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(grace):
                await self._process.wait()
        except TimeoutError:
            self.kill()
            await self._process.wait()

    def kill(self) -> None:
        self._stop.set()
        if self._process is not None and self._process.returncode is None:
            self._signal(signal.SIGKILL)

    async def _run_once(self) -> float:
        if self.component.ready_file is not None:
            self.component.ready_file.unlink(missing_ok=True)
        with self.component.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self.component.argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
                pass_fds=(self._inherited_fd,),
            )
        began = time.monotonic()
        self.pid, self.born, self.started = self._process.pid, process.birth(self._process.pid), time.time()
        self._set_state("starting")
        polling = asyncio.create_task(self._poll_until_ready())
        try:
            self.exit_code = await self._process.wait()
        finally:
            polling.cancel()
        return time.monotonic() - began

    async def _poll_until_ready(self) -> None:
        while not await self._is_ready():  # noqa: ASYNC110 - it asks another process
            await asyncio.sleep(POLL_INTERVAL_SECONDS)
        self.ready.set()
        self._set_state("running")

    async def _is_ready(self) -> bool:
        ready_file, probe = self.component.ready_file, self.component.probe
        return (ready_file is None or ready_file.exists()) and (probe is None or await answers_ready(probe))

    def _set_state(self, state: str) -> None:
        self.state = state
        if state in ("stopped", "restarting"):
            self.pid = self.born = 0
        self._changed(self)

    def _signal(self, number: signal.Signals) -> None:
        """Signal the whole process group, which includes the processes that it started."""
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


async def answers_ready(socket: Path) -> bool:
    try:
        reader, writer = await asyncio.open_unix_connection(str(socket))
    except OSError:
        return False
    try:
        writer.write(b"GET /readyz HTTP/1.1\r\nHost: windlass\r\nConnection: close\r\n\r\n")
        async with asyncio.timeout(5):
            status = await reader.readline()
        return status.split(b" ")[1:2] == [b"200"]
    except (OSError, TimeoutError):
        return False
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
