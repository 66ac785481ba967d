"""Tells pods and people what came of a decision, and ends the pods that must make room; only what is new is written."""

import time
from contextlib import suppress
from datetime import timedelta

from windlass.apis.core_v1 import Pod, PodCondition
from windlass.kube import conditions, errors
from windlass.kube.cache import Store
from windlass.kube.controller import Runtime
from windlass.kube.json import Object as Json
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.queue import Queue
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import Snapshot

PODS = KINDS.of(Pod)
GATED = "Scheduling is blocked due to non-empty scheduling gates"
REPEAT = 60.0  # seconds before the same event is told again


class Reporter:
    """Keeps what is to be told by pod; a newer report replaces one that was not written yet."""

    def __init__(self, runtime: Runtime, pods: Store[Pod], snapshot: Snapshot) -> None:
        self._runtime, self._api, self._pods, self._snapshot = runtime, runtime.api, pods, snapshot
        self.queue: Queue[Key] = runtime.queue("default_scheduler_report")
        self._wanted: dict[Key, tuple[str, PodCondition]] = {}
        self._victims: dict[Key, tuple[PodInfo, PodInfo, str]] = {}
        self._told: dict[str, tuple[str, float]] = {}

    def unschedulable(self, pod: PodInfo, message: str) -> None:
        self._want(pod.pod, PodCondition(type="PodScheduled", status="False", reason="Unschedulable", message=message))
        before, at = self._told.get(pod.uid, ("", 0.0))
        if message != before or time.monotonic() - at > REPEAT:
            self._told[pod.uid] = (message, time.monotonic())
            self._runtime.warn(pod.scheduler, pod.pod, PODS, "FailedScheduling", message)

    def failed(self, pod: PodInfo, why: str) -> None:
        """A node was found, and the pod could not be bound to it."""
        self._want(pod.pod, PodCondition(type="PodScheduled", status="False", reason="SchedulerError", message=why))
        self._runtime.warn(pod.scheduler, pod.pod, PODS, "FailedScheduling", why)

    def forget(self, uid: str) -> None:
        """It is bound or gone."""
        self._told.pop(uid, None)

    def gated(self, pod: Pod) -> None:
        condition = PodCondition(type="PodScheduled", status="False", reason="SchedulingGated", message=GATED)
        self._want(pod, condition)

    def withdraw(self, pod: PodInfo) -> None:
        """Its nomination is over; what it was told stays."""
        said = conditions.find(pod.pod.status.conditions, "PodScheduled")
        if said is not None:
            self._want(pod.pod, said)

    def preempt(self, victim: PodInfo, by: PodInfo, node: str) -> None:
        if not victim.pod.metadata.deletion_timestamp:
            self._victims[victim.key] = (victim, by, node)
            self.queue.add(victim.key)

    def _want(self, pod: Pod, condition: PodCondition) -> None:
        self._wanted[pod.metadata.key] = (pod.metadata.uid, condition)
        self.queue.add(pod.metadata.key)

    async def step(self, key: Key) -> timedelta | None:
        if key in self._victims:
            await self._end(*self._victims[key])
            self._victims.pop(key, None)
        if key in self._wanted:
            await self._write(key, *self._wanted[key])
        return None

    async def _write(self, key: Key, uid: str, condition: PodCondition) -> None:
        """Refused if the pod has changed since it was seen: so it can never undo what a binding says."""
        pod = self._pods.get(key)
        wanted = self._wanted.get(key)
        if pod is None or pod.metadata.uid != uid or pod.spec.node_name or self._snapshot.node_of(uid) is not None:
            self._wanted.pop(key, None)
            return
        patch = self._status(pod, condition)
        if patch:
            body: Json = {"metadata": {"resourceVersion": pod.metadata.resource_version}, "status": patch}
            with suppress(errors.NotFound):
                await self._api.patch(PODS, key, body, "strategic", subresource="status")
        if self._wanted.get(key) is wanted:
            self._wanted.pop(key, None)

    def _status(self, pod: Pod, condition: PodCondition) -> Json:
        status: Json = {}
        old = conditions.find(pod.status.conditions, condition.type)
        said = (old.status, old.reason, old.message) if old else None
        if said != (condition.status, condition.reason, condition.message):
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
        promised = self._snapshot.nominated.get(pod.metadata.uid)
        node = promised[1] if promised else self._snapshot.promised_to(pod.metadata.uid)
        if node != pod.status.nominated_node_name:
            status["nominatedNodeName"] = node or None
        return status

    async def _end(self, victim: PodInfo, by: PodInfo, node: str) -> None:
        """Says why, then deletes it, with the time that it has to end in peace."""
        why: Json = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "PreemptionByScheduler",
            "message": f"{by.scheduler}: preempting to accommodate a higher priority pod",
            "lastTransitionTime": timestamp(),
        }
        try:
            status: Json = {"status": {"conditions": [why]}}
            await self._api.patch(PODS, victim.key, status, "strategic", subresource="status")
            await self._api.delete(PODS, victim.key, uid=victim.pod.metadata.uid)
        except (errors.NotFound, errors.Conflict):  # it is gone, which is what was wanted
            return
        message = f"Preempted by pod {by.pod.metadata.uid} on node {node}"
        self._runtime.tell(by.scheduler, victim.pod, PODS, "Preempted", message)
