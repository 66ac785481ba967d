"""The conditions and events of pods that follow from decisions; the same event again ever more seldom."""

from dataclasses import dataclass

from windlass.apis.core_v1 import Pod, PodCondition
from windlass.kube import conditions
from windlass.kube.kind import KINDS
from windlass.scheduler.live.core.effects import Condition, EvictPod, RecordEvent, Turn, WritePodCondition
from windlass.scheduler.model.pod_info import PodInfo

PODS = KINDS.of(Pod)
GATED = "Scheduling is blocked due to non-empty scheduling gates"
FIRST_REPEAT_SECONDS, LAST_REPEAT_SECONDS = 60.0, 1800.0


@dataclass(frozen=True, slots=True)
class Recorded:
    """The last event of a pod."""

    message: str
    repeat_at: float
    interval: float

    def again(self, now: float) -> "Recorded":
        interval = min(2 * self.interval, LAST_REPEAT_SECONDS)
        return Recorded(self.message, now + interval, interval)


class PodReports:
    def __init__(self) -> None:
        self._recorded: dict[str, Recorded] = {}
        """By the uid of a pod."""

    def unschedulable(self, turn: Turn, pod: PodInfo, message: str) -> None:
        _write(turn, pod.pod, "Unschedulable", message)
        last, now = self._recorded.get(pod.uid), turn.now
        if last is None or last.message != message:
            self._recorded[pod.uid] = Recorded(message, now + FIRST_REPEAT_SECONDS, FIRST_REPEAT_SECONDS)
        elif now > last.repeat_at:
            self._recorded[pod.uid] = last.again(now)
        else:
            return
        _warn(turn, pod, message)

    def failed(self, turn: Turn, pod: PodInfo, message: str) -> None:
        """A node was found, and the pod could not be bound to it."""
        _write(turn, pod.pod, "SchedulerError", message)
        _warn(turn, pod, message)

    def bound(self, turn: Turn, pod: PodInfo, node: str) -> None:
        text = f"Successfully assigned {pod.key} to {node}"
        turn.emit(RecordEvent(pod.scheduler, pod.pod, PODS, "Scheduled", text))

    def gated(self, turn: Turn, pod: Pod) -> None:
        _write(turn, pod, "SchedulingGated", GATED)

    def nomination_withdrawn(self, turn: Turn, pod: PodInfo) -> None:
        """The pod's condition stays as it is; with it the nominated node is written."""
        condition = conditions.find(pod.pod.status.conditions, "PodScheduled")
        if condition is not None:
            turn.emit(WritePodCondition(pod.pod, condition))

    def preempted(self, turn: Turn, victim: PodInfo, by: PodInfo, node: str) -> None:
        if victim.pod.metadata.deletion_timestamp:
            return
        message = f"{by.scheduler}: preempting to accommodate a higher priority pod"
        why = Condition("DisruptionTarget", "True", "PreemptionByScheduler", message)
        text = f"Preempted by pod {by.pod.metadata.uid} on node {node}"
        turn.emit(EvictPod(victim, (why,), (RecordEvent(by.scheduler, victim.pod, PODS, "Preempted", text),)))

    def forget(self, uid: str) -> None:
        """The pod is bound or gone."""
        self._recorded.pop(uid, None)


def _write(turn: Turn, pod: Pod, reason: str, message: str) -> None:
    condition = PodCondition(type="PodScheduled", status="False", reason=reason, message=message)
    turn.emit(WritePodCondition(pod, condition))


def _warn(turn: Turn, pod: PodInfo, message: str) -> None:
    turn.emit(RecordEvent(pod.scheduler, pod.pod, PODS, "FailedScheduling", message, is_warning=True))
