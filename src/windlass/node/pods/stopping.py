"""Stops a container as kubelet does: preStop, the stop signal, the grace period, SIGKILL."""

import asyncio
import contextlib
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from windlass.kube.json import dig
from windlass.node.lifecycle import events
from windlass.node.lifecycle.decision import Stop
from windlass.node.lifecycle.observed import Stopping
from windlass.node.pods.starting import hook_of, probe_target
from windlass.node.probes.hooks import run_hook

if TYPE_CHECKING:
    from windlass.node.pods.worker import Worker

MIN_GRACE_AFTER_HOOK = 2.0  # seconds between the stop signal and SIGKILL when preStop has used the grace up; kubelet's


class StopInProgress:
    """A stop in progress, which may be shortened."""

    def __init__(self, wanted: Stop) -> None:
        self.attempt = wanted.attempt
        self.since = time.time()
        self.deadline = self.since + wanted.grace
        self.shortened = asyncio.Event()

    def shorten(self, grace: float) -> None:
        sooner = time.time() + grace
        if sooner < self.deadline - 0.5:  # a smaller difference is the same deadline, repeated a moment later
            self.deadline = sooner
            self.shortened.set()

    def observed(self) -> Stopping:
        return Stopping(self.attempt, self.since, max(0.0, self.deadline - self.since))


async def stop(worker: "Worker", name: str, under_way: StopInProgress) -> None:
    """Stop a run; returns when it has ended."""
    runtime, container = worker.context.runtime, worker.container(name)
    hook = hook_of(container, "preStop") if container is not None else None
    if container is not None and hook is not None and under_way.deadline > time.time():
        problem = await _until(under_way, run_hook(hook, probe_target(worker, container)))
        if problem is not None:
            worker.context.record_event(worker.pod, events.pre_stop_failed(worker.field_path(name)))
        if under_way.deadline < time.time() + MIN_GRACE_AFTER_HOOK and not under_way.shortened.is_set():
            under_way.deadline = time.time() + MIN_GRACE_AFTER_HOOK
    if under_way.deadline > time.time():
        signal = str(dig(container, "lifecycle", "stopSignal") or "SIGTERM") if container is not None else "SIGTERM"
        await runtime.signal_container(worker.uid, name, signal)
        while not _ended(worker, name, under_way.attempt) and time.time() < under_way.deadline:
            await _pause(worker, under_way)
    if not _ended(worker, name, under_way.attempt):
        await runtime.signal_container(worker.uid, name, "SIGKILL")
    while not _ended(worker, name, under_way.attempt):
        await worker.context.changes.next(worker.uid)


async def _until(under_way: StopInProgress, work: Coroutine[Any, Any, str | None]) -> str | None:
    """Return the hook's result, or that it exceeded the grace period."""
    task = asyncio.ensure_future(work)
    shortened = asyncio.ensure_future(under_way.shortened.wait())
    try:
        left = max(0.0, under_way.deadline - time.time())
        await asyncio.wait([task, shortened], timeout=left, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else "it did not finish within the grace period"
    finally:
        task.cancel()
        shortened.cancel()


async def _pause(worker: "Worker", under_way: StopInProgress) -> None:
    """Wait until something happens in the pod, the deadline passes, or the stop is shortened."""
    under_way.shortened.clear()
    changed = worker.context.changes.next(worker.uid)
    shortened = asyncio.ensure_future(under_way.shortened.wait())
    try:
        left = max(0.0, under_way.deadline - time.time())
        await asyncio.wait([changed, shortened], timeout=left, return_when=asyncio.FIRST_COMPLETED)
    finally:
        shortened.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            changed.cancel()


def _ended(worker: "Worker", name: str, attempt: int) -> bool:
    facts = worker.context.facts.get(worker.uid)
    if facts is None or not facts.alive:
        return True
    return not any(run.name == name and run.attempt == attempt and run.state == "running" for run in facts.containers)
