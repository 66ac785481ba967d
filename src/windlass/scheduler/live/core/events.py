"""What the core is given: the ways in which the world changes, as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from windlass.apis.core_v1 import Pod
from windlass.kube.json import Object as Json
from windlass.kube.objects import AnyObject
from windlass.scheduler.framework.decisions import Commit
from windlass.scheduler.live.core.group_reports import GroupReport
from windlass.scheduler.model.pod_info import PodInfo


@dataclass(frozen=True, slots=True)
class ObjectAdded:
    """`feed` is the name of the handler of such objects (`object_changes.feeds`)."""

    feed: str
    obj: AnyObject


@dataclass(frozen=True, slots=True)
class ObjectChanged:
    feed: str
    old: AnyObject
    new: AnyObject


@dataclass(frozen=True, slots=True)
class ObjectDeleted:
    feed: str
    obj: AnyObject


@dataclass(frozen=True, slots=True)
class Started:
    """The process begins; nothing is known yet."""


@dataclass(frozen=True, slots=True)
class Synced:
    """The caches have delivered all objects that there were at the start. Comes once, before the first `Wakeup`."""


@dataclass(frozen=True, slots=True)
class Wakeup:
    """The time that an effect `Wake` named has come."""


@dataclass(frozen=True, slots=True)
class PodBound:
    pod: PodInfo
    node: str
    is_certain: bool = True
    """False: the answer to the binding was lost, and the pod turned out to be bound."""


@dataclass(frozen=True, slots=True)
class PodNotBound:
    """`latest` is the pod as the cache has it now."""

    pod: PodInfo
    message: str
    latest: Pod | None


@dataclass(frozen=True, slots=True)
class GangBound:
    commit: Commit


@dataclass(frozen=True, slots=True)
class GangNotBound:
    """Messages are by the uid of the task, `latest` are the pods as the cache has them now."""

    commit: Commit
    messages: Mapping[str, str]
    latest: Mapping[str, Pod] = field(default_factory=dict[str, Pod])


@dataclass(frozen=True, slots=True)
class GroupReported:
    """The status of a group has been written, as far as it was new; or the group was not as it had been seen."""

    report: GroupReport
    is_written: bool


@dataclass(frozen=True, slots=True)
class NodesMeasured:
    """What metrics.k8s.io says of the nodes."""

    metrics: Sequence[Json]


@dataclass(frozen=True, slots=True)
class ExtenderAnswered:
    """An answer came after the cycle that had asked for it."""


Event: TypeAlias = (
    ObjectAdded
    | ObjectChanged
    | ObjectDeleted
    | Started
    | Synced
    | Wakeup
    | PodBound
    | PodNotBound
    | GangBound
    | GangNotBound
    | GroupReported
    | NodesMeasured
    | ExtenderAnswered
)
