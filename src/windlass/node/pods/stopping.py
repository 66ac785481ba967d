"""Stopping a container as kubelet does: preStop, the stop signal, patience, SIGKILL."""

import asyncio
import contextlib
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from windlass.kube.json import dig
from windlass.node.lifecycle import notes
from windlass.node.lifecycle.decision import Stop
from windlass.node.lifecycle.observed import Stopping
from windlass.node.pods.starting import hook_of, reach
from windlass.node.probes.hooks import run_hook

if TYPE_CHECKING:
    from windlass.node.pods.worker import Worker

LEAST_AFTER_HOOK = 2.0  # seconds between the stop signal and SIGKILL when preStop has used the grace up; kubelet's


class StopInProgress:
    """A stop that may be asked to end sooner."""

    def __init__(self, wanted: Stop) -> None:
        self.attempt = wanted.attempt
        self.since = time.time()
        self.deadline = self.since + wanted.grace
        self.hastened = asyncio.Event()

    def hasten(self, grace: float) -> None:
        sooner = time.time() + grace
        if sooner < self.deadline - 0.5:  # less is the same deadline, told a moment later
            self.deadline = sooner
            self.hastened.set()

    def seen(self) -> Stopping:
        return Stopping(self.attempt, self.since, max(0.0, self.deadline - self.since))


async def stop(worker: "Worker", name: str, under_way: StopInProgress) -> None:
    """Returns when that run has ended."""
    runtime, container = worker.means.runtime, worker.container(name)
    hook = hook_of(container, "preStop") if container is not None else None
    if container is not None and hook is not None and under_way.deadline > time.time():
        problem = await _until(under_way, run_hook(hook, reach(worker, container)))
        if problem is not None:
            worker.means.tell(worker.pod, notes.pre_stop_failed(worker.field_path(name)))
        if under_way.deadline < time.time() + LEAST_AFTER_HOOK and not under_way.hastened.is_set():
            under_way.deadline = time.time() + LEAST_AFTER_HOOK
    if under_way.deadline > time.time():
        signal = str(dig(container, "lifecycle", "stopSignal") or "SIGTERM") if container is not None else "SIGTERM"
        await runtime.signal_container(worker.uid, name, signal)
        while not _ended(worker, name, under_way.attempt) and time.time() < under_way.deadline:
            await _pause(worker, under_way)
    if not _ended(worker, name, under_way.attempt):
        await runtime.signal_container(worker.uid, name, "SIGKILL")
    while not _ended(worker, name, under_way.attempt):
        await worker.means.changes.next(worker.uid)


async def _until(under_way: StopInProgress, work: Coroutine[Any, Any, str | None]) -> str | None:
    """Its answer, or that it took too long."""
    task = asyncio.ensure_future(work)
    hastened = asyncio.ensure_future(under_way.hastened.wait())
    try:
        left = max(0.0, under_way.deadline - time.time())
        await asyncio.wait([task, hastened], timeout=left, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else "it was not done within the grace period"
    finally:
        task.cancel()
        hastened.cancel()


async def _pause(worker: "Worker", under_way: StopInProgress) -> None:
    """Until something happens in the pod, the deadline passes, or the stop is hastened."""
    under_way.hastened.clear()
    changed = worker.means.changes.next(worker.uid)
    hastened = asyncio.ensure_future(under_way.hastened.wait())
    try:
        left = max(0.0, under_way.deadline - time.time())
        await asyncio.wait([changed, hastened], timeout=left, return_when=asyncio.FIRST_COMPLETED)
    finally:
        hastened.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            changed.cancel()


def _ended(worker: "Worker", name: str, attempt: int) -> bool:
    facts = worker.means.facts.get(worker.uid)
    if facts is None or not facts.alive:
        return True
    return not any(run.name == name and run.attempt == attempt and run.state == "running" for run in facts.containers)
