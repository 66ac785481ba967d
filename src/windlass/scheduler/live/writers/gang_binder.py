"""Binds the tasks of a commit together, once the claims of all of them are bound."""

import itertools
import logging
from datetime import timedelta

from windlass.apis.core_v1 import Pod
from windlass.kube.api import Api
from windlass.kube.cache import Store
from windlass.scheduler.framework.decisions import Commit
from windlass.scheduler.live.core.claim_plans import ClaimsFailed
from windlass.scheduler.live.core.effects import BindGang
from windlass.scheduler.live.core.events import GangBound, GangNotBound
from windlass.scheduler.live.writers.binding_client import Bind, BindingClient
from windlass.scheduler.live.writers.claims import Claims

CLAIMS_RETRY = timedelta(seconds=5)

log = logging.getLogger(__name__)


class GangBinder:
    """Keeps the commits that are to be bound, by number."""

    def __init__(self, api: Api, pods: Store[Pod], claims: Claims) -> None:
        self._pods, self._claims = pods, claims
        self._client = BindingClient(api)
        self._wanted: dict[int, Commit] = {}
        self._numbers = itertools.count()
        self.waiting: set[int] = set()
        """Commits with claims that are not bound yet."""

    def add(self, effect: BindGang) -> int:
        """Want a commit to be bound; answers its key for `bind`."""
        number = next(self._numbers)
        self._wanted[number] = effect.commit
        return number

    async def bind(self, number: int) -> GangBound | GangNotBound | timedelta | None:
        """Bind one commit; a duration: try again then. Raises where the server does not say how things stand."""
        commit = self._wanted.get(number)
        if commit is None:
            return None
        try:
            ready = [await self._claims.are_bound(task.pod, task.node) for task in commit.tasks if task.pod.claims]
        except ClaimsFailed as error:
            return self._not_bound(number, commit, dict.fromkeys((task.uid for task in commit.tasks), str(error)))
        if not all(ready):
            self.waiting.add(number)
            return CLAIMS_RETRY
        binds = [
            Bind(task.pod.key, task.pod.pod.metadata.uid, task.node, tuple(task.notes.items())) for task in commit.tasks
        ]
        result = await self._client.bind_together(commit.job.namespace, binds)
        if result.whole:
            self._settle(number, commit)
            return GangBound(commit)
        failed = {task.uid: result.failed.get(task.pod.key, "") for task in commit.tasks}
        return self._not_bound(number, commit, failed)

    def _not_bound(self, number: int, commit: Commit, messages: dict[str, str]) -> GangNotBound:
        self._settle(number, commit)
        for task in commit.tasks:
            log.info("binding failed pod=%s error=%s", task.pod.key, messages.get(task.uid))
        found = {task.uid: self._pods.get(task.pod.key) for task in commit.tasks}
        latest = {uid: pod for uid, pod in found.items() if pod is not None and pod.metadata.uid == uid}
        return GangNotBound(commit, messages, latest)

    def _settle(self, number: int, commit: Commit) -> None:
        self._wanted.pop(number, None)
        self.waiting.discard(number)
        for task in commit.tasks:
            self._claims.forget(task.uid)
