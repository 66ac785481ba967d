"""The supervisor: starts the components, restarts them when they crash, and stops them in reverse order.

Components start in parallel, since most of the time is spent importing code; each waits for what it needs.

Output goes through `LifecycleListener`, so that the same loop serves a terminal, a log and a test. Every change is
saved to `run/state.json`.
"""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Generator, Sequence
from typing import Protocol

from windlass import __version__
from windlass.kube.signals import on_signals
from windlass.supervisor import log_files, process, run_state
from windlass.supervisor.child import Child, Component
from windlass.supervisor.datadir import DataDir, Lock
from windlass.supervisor.errors import SupervisorError

STOP_GRACE_SECONDS = 15.0
START_TIMEOUT_SECONDS = 60.0
LOG_TRIM_INTERVAL_SECONDS = 5.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class LifecycleListener(Protocol):
    """Receives the events of the supervisor."""

    def started(self, child: Child, seconds: float) -> None: ...
    def ready(self, seconds: float) -> None: ...
    def crashed(self, child: Child) -> None: ...
    def stopping(self) -> None: ...
    def killing(self) -> None: ...
    def stopped(self) -> None: ...


class Supervisor:
    def __init__(
        self,
        components: Sequence[Component],
        data: DataDir,
        lock: Lock,
        listener: LifecycleListener,
        *,
        url: str,
        api_listen: str | None = None,
        gateway_url: str = "",
        gateway_listen: str = "",
    ) -> None:
        self._data = data
        self._listener = listener
        self._url = url
        self._api_listen = api_listen
        self._gateway_url = gateway_url
        self._gateway_listen = gateway_listen
        self._phase = "starting"
        self._began = time.monotonic()
        self._started = time.time()
        self._ready_after = 0.0
        self._born = process.birth(os.getpid())
        self._stop_requested = asyncio.Event()
        self._children = [Child(one, inherited_fd=lock.fd, changed=self._changed) for one in components]

    async def run(self) -> None:
        """Run until a signal requests a stop; raises `SupervisorError` if a component does not start."""
        tasks: list[asyncio.Task[None]] = []
        with self._signals():
            try:
                for child in self._children:
                    log_files.rotate(child.component.log)
                    tasks.append(asyncio.create_task(child.keep_running()))
                for child, task in zip(self._children, tasks, strict=True):
                    await self._bring_up(child, task)
                    if self._stop_requested.is_set():
                        return
                self._phase = "ready"
                self._ready_after = time.monotonic() - self._began
                self._save()
                self._listener.ready(self._ready_after)
                await self._watch()
            finally:
                await self._take_down(tasks)

    def request_stop(self) -> None:
        """Handle a stop signal: the first one stops the children, the second one kills them."""
        if self._stop_requested.is_set():
            self._listener.killing()
            for child in self._children:
                child.kill()
        self._stop_requested.set()

    async def _bring_up(self, child: Child, task: asyncio.Task[None]) -> None:
        waits = [
            asyncio.create_task(event.wait()) for event in (child.ready, child.failed_to_start, self._stop_requested)
        ]
        await asyncio.wait([*waits, task], timeout=START_TIMEOUT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        if child.ready.is_set():
            self._listener.started(child, time.monotonic() - self._began)
        elif not self._stop_requested.is_set():
            if task.done() and task.exception() is not None:
                raise SupervisorError(
                    f"cannot run the {child.component.name}: {task.exception()}"
                ) from task.exception()
            raise SupervisorError(_why_not_ready(child), lines=log_files.error_lines(child.component.log))

    async def _watch(self) -> None:
        while not self._stop_requested.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOG_TRIM_INTERVAL_SECONDS):
                    await self._stop_requested.wait()
            for child in self._children:
                log_files.trim(child.component.log)

    async def _take_down(self, tasks: list[asyncio.Task[None]]) -> None:
        self._phase = "stopping"
        self._listener.stopping()
        for child in reversed(self._children):
            await child.stop(STOP_GRACE_SECONDS)
        await asyncio.gather(*tasks, return_exceptions=True)
        run_state.forget(self._data)
        self._listener.stopped()

    @contextlib.contextmanager
    def _signals(self) -> Generator[None]:
        loop = asyncio.get_running_loop()
        handled = on_signals(loop, SIGNALS, self.request_stop)
        try:
            yield
        finally:
            for number in handled:
                loop.remove_signal_handler(number)

    def _changed(self, child: Child) -> None:
        if child.state == "restarting":
            self._listener.crashed(child)
        self._save()

    def _save(self) -> None:
        now = run_state.RunState(
            pid=os.getpid(),
            born=self._born,
            version=__version__,
            phase=self._phase,
            url=self._url,
            started=self._started,
            ready_after=self._ready_after,
            components=tuple(child.snapshot() for child in self._children),
            api_listen=self._api_listen,
            gateway_url=self._gateway_url,
            gateway_listen=self._gateway_listen,
        )
        with contextlib.suppress(OSError):  # a full disk must not take the components down
            run_state.save(self._data, now)


def _why_not_ready(child: Child) -> str:
    name, log = child.component.name, child.component.log
    if child.exit_code is None:
        return f"the {name} was not ready after {START_TIMEOUT_SECONDS:.0f} s. The last lines of {log}:"
    how = f"signal {-child.exit_code}" if child.exit_code < 0 else f"exit code {child.exit_code}"
    return f"the {name} exited while starting ({how}). The last lines of {log}:"
