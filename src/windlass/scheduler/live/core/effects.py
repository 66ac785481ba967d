"""What the core wants done, as data; and `Turn`, in which the effects of one turn come together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from windlass.apis.core_v1 import Pod, PodCondition
from windlass.kube.kind import Kind
from windlass.kube.objects import AnyObject
from windlass.scheduler.framework.decisions import Commit
from windlass.scheduler.model.gang_tasks import GroupKey
from windlass.scheduler.model.pod_info import PodInfo


@dataclass(frozen=True, slots=True)
class Wake:
    """Send a `Wakeup` after so many seconds; of several the soonest counts."""

    after: float = 0.0


@dataclass(frozen=True, slots=True)
class BindPod:
    """Bind the claims of a pod on the node, then the pod; answered by `PodBound` or `PodNotBound`."""

    pod: PodInfo
    node: str


@dataclass(frozen=True, slots=True)
class BindGang:
    """Bind all tasks of a commit or none; answered by `GangBound` or `GangNotBound`."""

    commit: Commit


@dataclass(frozen=True, slots=True)
class RetryBindings:
    """Claims or volumes changed: bindings that wait for them may succeed now."""


@dataclass(frozen=True, slots=True)
class RecordEvent:
    """A Kubernetes event about an object."""

    component: str
    about: AnyObject
    kind: Kind
    reason: str
    message: str
    is_warning: bool = False


class Condition(NamedTuple):
    """A condition of a pod that is about to be deleted."""

    type: str
    status: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class EvictPod:
    """Write the conditions, delete the pod with its grace period, then record the events."""

    pod: PodInfo
    conditions: Sequence[Condition]
    events: Sequence[RecordEvent]


@dataclass(frozen=True, slots=True)
class WritePodCondition:
    """A newer condition replaces one that is not written yet."""

    pod: Pod
    condition: PodCondition


@dataclass(frozen=True, slots=True)
class ReportGroup:
    """Write the status of a group after so many seconds (`GroupReports.report`); of several the soonest counts."""

    key: GroupKey
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class ReportQueue:
    """Write the status of a queue after so many seconds (`QueueReports.report`); of several the soonest counts."""

    name: str
    after: float


Effect: TypeAlias = (
    Wake | BindPod | BindGang | RetryBindings | RecordEvent | EvictPod | WritePodCondition | ReportGroup | ReportQueue
)


class Clock(NamedTuple):
    """Both in seconds: `monotonic` for waiting, `wall` for what is compared with times of the API."""

    monotonic: Callable[[], float]
    wall: Callable[[], float]


@dataclass(slots=True)
class Turn:
    """One turn: its clock, and what is to be done about it so far, in order."""

    clock: Clock
    effects: list[Effect] = field(default_factory=list[Effect])

    def emit(self, effect: Effect) -> None:
        self.effects.append(effect)

    @property
    def now(self) -> float:
        return self.clock.monotonic()
