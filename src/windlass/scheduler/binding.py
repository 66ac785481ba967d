"""Binds pods to the nodes that were chosen, many at a time, once their claims are bound there."""

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Literal

from windlass.apis.core_v1 import PersistentVolume, PersistentVolumeClaim, Pod
from windlass.kube import errors
from windlass.kube.cache import Store
from windlass.kube.controller import Runtime
from windlass.kube.json import Object as Json
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.queue import Queue
from windlass.kube.view import typed
from windlass.scheduler.pod_info import PodInfo
from windlass.scheduler.predicates.volumes import SELECTED_NODE, choose, is_bound
from windlass.scheduler.snapshot import Snapshot
from windlass.scheduler.verdict import Refusal

PODS, CLAIMS, VOLUMES = KINDS.of(Pod), KINDS.of(PersistentVolumeClaim), KINDS.of(PersistentVolume)
CLAIMS_WITHIN = 600.0  # seconds; kube-scheduler's bindTimeoutSeconds
ASK_AGAIN = timedelta(seconds=5)
CLAIMS_FAILED = 'running PreBind plugin "VolumeBinding"'

log = logging.getLogger(__name__)


class Binder:
    """`bound` and `not_bound` hear how each attempt ended."""

    def __init__(
        self,
        runtime: Runtime,
        pods: Store[Pod],
        snapshot: Snapshot,
        bound: Callable[[str], None],
        not_bound: Callable[[PodInfo, str], None],
    ) -> None:
        self._runtime, self._api, self._pods, self._snapshot = runtime, runtime.api, pods, snapshot
        self._bound, self._not_bound = bound, not_bound
        self.queue: Queue[str] = runtime.queue("default_scheduler_bind")
        self._wanted: dict[str, tuple[PodInfo, str]] = {}
        self._waiting: dict[str, float] = {}  # for claims, since when

    def add(self, pod: PodInfo, node: str) -> None:
        self._wanted[pod.uid] = (pod, node)
        self.queue.add(pod.uid)

    def look_again(self) -> None:
        """Claims or volumes changed: those that wait for them may go on."""
        for uid in self._waiting:
            self.queue.add(uid)

    async def step(self, uid: str) -> timedelta | None:
        """Bind one pod, or see that it cannot be. A failure of which nothing is known raises, and is tried again."""
        wanted = self._wanted.get(uid)
        if wanted is None:
            return None
        pod, node = wanted
        try:
            if pod.claims and not await self._claims_are_bound(pod, node):
                return ASK_AGAIN if uid in self._wanted else None
        except errors.ApiError as error:
            self._give_up(pod, f"{CLAIMS_FAILED}: {error}")
            return None
        try:
            await self._bind(pod, node)
        except errors.ApiError as error:
            await self._doubt(pod, node, error)
        return None

    async def _bind(self, pod: PodInfo, node: str) -> None:
        binding: Json = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": pod.key.name, "namespace": pod.key.namespace, "uid": pod.pod.metadata.uid},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        }
        await self._api.create_under(PODS, pod.key, "binding", binding)
        self._settle(pod.uid)
        self._bound(pod.uid)
        self._runtime.tell(pod.scheduler, pod.pod, PODS, "Scheduled", f"Successfully assigned {pod.key} to {node}")

    async def _doubt(self, pod: PodInfo, node: str, error: errors.ApiError) -> None:
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
        self._waiting.pop(uid, None)

    # --- claims

    async def _claims_are_bound(self, pod: PodInfo, node_name: str) -> bool:
        """Asks for what is missing; False while it is awaited, or when it cannot be and the pod was given up."""
        late = time.monotonic() - self._waiting.setdefault(pod.uid, time.monotonic()) > CLAIMS_WITHIN
        if late:
            return self._give_up(pod, f"{CLAIMS_FAILED}: binding volumes: context deadline exceeded")
        node = self._snapshot.node(node_name)
        if node is None or node.node is None or self._snapshot.node_of(pod.uid) is None:
            return self._give_up(pod, f'{CLAIMS_FAILED}: node "{node_name}" not found')
        claims: list[PersistentVolumeClaim] = []
        for name, _ in pod.claims:
            claim = self._snapshot.claims.get(Key(pod.key.namespace, name))
            if claim is None:
                return self._give_up(pod, f'{CLAIMS_FAILED}: persistentvolumeclaim "{name}" not found')
            claims.append(claim)
        chosen = choose(claims, node.node, self._snapshot)
        if isinstance(chosen, Refusal):
            return self._give_up(pod, f"{CLAIMS_FAILED}: {chosen.reasons[0]}")
        missing = [claim for claim in claims if not is_bound(claim)]
        for claim in missing:
            await self._ask_for(claim, chosen[claim.metadata.key], node_name)
        return not missing

    def _give_up(self, pod: PodInfo, why: str) -> Literal[False]:
        log.info("binding failed pod=%s error=%s", pod.key, why)
        self._settle(pod.uid)
        self._not_bound(pod, why)
        return False

    async def _ask_for(self, claim: PersistentVolumeClaim, chosen: PersistentVolume | None, node: str) -> None:
        """A volume that is there is promised to the claim; else the claim says on which node one shall be made."""
        key = claim.metadata.key
        if chosen is None:
            if claim.metadata.annotations.get(SELECTED_NODE) != node:
                await self._api.patch(CLAIMS, key, {"metadata": {"annotations": {SELECTED_NODE: node}}})
            return
        self._snapshot.reserved[chosen.metadata.name] = key
        if chosen.spec.get("claimRef", {}).get("uid") == claim.metadata.uid:
            return
        reference = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": key.namespace,
            "name": key.name,
            "uid": claim.metadata.uid,
        }
        patch: Json = {
            "metadata": {"resourceVersion": chosen.metadata.resource_version},
            "spec": {"claimRef": reference},
        }
        await self._api.patch(VOLUMES, chosen.metadata.key, patch)
