"""What there is to say about a gang or a pod that may wait. Plain data; amounts of cpu are in thousandths."""

from dataclasses import dataclass, field

from windlass.apis.assumptions import Assumption
from windlass.apis.reasons import NodeCause, PreemptionReason, Reason

WAITING, RUNNING, FINISHED = "Waiting", "Running", "Finished"
BY_RESERVATION, BY_FORECAST = "reservation", "forecast"
FREE_ROOM, NO_ROOM = "FreeRoom", "NoRoom"


@dataclass(frozen=True)
class Amount:
    """One resource: asked by all pods that still need a node, free on the nodes they may be on, offered by all."""

    resource: str
    asked: float
    a_pod: float
    """Asked by the pod that asks for most."""
    free: float
    most: float
    """Free on the one of these nodes that has most."""
    total: float

    @property
    def lacks(self) -> bool:
        return self.asked > self.free or self.a_pod > self.most


@dataclass(frozen=True)
class NodeGroup:
    """Nodes that are alike for a pod. `room`: for so many pods together; then there are no causes."""

    nodes: int
    names: tuple[str, ...]
    """Some of them."""
    causes: tuple[NodeCause, ...] = ()
    room: int = 0


@dataclass(frozen=True)
class PodKind:
    """Pods that are alike, of those that still need a node, and what the nodes say to one of them."""

    role: str
    pods: int
    asks: dict[str, float]
    groups: tuple[NodeGroup, ...]


@dataclass(frozen=True)
class Before:
    """A job or queue that comes first."""

    name: str
    priority: int


@dataclass(frozen=True)
class Place:
    """In the line of those that wait: `at` 1 is the first of `of`."""

    queue: str
    at: int
    of: int
    before: tuple[Before, ...] = ()
    """The nearest of those before it."""
    queues_before: tuple[str, ...] = ()
    """Queues whose turn comes first, of those in which a job waits."""


@dataclass(frozen=True)
class Ending:
    """A job, or a pod that is of none, of which `pods` would have to end."""

    name: str
    kind: str
    pods: int
    of: int
    priority: int
    queue: str = ""
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Room:
    """What would have to end so that there is room. `made`: the scheduler evicts them."""

    endings: tuple[Ending, ...] = ()
    made: bool = False
    why: str = ""
    """Where there is nobody: why."""
    code: str = ""
    """The same for translations: `FREE_ROOM` or `NO_ROOM`; empty where `reason` says it."""
    reason: PreemptionReason | None = None
    """The same as data, where preemption is what does not help."""


@dataclass(frozen=True)
class Start:
    """`after` is seconds from now; None: not by what is known, or it was not looked any further, which `why` says."""

    after: float | None
    by: str = BY_FORECAST
    nodes: dict[str, int] = field(default_factory=dict[str, int])
    why: str = ""
    assumptions: tuple[Assumption, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """What is None was not computed: of what runs or has finished there is only `why`."""

    kind: str
    namespace: str
    name: str
    state: str
    why: str
    reason: Reason | None = None
    """Why it waits, as data; `why` has the words."""
    notes: tuple[str, ...] = ()
    place: Place | None = None
    amounts: tuple[Amount, ...] = ()
    pod_kinds: tuple[PodKind, ...] = ()
    room: Room | None = None
    start: Start | None = None
