"""The supervisor: brings the components up, keeps them up, and takes them down in reverse order.

They start side by side, since most of a start is loading code; who needs another waits for it.

What it says goes through `Narrator`, so the same loop serves a terminal, a log and a test. It writes `run/state.json`
at every change.
"""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Iterator, Sequence
from typing import Protocol

from windlass import __version__
from windlass.kube.signals import on_signals
from windlass.supervisor import log_files, process, run_state
from windlass.supervisor.child import Child, Component
from windlass.supervisor.datadir import DataDir, Lock
from windlass.supervisor.errors import SupervisorError

GRACE = 15.0
START_WITHIN = 60.0
TIDY_EVERY = 5.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Narrator(Protocol):
    """Who is told what happens."""

    def started(self, child: Child, seconds: float) -> None: ...
    def ready(self, seconds: float) -> None: ...
    def fell(self, child: Child) -> None: ...
    def stopping(self) -> None: ...
    def killing(self) -> None: ...
    def stopped(self) -> None: ...


class Supervisor:
    def __init__(
        self,
        components: Sequence[Component],
        data: DataDir,
        lock: Lock,
        narrator: Narrator,
        *,
        url: str,
        gateway_url: str = "",
    ) -> None:
        self._data = data
        self._narrator = narrator
        self._url = url
        self._gateway_url = gateway_url
        self._phase = "starting"
        self._began = time.monotonic()
        self._started = time.time()
        self._ready_after = 0.0
        self._born = process.birth(os.getpid())
        self._asked_to_stop = asyncio.Event()
        self._children = [Child(one, hold=lock.fd, changed=self._changed) for one in components]

    async def run(self) -> None:
        """Until a signal asks it to stop; raises `SupervisorError` if a component never comes up."""
        tasks: list[asyncio.Task[None]] = []
        with self._signals():
            try:
                for child in self._children:
                    log_files.rotate(child.component.log)
                    tasks.append(asyncio.create_task(child.keep_running()))
                for child, task in zip(self._children, tasks, strict=True):
                    await self._bring_up(child, task)
                    if self._asked_to_stop.is_set():
                        return
                self._phase = "ready"
                self._ready_after = time.monotonic() - self._began
                self._save()
                self._narrator.ready(self._ready_after)
                await self._watch()
            finally:
                await self._take_down(tasks)

    def ask_to_stop(self) -> None:
        """What a signal does: the first time in good order, the second time at once."""
        if self._asked_to_stop.is_set():
            self._narrator.killing()
            for child in self._children:
                child.kill()
        self._asked_to_stop.set()

    async def _bring_up(self, child: Child, task: asyncio.Task[None]) -> None:
        waits = [asyncio.create_task(event.wait()) for event in (child.ready, child.fallen_early, self._asked_to_stop)]
        await asyncio.wait([*waits, task], timeout=START_WITHIN, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        if child.ready.is_set():
            self._narrator.started(child, time.monotonic() - self._began)
        elif not self._asked_to_stop.is_set():
            if task.done() and task.exception() is not None:
                raise SupervisorError(
                    f"cannot run the {child.component.name}: {task.exception()}"
                ) from task.exception()
            raise SupervisorError(_why_not_ready(child), lines=log_files.last_words(child.component.log))

    async def _watch(self) -> None:
        while not self._asked_to_stop.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TIDY_EVERY):
                    await self._asked_to_stop.wait()
            for child in self._children:
                log_files.trim(child.component.log)

    async def _take_down(self, tasks: list[asyncio.Task[None]]) -> None:
        self._phase = "stopping"
        self._narrator.stopping()
        for child in reversed(self._children):
            await child.stop(GRACE)
        await asyncio.gather(*tasks, return_exceptions=True)
        run_state.forget(self._data)
        self._narrator.stopped()

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        handled = on_signals(loop, SIGNALS, self.ask_to_stop)
        try:
            yield
        finally:
            for number in handled:
                loop.remove_signal_handler(number)

    def _changed(self, child: Child) -> None:
        if child.state == "restarting":
            self._narrator.fell(child)
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
            gateway_url=self._gateway_url,
        )
        with contextlib.suppress(OSError):  # a full disk must not take the components down
            run_state.save(self._data, now)


def _why_not_ready(child: Child) -> str:
    name, log = child.component.name, child.component.log
    if child.exit_code is None:
        return f"the {name} was not ready after {START_WITHIN:.0f} s. The last lines of {log}:"
    how = f"signal {-child.exit_code}" if child.exit_code < 0 else f"exit code {child.exit_code}"
    return f"the {name} ended while starting ({how}). The last lines of {log}:"
