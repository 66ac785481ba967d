"""Writes the PodScheduled condition of pods, and the node that they are nominated to; only what is new is written."""

from contextlib import suppress

from windlass.apis.core_v1 import Pod, PodCondition
from windlass.kube import conditions, errors
from windlass.kube.api import About, Api
from windlass.kube.cache import Store
from windlass.kube.json import Object as Json
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.scheduler.live.core.effects import WritePodCondition
from windlass.scheduler.model.snapshot import Snapshot

PODS = KINDS.of(Pod)


class PodStatusWriter:
    """Keeps what is to be written by pod; a newer condition replaces one that was not written yet."""

    def __init__(self, api: Api, pods: Store[Pod], snapshot: Snapshot) -> None:
        self._api, self._pods, self._snapshot = api, pods, snapshot
        self._wanted: dict[Key, WritePodCondition] = {}

    def add(self, effect: WritePodCondition) -> Key:
        """Want a condition; answers its key for `write`."""
        key = effect.pod.metadata.key
        self._wanted[key] = effect
        return key

    def is_urgent(self, effect: WritePodCondition) -> bool:
        """Whether it says more than that a pod waits: a node is nominated, or no longer."""
        pod = effect.pod
        return bool(pod.status.nominated_node_name) or pod.metadata.uid in self._snapshot.nominated

    def about(self, key: Key) -> About | None:
        pod = self._pods.get(key)
        return None if pod is None else (pod, PODS)

    async def write(self, key: Key) -> None:
        """Refused if the pod has changed since it was seen: so it can never undo what a binding says."""
        wanted, pod = self._wanted.get(key), self._pods.get(key)
        if wanted is None:
            return
        uid = wanted.pod.metadata.uid
        if pod is None or pod.metadata.uid != uid or pod.spec.node_name or self._snapshot.node_of(uid) is not None:
            self._wanted.pop(key, None)
            return
        patch = self._status(pod, wanted.condition)
        if patch:
            body: Json = {"metadata": {"resourceVersion": pod.metadata.resource_version}, "status": patch}
            with suppress(errors.NotFound):
                await self._api.patch(PODS, key, body, "strategic", subresource="status")
        if self._wanted.get(key) is wanted:
            self._wanted.pop(key, None)

    def _status(self, pod: Pod, condition: PodCondition) -> Json:
        status: Json = {}
        old = conditions.find(pod.status.conditions, condition.type)
        before = (old.status, old.reason, old.message) if old else None
        if before != (condition.status, condition.reason, condition.message):
            since = old.last_transition_time if old and old.status == condition.status else None
            status["conditions"] = [
                {
                    "type": condition.type,
                    "status": condition.status,
                    "reason": condition.reason,
                    "message": condition.message,
                    "lastProbeTime": None,
                    "lastTransitionTime": since or timestamp(),
                }
            ]
        nominated = self._snapshot.nominated.get(pod.metadata.uid)
        node = nominated[1] if nominated else self._snapshot.promised_to(pod.metadata.uid)
        if node != pod.status.nominated_node_name:
            status["nominatedNodeName"] = node or None
        return status
