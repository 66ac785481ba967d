"""Binds pods to the nodes that were chosen, many at a time, once their claims are bound there (`claims`)."""

import logging
from datetime import timedelta

from windlass.apis.core_v1 import Pod
from windlass.kube import errors
from windlass.kube.api import About, Api
from windlass.kube.cache import Store
from windlass.kube.kind import KINDS
from windlass.kube.view import typed
from windlass.scheduler.live.core.claim_plans import ClaimsFailed
from windlass.scheduler.live.core.effects import BindPod
from windlass.scheduler.live.core.events import PodBound, PodNotBound
from windlass.scheduler.live.writers.binding_batcher import BindingBatcher
from windlass.scheduler.live.writers.binding_client import BindingClient
from windlass.scheduler.live.writers.claims import Claims
from windlass.scheduler.model.pod_info import PodInfo

PODS = KINDS.of(Pod)
CLAIMS_RETRY = timedelta(seconds=5)

log = logging.getLogger(__name__)


class PodBinder:
    """Keeps the bindings that are wanted, by the uid of the pod."""

    def __init__(self, api: Api, pods: Store[Pod], claims: Claims) -> None:
        self._api, self._pods, self._claims = api, pods, claims
        self._wanted: dict[str, BindPod] = {}
        self._batcher = BindingBatcher(BindingClient(api))
        self.waiting: set[str] = set()
        """Pods whose claims are not bound yet."""

    def add(self, effect: BindPod) -> str:
        """Want a binding; answers its key for `bind`."""
        self._wanted[effect.pod.uid] = effect
        return effect.pod.uid

    def about(self, uid: str) -> About | None:
        wanted = self._wanted.get(uid)
        return None if wanted is None else (wanted.pod.pod, PODS)

    async def bind(self, uid: str) -> PodBound | PodNotBound | timedelta | None:
        """Bind one pod, or find out that it cannot be; a duration: try again then.

        Raises where the server does not say how things stand; then it is to be tried again.
        """
        wanted = self._wanted.get(uid)
        if wanted is None:
            return None
        pod, node = wanted.pod, wanted.node
        try:
            if pod.claims and not await self._claims.are_bound(pod, node):
                self.waiting.add(uid)
                return CLAIMS_RETRY
        except ClaimsFailed as error:
            log.info("binding failed pod=%s error=%s", pod.key, error)
            return self._not_bound(pod, str(error))
        try:
            outcome = await self._batcher.bind(pod.key, pod.pod.metadata.uid, node)
        except errors.ApiError as error:
            return await self._ask_server(pod, node, str(error))
        if outcome.state != "bound":
            return await self._ask_server(pod, node, outcome.why)
        self._settle(uid)
        return PodBound(pod, node)

    async def _ask_server(self, pod: PodInfo, node: str, error: str) -> PodBound | PodNotBound:
        """The pod may have been bound all the same. While the server does not say, its resources stay taken."""
        log.info("binding failed pod=%s node=%s error=%s", pod.key, node, error)
        try:
            latest = await self._api.get(typed(Pod), pod.key.name, pod.key.namespace)
        except errors.NotFound:
            latest = None
        if latest is not None and latest.metadata.uid == pod.pod.metadata.uid and latest.spec.node_name:
            self._settle(pod.uid)
            return PodBound(pod, node, is_certain=False)
        return self._not_bound(pod, f'running Bind plugin "DefaultBinder": {error}')

    def _not_bound(self, pod: PodInfo, message: str) -> PodNotBound:
        self._settle(pod.uid)
        return PodNotBound(pod, message, self._pods.get(pod.key))

    def _settle(self, uid: str) -> None:
        self._wanted.pop(uid, None)
        self.waiting.discard(uid)
        self._claims.forget(uid)
