"""Sweeps away, every twenty seconds, pods that nobody else would: pure decisions, and the hands that carry them out.

Pods of a node that is no more, pods that are being deleted and never had a node, pods that are being deleted on a node
that is marked out of service, and the oldest of those that have ended, where there are very many.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from windlass.apis.core_v1 import Node, Pod, PodCondition
from windlass.controllers.core.node_health import READY
from windlass.kube.conditions import is_true, with_condition
from windlass.kube.controller import Runtime, Service
from windlass.kube.errors import ApiError, Conflict, NotFound
from windlass.kube.kind import KINDS
from windlass.kube.view import typed

NAME = "pod-garbage-collector"
COLLECT_INTERVAL = timedelta(seconds=20)
QUARANTINE = timedelta(seconds=40)
KEPT = 12_500  # pods that have ended
OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"
ENDED = ("Succeeded", "Failed")
POD, NODE = KINDS.of(Pod), KINDS.of(Node)


@dataclass(frozen=True, slots=True)
class Removal:
    """A pod to delete at once, and the reason where its deletion is reported."""

    pod: Pod
    message: str = ""


def missing_nodes(pods: Iterable[Pod], nodes: Iterable[Node], since: dict[str, datetime], now: datetime) -> None:
    """Bring `since` up to date: nodes that pods are bound to and that are not there, and when that was first seen."""
    there = {node.metadata.name for node in nodes}
    missing = {pod.spec.node_name for pod in pods if pod.spec.node_name} - there
    for name in since.keys() - missing:
        del since[name]
    for name in missing:
        since.setdefault(name, now)


def removals(pods: Sequence[Pod], nodes: Sequence[Node], quarantined: set[str], kept: int = KEPT) -> list[Removal]:
    """What should go. `quarantined`: nodes that have been missing for long enough."""
    unwell = {node.metadata.name for node in nodes if _is_out_of_service(node)}
    found: list[Removal] = []
    for pod in pods:
        name, is_going = pod.spec.node_name, pod.metadata.deletion_timestamp is not None
        if _waits_for_others(pod):
            continue
        if name in quarantined:
            found.append(Removal(pod, "PodGC: node no longer exists"))
        elif (is_going and not name) or (is_going and name in unwell):
            found.append(Removal(pod))
    return [*found, *surplus(pods, kept)]


def surplus(pods: Iterable[Pod], kept: int) -> list[Removal]:
    """Of the pods that have ended, those over the number that is kept; the oldest go first."""
    ended = [pod for pod in pods if pod.status.phase in ENDED]
    if len(ended) <= kept:
        return []
    ended.sort(key=lambda pod: (pod.metadata.creation_timestamp or "", pod.metadata.key))
    return [Removal(pod) for pod in ended[: len(ended) - kept] if pod.metadata.deletion_timestamp is None]


def _waits_for_others(pod: Pod) -> bool:
    """Deleted already without any grace: only its finalizers hold it."""
    return pod.metadata.deletion_timestamp is not None and not pod.metadata.deletion_grace_period_seconds


def _is_out_of_service(node: Node) -> bool:
    is_marked = any(taint.key == OUT_OF_SERVICE for taint in node.spec.taints)
    return is_marked and not is_true(node.status.conditions, READY)


class Collector:
    """Remembers since when nodes are missing for as long as the process runs."""

    def __init__(self, runtime: Runtime, *, interval: timedelta, quarantine: timedelta) -> None:
        self._runtime, self._every, self._quarantine = runtime, interval, quarantine
        self._pods, self._nodes = runtime.store(typed(Pod)), runtime.store(typed(Node))
        self._missing: dict[str, datetime] = {}

    def start(self) -> None:
        queue = self._runtime.queue(NAME)
        self._runtime.work(NAME, queue, self.sweep, 1)
        queue.add("sweep")

    async def sweep(self, _: str) -> timedelta:
        await self._pods.synced.wait()
        await self._nodes.synced.wait()
        pods, nodes, now = list(self._pods), list(self._nodes), self._runtime.now()
        missing_nodes(pods, nodes, self._missing, now)
        quarantined = {name for name, since in self._missing.items() if now - since >= self._quarantine}
        gone = {name for name in quarantined if await self._is_gone(name)}
        for removal in removals(pods, nodes, gone):
            with self._runtime.faults.contain(NAME, removal.pod, POD, passing=(ApiError,)):
                await self._remove(removal, now)
        return self._every

    async def _is_gone(self, name: str) -> bool:
        """Asked of the server: a late cache must not cost anyone a pod."""
        try:
            await self._runtime.api.get(typed(Node), name)
        except NotFound:
            return True
        return False

    async def _remove(self, removal: Removal, now: datetime) -> None:
        api, pod = self._runtime.api, removal.pod
        try:
            if pod.status.phase not in ENDED:
                await api.set_status(
                    POD, pod.metadata.key, _failed(removal, now), resource_version=pod.metadata.resource_version
                )
            await api.delete(POD, pod.metadata.key, uid=pod.metadata.uid, grace_seconds=0)
        except (NotFound, Conflict):  # gone, or changed meanwhile: the next sweep sees
            return


def _failed(removal: Removal, now: datetime) -> dict[str, object]:
    """The status of one that will never end by itself."""
    status: dict[str, object] = {"phase": "Failed"}
    if removal.message:
        why = PodCondition(type="DisruptionTarget", status="True", reason="DeletionByPodGC", message=removal.message)
        status["conditions"] = msgspec.to_builtins(with_condition(removal.pod.status.conditions, why, now))
    return status


def service(interval: timedelta = COLLECT_INTERVAL, quarantine: timedelta = QUARANTINE) -> Service:
    return Service(NAME, lambda runtime: Collector(runtime, interval=interval, quarantine=quarantine).start())


CONTROLLER = service()
