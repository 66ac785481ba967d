"""One supervised process: started, asked until it is ready, started again when it falls, stopped when told.

It runs in a session of its own, so a Ctrl-C in the terminal reaches the supervisor alone, and it holds the read end
of a pipe from the supervisor as its standard input: when that closes, the supervisor is gone and the child ends too.
"""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from windlass.supervisor import process
from windlass.supervisor.backoff import Backoff
from windlass.supervisor.run_state import ComponentState

ASK_EVERY = 0.02


@dataclass(frozen=True, kw_only=True)
class Component:
    """What to run, as data. It is ready when the Unix socket `probe` answers /readyz with 200 and it has made the file
    `mark`; without either, when it has started."""

    name: str
    argv: tuple[str, ...]
    log: Path
    probe: Path | None = None
    mark: Path | None = None


class Child:
    def __init__(self, component: Component, *, hold: int, changed: Callable[["Child"], None]) -> None:
        """`hold` is a file descriptor to inherit (the data directory's lock); `changed` is called on every change."""
        self.component = component
        self.state = "starting"
        self.pid = 0
        self.born = 0
        self.started = 0.0
        self.restarts = 0
        self.exit_code: int | None = None
        self.next_try_in = 0.0
        self.ready = asyncio.Event()
        self.fallen_early = asyncio.Event()
        self._hold = hold
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
        """Until `stop`; or until it falls before it was ever ready, since it would only fall again."""
        backoff = Backoff()
        while not self._stop.is_set():
            ran_for = await self._run_once()
            if self._stop.is_set():
                break
            if not self.ready.is_set():
                self._become("stopped")
                self.fallen_early.set()
                return
            backoff = backoff.after(ran_for)
            self.next_try_in = backoff.delay
            self.restarts += 1
            self._become("restarting")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(backoff.delay):
                    await self._stop.wait()
        self._become("stopped")

    async def stop(self, grace: float) -> None:
        """SIGTERM, and SIGKILL to what is left of it after `grace` seconds."""
        self._stop.set()
        if self._process is None or self._process.returncode is not None:
            return
        self._become("stopping")
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
        if self.component.mark is not None:
            self.component.mark.unlink(missing_ok=True)
        with self.component.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self.component.argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
                pass_fds=(self._hold,),
            )
        began = time.monotonic()
        self.pid, self.born, self.started = self._process.pid, process.birth(self._process.pid), time.time()
        self._become("starting")
        asking = asyncio.create_task(self._ask_until_ready())
        try:
            self.exit_code = await self._process.wait()
        finally:
            asking.cancel()
        return time.monotonic() - began

    async def _ask_until_ready(self) -> None:
        while not await self._is_ready():  # noqa: ASYNC110 - it asks another process
            await asyncio.sleep(ASK_EVERY)
        self.ready.set()
        self._become("running")

    async def _is_ready(self) -> bool:
        mark, probe = self.component.mark, self.component.probe
        return (mark is None or mark.exists()) and (probe is None or await answers_ready(probe))

    def _become(self, state: str) -> None:
        self.state = state
        if state in ("stopped", "restarting"):
            self.pid = self.born = 0
        self._changed(self)

    def _signal(self, number: signal.Signals) -> None:
        """To its whole process group: it leads one, and what it started goes with it."""
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
