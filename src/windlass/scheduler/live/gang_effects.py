"""Carries out what a cycle decided about gangs: binds, evicts, and hands on what is to be told."""

import itertools
import logging
from collections.abc import Callable
from datetime import timedelta

from windlass.apis.core_v1 import Pod
from windlass.kube import errors
from windlass.kube.cache import Store
from windlass.kube.controller import Runtime
from windlass.kube.json import Object as Json
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS
from windlass.kube.queue import Queue
from windlass.scheduler.framework.decisions import Commit, Eviction
from windlass.scheduler.live.claims import Claims, ClaimsFailed
from windlass.scheduler.live.gang_binding import Bind, GangBinder
from windlass.scheduler.model.jobs import Task

PODS = KINDS.of(Pod)
ASK_AGAIN = timedelta(seconds=5)

log = logging.getLogger(__name__)


class GangBinding:
    """Binds the tasks of a commit together, once the claims of all of them are bound.

    `bound` and `not_bound` hear what became of each task.
    """

    def __init__(
        self,
        runtime: Runtime,
        claims: Claims,
        bound: Callable[[Task], None],
        not_bound: Callable[[Task, str], None],
    ) -> None:
        self._claims, self._bound, self._not_bound = claims, bound, not_bound
        self.queue: Queue[int] = runtime.queue("gang_bind")
        self._binder = GangBinder(runtime.api)
        self._wanted: dict[int, Commit] = {}
        self._numbers = itertools.count()
        self._waiting: set[int] = set()

    def add(self, commit: Commit) -> None:
        number = next(self._numbers)
        self._wanted[number] = commit
        self.queue.add(number)

    def look_again(self) -> None:
        """Claims or volumes changed."""
        for number in self._waiting:
            self.queue.add(number)

    async def step(self, number: int) -> timedelta | None:
        """Bind one commit. What the server leaves in doubt raises, and is tried again."""
        commit = self._wanted.get(number)
        if commit is None:
            return None
        try:
            ready = [await self._claims.are_bound(task.pod, task.node) for task in commit.tasks if task.pod.claims]
        except ClaimsFailed as error:
            self._end(number, commit, dict.fromkeys((task.uid for task in commit.tasks), str(error)))
            return None
        if not all(ready):
            self._waiting.add(number)
            return ASK_AGAIN
        binds = [
            Bind(task.pod.key, task.pod.pod.metadata.uid, task.node, tuple(task.notes.items())) for task in commit.tasks
        ]
        result = await self._binder.bind_together(commit.job.namespace, binds)
        failed = {task.uid: result.failed.get(task.pod.key, "") for task in commit.tasks} if not result.whole else {}
        self._end(number, commit, failed)
        return None

    def _end(self, number: int, commit: Commit, failed: dict[str, str]) -> None:
        self._wanted.pop(number, None)
        self._waiting.discard(number)
        for task in commit.tasks:
            self._claims.forget(task.uid)
            if failed:
                log.info("binding failed pod=%s error=%s", task.pod.key, failed.get(task.uid))
                self._not_bound(task, failed.get(task.uid) or "another pod of its gang could not be bound")
            else:
                self._bound(task)


class Evictor:
    """Says why, then deletes the pod, with the time that it has to end in peace."""

    def __init__(self, runtime: Runtime, pods: Store[Pod], told: Callable[[Eviction], None]) -> None:
        self._runtime, self._pods, self._told = runtime, pods, told
        self.queue: Queue[str] = runtime.queue("gang_evict")
        self._wanted: dict[str, Eviction] = {}

    def add(self, eviction: Eviction) -> None:
        self._wanted[eviction.task.uid] = eviction
        self.queue.add(eviction.task.uid)

    async def step(self, uid: str) -> timedelta | None:
        eviction = self._wanted.get(uid)
        if eviction is None:
            return None
        pod, why = eviction.task.pod, f"Pod is evicted, because of {eviction.action}"
        now = timestamp()
        conditions: list[Json] = [
            {"type": "Ready", "status": "False", "reason": "Evict", "message": why, "lastTransitionTime": now},
            {
                "type": "DisruptionTarget",
                "status": "True",
                "reason": "PreemptionByScheduler",
                "message": why,
                "lastTransitionTime": now,
            },
        ]
        try:
            status: Json = {"status": {"conditions": conditions}}
            await self._runtime.api.patch(PODS, pod.key, status, "strategic", subresource="status")
            await self._runtime.api.delete(PODS, pod.key, uid=pod.pod.metadata.uid)
        except (errors.NotFound, errors.Conflict):  # it is gone, which is what was wanted
            self._wanted.pop(uid, None)
            return None
        self._wanted.pop(uid, None)
        self._runtime.warn(pod.scheduler, pod.pod, PODS, "Evict", why)
        self._told(eviction)
        return None
