"""Evicts pods: writes why into their conditions, then deletes them with their grace period."""

from windlass.apis.core_v1 import Pod
from windlass.kube import errors
from windlass.kube.api import About, Api
from windlass.kube.json import Object as Json
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS
from windlass.scheduler.live.core.effects import Condition, EvictPod

PODS = KINDS.of(Pod)


class Evictor:
    """Keeps the evictions that are wanted, by the uid of the pod."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._wanted: dict[str, EvictPod] = {}

    def add(self, effect: EvictPod) -> str:
        """Want an eviction; answers its key for `evict`."""
        self._wanted[effect.pod.uid] = effect
        return effect.pod.uid

    def about(self, uid: str) -> About | None:
        wanted = self._wanted.get(uid)
        return None if wanted is None else (wanted.pod.pod, PODS)

    async def evict(self, uid: str) -> EvictPod | None:
        """Evict one pod; None: it is gone already, which is what was wanted."""
        effect = self._wanted.get(uid)
        if effect is None:
            return None
        pod = effect.pod
        status: Json = {"status": {"conditions": [_written(condition) for condition in effect.conditions]}}
        try:
            await self._api.patch(PODS, pod.key, status, "strategic", subresource="status")
            await self._api.delete(PODS, pod.key, uid=pod.pod.metadata.uid)
        except (errors.NotFound, errors.Conflict):
            self._wanted.pop(uid, None)
            return None
        self._wanted.pop(uid, None)
        return effect


def _written(condition: Condition) -> Json:
    return {**condition._asdict(), "lastTransitionTime": timestamp()}
