"""Binds pods to the nodes that were chosen, many at a time, once their claims are bound there (`claims`)."""

import logging
from collections.abc import Callable
from datetime import timedelta

from windlass.apis.core_v1 import Pod
from windlass.kube import errors
from windlass.kube.api import About
from windlass.kube.cache import Store
from windlass.kube.controller import Runtime
from windlass.kube.kind import KINDS
from windlass.kube.queue import Queue
from windlass.kube.view import typed
from windlass.scheduler.live.claims import Claims, ClaimsFailed
from windlass.scheduler.live.gang_binding import GangBinder
from windlass.scheduler.live.shared_binding import SharedBinder
from windlass.scheduler.model.pod_info import PodInfo

PODS = KINDS.of(Pod)
ASK_AGAIN = timedelta(seconds=5)

log = logging.getLogger(__name__)


class Binder:
    """`bound` and `not_bound` hear how each attempt ended."""

    def __init__(
        self,
        runtime: Runtime,
        pods: Store[Pod],
        claims: Claims,
        bound: Callable[[str], None],
        not_bound: Callable[[PodInfo, str], None],
    ) -> None:
        self._runtime, self._api, self._pods = runtime, runtime.api, pods
        self._bound, self._not_bound = bound, not_bound
        self.queue: Queue[str] = runtime.queue("default_scheduler_bind")
        self._wanted: dict[str, tuple[PodInfo, str]] = {}
        self._waiting: set[str] = set()  # for claims
        self._claims = claims
        self._shared = SharedBinder(GangBinder(runtime.api))

    def add(self, pod: PodInfo, node: str) -> None:
        self._wanted[pod.uid] = (pod, node)
        self.queue.add(pod.uid)

    def look_again(self) -> None:
        """Claims or volumes changed: those that wait for them may go on."""
        for uid in self._waiting:
            self.queue.add(uid)

    def about(self, uid: str) -> About | None:
        wanted = self._wanted.get(uid)
        return None if wanted is None else (wanted[0].pod, PODS)

    async def step(self, uid: str) -> timedelta | None:
        """Bind one pod, or see that it cannot be. A failure of which nothing is known raises, and is tried again."""
        wanted = self._wanted.get(uid)
        if wanted is None:
            return None
        pod, node = wanted
        try:
            if pod.claims and not await self._claims.are_bound(pod, node):
                self._waiting.add(uid)
                return ASK_AGAIN
        except ClaimsFailed as error:
            log.info("binding failed pod=%s error=%s", pod.key, error)
            self._settle(uid)
            self._not_bound(pod, str(error))
            return None
        try:
            await self._bind(pod, node)
        except errors.ApiError as error:
            await self._doubt(pod, node, str(error))
        return None

    async def _bind(self, pod: PodInfo, node: str) -> None:
        outcome = await self._shared.bind(pod.key, pod.pod.metadata.uid, node)
        if outcome.state != "bound":
            await self._doubt(pod, node, outcome.why)
            return
        self._settle(pod.uid)
        self._bound(pod.uid)
        self._runtime.tell(pod.scheduler, pod.pod, PODS, "Scheduled", f"Successfully assigned {pod.key} to {node}")

    async def _doubt(self, pod: PodInfo, node: str, error: str) -> None:
        """It may have been bound all the same: only the server knows. While it does not say, the room stays taken."""
        log.info("binding failed pod=%s node=%s error=%s", pod.key, node, error)
        try:
            latest = await self._api.get(typed(Pod), pod.key.name, pod.key.namespace)
        except errors.NotFound:
            latest = None
        self._settle(pod.uid)
        if latest is not None and latest.metadata.uid == pod.pod.metadata.uid and latest.spec.node_name:
            self._bound(pod.uid)
        else:
            self._not_bound(pod, f'running Bind plugin "DefaultBinder": {error}')

    def _settle(self, uid: str) -> None:
        self._wanted.pop(uid, None)
        self._waiting.discard(uid)
        self._claims.forget(uid)
