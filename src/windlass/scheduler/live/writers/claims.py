"""Binds the claims of a pod on the node that was chosen for it: before the pod, and only once that is decided."""

import time

from windlass.apis.core_v1 import PersistentVolume, PersistentVolumeClaim
from windlass.apis.reason_text import node_cause
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.json import Object as Json
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import Snapshot
from windlass.scheduler.predicates.verdict import Refusal
from windlass.scheduler.predicates.volumes import SELECTED_NODE, choose, is_bound

CLAIMS, VOLUMES = KINDS.of(PersistentVolumeClaim), KINDS.of(PersistentVolume)
WITHIN = 600.0  # seconds; kube-scheduler's bindTimeoutSeconds
FAILED = 'running PreBind plugin "VolumeBinding"'


class ClaimsFailed(Exception):
    """They cannot be bound there; the text says why."""


class Claims:
    """Asks for what is missing, and waits for it."""

    def __init__(self, api: Api, snapshot: Snapshot) -> None:
        self._api, self._snapshot = api, snapshot
        self._since: dict[str, float] = {}

    def forget(self, uid: str) -> None:
        self._since.pop(uid, None)

    async def are_bound(self, pod: PodInfo, node: str) -> bool:
        """Asks for what is missing; False while it is awaited. Raises ClaimsFailed."""
        if not pod.claims:
            return True
        if time.monotonic() - self._since.setdefault(pod.uid, time.monotonic()) > WITHIN:
            raise ClaimsFailed(f"{FAILED}: binding volumes: context deadline exceeded")
        try:
            missing = await self._ask(pod, node)
        except errors.ApiError as error:
            raise ClaimsFailed(f"{FAILED}: {error}") from error
        if not missing:
            self.forget(pod.uid)
        return not missing

    async def _ask(self, pod: PodInfo, node_name: str) -> list[PersistentVolumeClaim]:
        node = self._snapshot.node(node_name)
        if node is None or node.node is None or self._snapshot.node_of(pod.uid) is None:
            raise ClaimsFailed(f'{FAILED}: node "{node_name}" not found')
        claims = [self._claim(Key(pod.key.namespace, name)) for name, _ in pod.claims]
        chosen = choose(claims, node.node, self._snapshot)
        if isinstance(chosen, Refusal):
            raise ClaimsFailed(f"{FAILED}: {node_cause(chosen.causes[0])}")
        missing = [claim for claim in claims if not is_bound(claim)]
        for claim in missing:
            await self._ask_for(claim, chosen[claim.metadata.key], node_name)
        return missing

    def _claim(self, key: Key) -> PersistentVolumeClaim:
        claim = self._snapshot.claims.get(key)
        if claim is None:
            raise ClaimsFailed(f'{FAILED}: persistentvolumeclaim "{key.name}" not found')
        return claim

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
