"""Binds the claims of a pod on the node that was chosen for it: before the pod, as the core plans it."""

import time
from collections.abc import Callable

from windlass.apis.core_v1 import PersistentVolume, PersistentVolumeClaim
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.json import Object as Json
from windlass.kube.kind import KINDS
from windlass.scheduler.live.core.claim_plans import FAILED, ClaimPlan, ClaimsFailed, ClaimWrite, SelectNode
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.predicates.volumes import SELECTED_NODE

CLAIMS, VOLUMES = KINDS.of(PersistentVolumeClaim), KINDS.of(PersistentVolume)
WITHIN = 600.0  # seconds; kube-scheduler's bindTimeoutSeconds


class Claims:
    """Writes what is missing, and knows since when it is awaited. `plan` is the core's; it raises ClaimsFailed."""

    def __init__(self, api: Api, plan: Callable[[PodInfo, str], ClaimPlan]) -> None:
        self._api, self._plan = api, plan
        self._since: dict[str, float] = {}

    def forget(self, uid: str) -> None:
        self._since.pop(uid, None)

    async def are_bound(self, pod: PodInfo, node: str) -> bool:
        """Write what is missing; False while it is awaited. Raises ClaimsFailed."""
        if not pod.claims:
            return True
        if time.monotonic() - self._since.setdefault(pod.uid, time.monotonic()) > WITHIN:
            raise ClaimsFailed(f"{FAILED}: binding volumes: context deadline exceeded")
        plan = self._plan(pod, node)
        try:
            for write in plan.writes:
                await self._write(write)
        except errors.ApiError as error:
            raise ClaimsFailed(f"{FAILED}: {error}") from error
        if plan.are_bound:
            self.forget(pod.uid)
        return plan.are_bound

    async def _write(self, write: ClaimWrite) -> None:
        if isinstance(write, SelectNode):
            await self._api.patch(CLAIMS, write.claim, {"metadata": {"annotations": {SELECTED_NODE: write.node}}})
            return
        volume, claim = write.volume, write.claim
        reference = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": claim.metadata.namespace,
            "name": claim.metadata.name,
            "uid": claim.metadata.uid,
        }
        patch: Json = {
            "metadata": {"resourceVersion": volume.metadata.resource_version},
            "spec": {"claimRef": reference},
        }
        await self._api.patch(VOLUMES, volume.metadata.key, patch)
