"""The view `job`: a training job with its replicas, its gang, and why it does not run."""

from typing import Literal

from windlass.apis.reasons import Reason
from windlass.apps.training.web.structs.jobs import JobRow
from windlass.gateway.views.parts import (
    Amount,
    Assumption,
    Command,
    EventRow,
    Fix,
    ObjectRef,
    Seconds,
    Time,
    Usage,
    View,
    Why,
)


class Stage(View):
    """A part of a job's life: created → admitted → scheduled → running → ended."""

    name: Literal["created", "admitted", "scheduled", "running", "ended"]
    state: Literal["done", "current", "ahead"]
    at: Time | None
    """When the stage was reached; None if it is ahead, or nobody wrote it down."""
    seconds: Seconds | None
    """How long it took to reach the next one, or has taken so far; None for `ended` and for stages that are ahead."""


class ConditionRow(View):
    """A condition of the job, the oldest first."""

    type: str
    status: str
    reason: str
    message: str
    at: Time | None


class ReplicaRow(View):
    """A replica of the job: a cell of the grid. One that has no pod yet has an empty `pod`."""

    role: str
    index: int
    name: str
    """`worker-1`, as `windlass logs` calls it."""
    pod: str
    uid: str
    node: str
    phase: str
    """The pod's phase; `Absent` for a replica without a pod."""
    ready: bool
    restarts: int
    exit_code: int | None
    why: Why | None
    """Why it does not run: of a container that waits or has failed, or of a pod without a node."""
    container: str
    """The one that trains; its log is the replica's."""
    started: Time | None
    ended: Time | None
    usage: Usage


class ResourceNeed(View):
    """One resource: what all pods that still need a node ask for, and what is free for them."""

    resource: str
    asked: Amount
    largest_pod: Amount
    """What the pod asks for that asks for most."""
    free: Amount
    """On the nodes on which these pods may be."""
    largest_free: Amount
    """On the one of these nodes that has most."""
    total: Amount
    is_short: bool


class NodesAnswer(View):
    """Nodes that are alike for a pod: `room` for so many pods, or the causes why there is none."""

    nodes: int
    names: tuple[str, ...]
    """Some of them."""
    room: int
    causes: tuple[str, ...]


class PodShape(View):
    """Pods of a role that still need a node, and what the nodes answer to one of them."""

    role: str
    pods: int
    asks: dict[str, Amount]
    answers: tuple[NodesAnswer, ...]


class QueuePlace(View):
    """The place in the line of those that wait in a queue."""

    queue: str
    position: int
    """1 is the first."""
    length: int
    before: tuple[str, ...]
    """The nearest jobs before it, of those that the user may see."""
    hidden_before: int
    """How many of these belong to others."""


class Holder(View):
    """A job that holds what is needed, and would have to end, or will be evicted."""

    name: str
    """`namespace/name`; empty if it belongs to others."""
    kind: str
    pods: int
    of: int
    priority: int
    queue: str
    nodes: tuple[str, ...]


class Start(View):
    """When and where the gang would start."""

    after_seconds: Seconds | None
    """From now; None: not by what is known, and `sentence` says what is in the way."""
    at: Time | None
    by: Literal["reservation", "forecast"]
    nodes: dict[str, int]
    """How many pods would be on each node."""
    sentence: str
    assumptions: tuple[Assumption, ...]


class NoRoom(View):
    """Why nothing has to end, or nothing that ends would make room."""

    code: Literal["FreeRoom", "NoRoom", ""]
    """For translations; empty where `reason` says it."""
    reason: Reason | None
    text: str


class Explanation(View):
    """The answer of `windlass explain`. Names of objects that the user may not see are left out."""

    state: Literal["Waiting", "Running", "Finished"]
    sentence: str
    reason: Reason | None
    notes: tuple[str, ...]
    place: QueuePlace | None
    needs: tuple[ResourceNeed, ...]
    shapes: tuple[PodShape, ...]
    holders: tuple[Holder, ...]
    holders_evicted: bool
    """Whether the scheduler evicts the holders to make room."""
    no_room: NoRoom | None
    """None where something that ends would make room."""
    start: Start | None
    summary: str
    """What is short with numbers, who holds it and until when: `needs 4 nvidia.com/gpu, 1 is free; …`."""
    fixes: tuple[Fix, ...]


class GangState(View):
    """The PodGroup of the job."""

    object: ObjectRef
    min_member: int
    phase: str
    queue: str
    running: int
    succeeded: int
    failed: int
    explanation: Explanation | None
    """Only of a gang that waits."""


class RelatedObject(View):
    """An object that belongs to the job or that its pods use."""

    object: ObjectRef
    role: Literal["gang", "service", "claim", "tensorboard", "config", "owner", "child"]
    state: str
    """One word; empty where the kind has none."""
    link: str
    """Its page in the dashboard."""


class JobView(View):
    """Topic `job {kind, namespace, name}`."""

    row: JobRow
    sentence: str
    """What it is doing, or why it does not, in one sentence."""
    stages: tuple[Stage, ...]
    conditions: tuple[ConditionRow, ...]
    replicas: tuple[ReplicaRow, ...]
    gang: GangState | None
    events: tuple[EventRow, ...]
    """Of the job, its gang and its pods; the newest first."""
    related: tuple[RelatedObject, ...]
    commands: tuple[Command, ...]
    can_suspend: bool
    """Whether this kind can be suspended and the job has not ended."""
    is_suspended: bool
