"""The worker of one pod: observes, decides, acts, reports the status, then waits for a change.

Long operations (preparing, pulling, starting, stopping, probing) run in tasks beside the loop and wake it when they
finish. The worker's state can be rebuilt, so it may be lost with the agent at any moment.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Coroutine, Hashable, Sequence
from typing import Any

from windlass.kube.errors import ApiError, Conflict, NotFound
from windlass.kube.faults import RETRIED
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.meta import Key
from windlass.kube.objects import version_of
from windlass.node.lifecycle import events
from windlass.node.lifecycle.decide import decide
from windlass.node.lifecycle.decision import Decision, Finish, Instruction, Prepare, Pull, Remove, Start, Stop
from windlass.node.lifecycle.observed import Eviction, Observed
from windlass.node.pods.context import POD, WorkerContext
from windlass.node.pods.preparing import archive_logs, prepare, pull, remove
from windlass.node.pods.starting import start, start_probing
from windlass.node.pods.state import WorkerState
from windlass.node.pods.status import status_patch
from windlass.node.pods.status_runs import container_statuses, runs_from_status
from windlass.node.pods.stopping import StopInProgress, stop
from windlass.node.pods.termination_messages import TerminationMessages
from windlass.node.volumes.base import NotReady

STATUS_DELAY = 0.2  # seconds that a first status may wait for a start in progress, which will change it
AT_ONCE = 0.01  # seconds within which a trivial process has ended
_SHOWN_BY_VOLUMES = ("labels", "annotations")
RETRY = 1.0  # seconds after a failed write of the status, or an unexpected error
MAX_RETRY = 60.0

log = logging.getLogger(__name__)


class Worker:
    """Runs until the pod is gone."""

    def __init__(self, context: WorkerContext, pod: Object) -> None:
        self._context = context
        self.pod = pod
        self.uid = str(dig(pod, "metadata", "uid"))
        self.state = WorkerState()
        self._termination_messages = TerminationMessages(context.runtime.log_file)
        self.evicting: Eviction | None = None
        self._status: Object | None = None
        self._version = 0  # resourceVersion of the last write's response
        self._tasks: dict[Hashable, asyncio.Task[None]] = {}
        self._stops: dict[str, StopInProgress] = {}
        self._failures: dict[Hashable, int] = {}
        self._woken = asyncio.Event()
        self._is_gone = False

    @property
    def key(self) -> Key:
        return Key(str(dig(self.pod, "metadata", "namespace")), str(dig(self.pod, "metadata", "name")))

    def current(self) -> Object:
        """Return the object with the newest status that this worker has written, though the cache may be behind."""
        return self.pod if self._status is None else {**self.pod, "status": self._status}

    def update(self, pod: Object) -> None:
        """Take a changed object. Its status is newer than this worker's last write, unless the cache is behind."""
        self.pod = pod
        if int(version_of(pod)) >= self._version:
            self._status = None
        self.wake()

    def vanish(self) -> None:
        """The object is gone: remove everything that belongs to the pod."""
        self._is_gone = True
        self.wake()

    def wake(self) -> None:
        self._woken.set()

    async def run(self) -> None:
        try:
            while not self._is_gone:
                self._woken.clear()
                self._keep_probing()
                decision = decide(self.current(), self.observed())
                if await self._carry_out(decision):
                    break
                await self._wait(decision.wake_at)
            await self._clear_away()
        finally:
            for task in self._tasks.values():
                task.cancel()

    def observed(self) -> Observed:
        state, facts = self.state, self._context.facts.get(self.uid)
        facts = None if facts is None else self._termination_messages.of(self.pod, facts)
        return Observed(
            now=time.time(),
            node_name=self._context.node_name,
            host_ip=self._context.host_ip,
            facts=facts,
            prepared=state.prepared and facts is not None and facts.alive,
            failure=state.failure,
            address=state.address,
            images=dict(state.images),
            pulling=frozenset(key[1] for key in self._tasks if isinstance(key, tuple) and key[0] == "pull"),
            pull_failures=dict(state.pull_failures),
            config_failures=dict(state.config_failures),
            probe_results={name: prober.probe_results for name, prober in state.probers.items()},
            stopping={name: each.observed() for name, each in self._stops.items()},
            hooks=dict(state.hooks),
            rejection=None if facts is not None else self._context.admit(self.current()).rejection,
            evicting=self.evicting,
        )

    async def _wait(self, until: float | None) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(None if until is None else max(0.0, until - time.time())):
                await self._woken.wait()

    # acting

    async def _carry_out(self, decision: Decision) -> bool:
        """Start the instructions and write the status; whether the pod is finished."""
        for note in decision.events:
            self._context.record_event(self.pod, note)
        last = [each for each in decision.do if isinstance(each, (Remove, Finish))]
        for instruction in decision.do:
            if instruction not in last:
                self._begin(instruction)
        if not last and (self._starts_soon(decision.status) or self._may_end_at_once(decision.status)):
            return False
        if not await self._write(decision.status):
            return False
        if last:
            return await self._end(last)
        return False

    def _begin(self, instruction: Instruction) -> None:
        match instruction:
            case Prepare():
                self._spawn("prepare", prepare(self))
            case Pull(container=name):
                self._spawn(("pull", name), pull(self, instruction))
            case Start(container=name):
                self._spawn(("start", name), start(self, instruction))
            case Stop(container=name):
                under_way, key = self._stops.get(name), ("stop", name, instruction.attempt)
                if under_way is not None and under_way.attempt == instruction.attempt:
                    under_way.shorten(instruction.grace)
                elif key not in self._tasks:  # a failed stop occupies its key while it backs off
                    self._stops[name] = StopInProgress(instruction)
                    self._spawn(key, self._stop(name, self._stops[name]))
            case _:
                raise AssertionError(f"{instruction} must be carried out last")

    async def _stop(self, name: str, under_way: StopInProgress) -> None:
        try:
            await stop(self, name, under_way)
        finally:
            if self._stops.get(name) is under_way:
                del self._stops[name]

    def spawn(self, key: Hashable, work: Coroutine[Any, Any, None]) -> None:
        """Run a task for this pod beside the loop, one at a time per key."""
        self._spawn(key, work)

    def _spawn(self, key: Hashable, work: Coroutine[Any, Any, None]) -> None:
        if key in self._tasks:
            work.close()
            return
        task = self._tasks[key] = asyncio.create_task(work, name=f"{key} {self.key}")
        task.add_done_callback(lambda done: self._finished(key, done))

    def _finished(self, key: Hashable, task: asyncio.Task[None]) -> None:
        self._tasks.pop(key, None)
        error = None if task.cancelled() else task.exception()
        if error is None:
            self._failures.pop(key, None)
        else:
            name = str(key[0] if isinstance(key, tuple) else key)
            self._context.client.faults.report(f"pod worker: {name}", error, self.pod, POD, RETRIED)
            failures = self._failures[key] = self._failures.get(key, -1) + 1
            pause = min(RETRY * 2**failures, MAX_RETRY)
            self._spawn_pause(key, pause)
        self.wake()

    def _spawn_pause(self, key: Hashable, seconds: float) -> None:
        """Occupy the key of a failed task for a while, so that it is not retried immediately."""
        task = self._tasks[key] = asyncio.create_task(asyncio.sleep(seconds), name=f"pause {key} {self.key}")
        task.add_done_callback(lambda _: self._paused(key))

    def _paused(self, key: Hashable) -> None:
        self._tasks.pop(key, None)
        self.wake()

    async def _end(self, instructions: Sequence[Instruction]) -> bool:
        """Remove the pod, and delete its object if instructed; whether nothing is left to do."""
        await remove(self)
        if not any(isinstance(each, Finish) for each in instructions):
            return False
        with contextlib.suppress(NotFound, Conflict):
            await self._context.client.delete(POD, self.key, uid=self.uid, grace_seconds=0)
        return True

    async def _clear_away(self) -> None:
        """The object is gone: end what still runs, and remove it."""
        for task in list(self._tasks.values()):
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        runs = self._all_runs()
        await remove(self)
        await archive_logs(self, runs)

    def _all_runs(self) -> list[tuple[str, int]]:
        """Return the runs of all containers, including those that were running when the object was deleted."""
        facts, status = self._context.facts.get(self.uid), dig_object(self.current(), "status")
        told = [(str(each["name"]), int(each.get("restartCount") or 0)) for each in container_statuses(status)]
        told += [(run.name, run.attempt) for run in runs_from_status(self.current())]
        return told + [(run.name, run.attempt) for run in (facts.containers if facts is not None else ())]

    def _keep_probing(self) -> None:
        """Probe exactly the running containers, including those started before this agent."""
        facts = self._context.facts.get(self.uid)
        runs = {run.name: run for run in facts.containers if run.state == "running"} if facts else {}
        for name, prober in list(self.state.probers.items()):
            if name not in runs or runs[name].attempt != prober.probe_results.attempt:
                del self.state.probers[name]
                task = self._tasks.get(("probe", name, prober.probe_results.attempt))
                if task is not None:
                    task.cancel()
        if self.state.prepared:
            for name, run in runs.items():
                container = self.container(name)
                if container is not None:
                    start_probing(self, container, run)

    # reporting

    def _starts_soon(self, status: Object) -> bool:
        """Whether to skip a Pending status because a start in progress will change it in a moment."""
        soon = any(key == "prepare" or (isinstance(key, tuple) and key[0] == "start") for key in self._tasks)
        if not soon or status.get("phase") != "Pending":
            return False
        began = self.state.began
        if time.monotonic() - began >= STATUS_DELAY:
            return False
        asyncio.get_running_loop().call_later(STATUS_DELAY - (time.monotonic() - began), self.wake)
        return True

    def _may_end_at_once(self, status: Object) -> bool:
        """Whether to delay a Running status since the container may end at once; a Deployment's is not expected to."""
        if status.get("phase") != "Running" or dig(self.pod, "spec", "restartPolicy") == "Always":
            return False
        facts = self._context.facts.get(self.uid)
        young = [r.started_at for r in facts.containers if r.state == "running"] if facts is not None else []
        left = max(young, default=0.0) + AT_ONCE - time.time()
        if left <= 0:
            return False
        asyncio.get_running_loop().call_later(left, self.wake)
        return True

    async def _write(self, status: Object) -> bool:
        """Write the status; whether the API server now has it."""
        patch = status_patch(dig(self.current(), "status") or {}, status)
        if patch is None:
            self._status = status
            return True
        try:
            told = await self._context.client.patch(
                POD, self.key, {"metadata": {"uid": self.uid}, "status": patch}, "strategic", subresource="status"
            )
        except NotFound:
            self._is_gone = True
            return False
        except Conflict:  # another pod of this name exists: ours is gone
            self._is_gone = True
            return False
        except ApiError as error:
            log.warning("cannot write the status pod=%s error=%s", self.key, error)
            asyncio.get_running_loop().call_later(RETRY, self.wake)
            return False
        self._status, self._version = dig(told, "status"), int(version_of(told))
        return True

    async def refresh_volumes(self) -> None:
        """Update volumes whose configMap, secret or token has changed."""
        try:
            await self._context.volumes.refresh(self.current())
        except NotReady as error:
            self._context.record_event(self.pod, events.mount_failed(str(error)))

    def container(self, name: str) -> Object | None:
        """Return the container of the manifest."""
        for kind in ("initContainers", "containers", "ephemeralContainers"):
            for each in dig_list(self.pod, "spec", kind):
                if each.get("name") == name:
                    return each
        return None

    def field_path(self, name: str) -> str:
        for kind in ("initContainers", "containers", "ephemeralContainers"):
            if any(each.get("name") == name for each in dig_list(self.pod, "spec", kind)):
                return f"spec.{kind}{{{name}}}"
        return ""

    @property
    def context(self) -> WorkerContext:
        return self._context
