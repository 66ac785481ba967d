"""Reasons for which pods, gangs and jobs wait, as data: a tagged union that encodes to JSON and back.

Code decides by the type and the fields of a reason, never by a sentence. `apis/reason_text.py` puts a reason into
words, once for each audience. Amounts are quantities as a manifest has them ("1500m", "64Gi"), pods and gangs are
"namespace/name".
"""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

REASON_ANNOTATION = "scheduling.windlass.dev/reason"
"""Annotation of a Volcano PodGroup: the reason behind its condition Unschedulable, as JSON."""
MAX_BYTES = 4096
"""Of the annotation; a longer reason is not written, and readers show the condition's message."""


class _Data(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A part of a reason."""


class _Reason(_Data, frozen=True, tag_field="type", tag=True):
    """A reason; its JSON names its class in the field `type`."""


# --- nodes


class NodeCause(_Data, frozen=True):
    """Why a node does not fit a pod.

    `code` is a key of `reason_text.NODE_CAUSES`; `subject` and `detail` are what its text names, such as a resource.
    """

    code: str
    subject: str = ""
    detail: str = ""


class NodeCount(_Data, frozen=True):
    """How many nodes do not fit for one cause."""

    nodes: int
    cause: NodeCause


class NoNodes(_Reason, frozen=True):
    """The cluster has no nodes."""


class PodUnfit(_Reason, frozen=True):
    """No node fits, because of the pod itself: a claim that does not exist, a field that is not supported."""

    nodes: int
    cause: NodeCause


class NodesUnfit(_Reason, frozen=True):
    """No node fits. A node counts once for each of its causes; `other` is what stands in the way besides."""

    nodes: int
    counts: tuple[NodeCount, ...] = ()
    other: "GroupCause | None" = None


# --- what stands in the way of a gang besides single nodes


class Kept(_Data, frozen=True):
    """Nodes that are reserved for a gang; with a `queue`, the whole share of that queue is."""

    gang: str
    nodes: int = 0
    queue: str = ""
    until: str = ""


class KeptForOthers(_Reason, frozen=True):
    """What is free is reserved for gangs that have waited longer."""

    kept: tuple[Kept, ...]


class NoHyperNode(_Reason, frozen=True):
    """No hyper node, up to the highest `tier` that the gang allows, has room for all its pods."""

    pods: int
    tier: str = ""


class SubGroupsIncomplete(_Reason, frozen=True):
    """Too few groups of a subGroupPolicy have room."""

    policy: str
    have: int
    need: int
    size: int


# --- queues and quotas


class Overcommit(_Data, frozen=True):
    """How the overcommit plugin counts what is left: factor x total - in use - claimed + preemptable."""

    factor: float
    total: str
    in_use: str = ""
    claimed: str = ""
    preemptable: str = ""


class Shortage(_Data, frozen=True):
    """A resource of which there is too little. `counted` says how `free` was counted where that is not obvious."""

    resource: str
    requested: str
    free: str
    counted: Overcommit | None = None


class LimitExceeded(_Data, frozen=True):
    """A resource of which a queue would have more than its limit."""

    resource: str
    with_it: str
    limit: str


class ClusterInsufficient(_Reason, frozen=True):
    """The cluster has too little for the gang to be admitted."""

    shortages: tuple[Shortage, ...]


class QueueInsufficient(_Reason, frozen=True):
    """The queue has too little for the gang to be admitted, though the cluster may have enough."""

    queue: str
    shortages: tuple[Shortage, ...]


class QuotaInsufficient(_Reason, frozen=True):
    """A ResourceQuota of the namespace has too little."""

    quota: str
    resources: tuple[str, ...]


class QueueClosed(_Reason, frozen=True):
    """The queue takes no pods now."""

    queue: str


class QueueHasChildren(_Reason, frozen=True):
    """Only queues without children take jobs."""

    queue: str


class QueueOverShare(_Reason, frozen=True):
    """The queue has its share, and others wait for theirs."""

    queue: str


class QueueOverLimit(_Reason, frozen=True):
    """The queue would exceed its limit; without `limits`, it or a queue above it would."""

    queue: str
    limits: tuple[LimitExceeded, ...] = ()


class ExtenderPending(_Reason, frozen=True):
    """A scheduler extender has not answered yet."""


class ExtenderRefused(_Reason, frozen=True):
    """A scheduler extender does not admit the gang."""

    url: str


class NotAllowed(_Reason, frozen=True):
    """A plugin does not admit the gang, and does not say why."""


# --- gangs


class GangIncomplete(_Reason, frozen=True):
    """The gang has fewer pods than its minimum."""

    have: int
    need: int


class TasksIncomplete(_Reason, frozen=True):
    """A task of the gang has fewer pods than its minimum."""


class SchedulingGated(_Reason, frozen=True):
    """A pod waits for its scheduling gates to be removed."""

    gates: tuple[str, ...]


class MadeRoomFor(_Reason, frozen=True):
    """The gang was preempted, and its successor starts first."""

    gang: str


class GangPending(_Reason, frozen=True):
    """A pod has a node, and its gang is not complete yet."""

    pod: str
    node: str


class Terminating(_Data, frozen=True):
    """A pod that releases what another waits for."""

    pod: str
    preempted: bool = False


class ReleasePending(_Reason, frozen=True):
    """A pod has a node on which others still terminate: some of them, and how many `more`."""

    pod: str
    node: str
    terminating: tuple[Terminating, ...] = ()
    more: int = 0


class GangUnschedulable(_Reason, frozen=True):
    """Not enough pods of an admitted gang find a node. `origin` is why, for `pod` where that is a single one."""

    needed: int
    tasks: int
    pending: int
    unschedulable: int
    min_available: int
    origin: "OriginCause | None" = None
    pod: str = ""


class GangNotAdmitted(_Reason, frozen=True):
    """The queue does not admit the gang."""

    refusals: tuple["AdmissionCause", ...]
    pods: int = 0
    min_available: int = 0


# --- pods that have a node


class PodWait(_Data, frozen=True):
    """A pod that does not start. `reason` is Kubernetes' or the runtime's, such as ImagePullBackOff."""

    pod: str
    reason: str
    details: str


# --- preemption


class PreemptionDisabled(_Reason, frozen=True):
    """The pod's preemptionPolicy is Never."""


class PreemptionPending(_Reason, frozen=True):
    """Pods that were preempted for the pod are still terminating on its nominated node."""


class PreemptionUnhelpful(_Reason, frozen=True):
    """Preemption would not make room on any node."""

    nodes: int
    counts: tuple[NodeCount, ...] = ()


GroupCause: TypeAlias = KeptForOthers | NoHyperNode | SubGroupsIncomplete
AdmissionCause: TypeAlias = (
    ClusterInsufficient
    | QueueInsufficient
    | QuotaInsufficient
    | QueueHasChildren
    | ExtenderPending
    | ExtenderRefused
    | NotAllowed
)
NodeReason: TypeAlias = NoNodes | PodUnfit | NodesUnfit
PodReason: TypeAlias = NodeReason | GangPending | ReleasePending
QueueCause: TypeAlias = QueueClosed | QueueOverShare | QueueOverLimit
OriginCause: TypeAlias = PodReason | QueueCause | SchedulingGated | MadeRoomFor
PreemptionReason: TypeAlias = NoNodes | PreemptionDisabled | PreemptionPending | PreemptionUnhelpful
GangReason: TypeAlias = GangUnschedulable | GangNotAdmitted | GangIncomplete | TasksIncomplete
Reason: TypeAlias = OriginCause | AdmissionCause | GroupCause | GangReason | PreemptionReason


TOO_MANY_PODS = NodeCause("TooManyPods")
_DECODER = msgspec.json.Decoder[GangReason](GangReason)


def insufficient(resource: str) -> NodeCause:
    """The cause of a node that has too little of a resource left."""
    return TOO_MANY_PODS if resource == "pods" else NodeCause("InsufficientResource", resource)


def counted(causes: Mapping[NodeCause, int]) -> tuple[NodeCount, ...]:
    """The most frequent cause first."""
    ordered = sorted(causes.items(), key=lambda one: (-one[1], one[0].code, one[0].subject))
    return tuple(NodeCount(nodes, cause) for cause, nodes in ordered)


def without_amounts(cause: AdmissionCause) -> tuple[object, ...]:
    """What makes two refusals of one gang alike: equal for those that differ in amounts only."""
    match cause:
        case ClusterInsufficient() | QueueInsufficient():
            return type(cause), *(one.resource for one in cause.shortages)
        case QuotaInsufficient():
            return type(cause), *cause.resources
        case _:
            return (cause,)


def as_json(reason: Reason) -> dict[str, object]:
    """The reason as JSON data: `{"type": "QueueClosed", "queue": "gold"}`."""
    found: dict[str, object] = msgspec.to_builtins(reason)
    return found


def from_json(data: object) -> Reason:
    """Raise `msgspec.ValidationError` for what is no reason."""
    return msgspec.convert(data, Reason)


def to_annotation(reason: GangReason) -> str | None:
    """The text of the annotation; None where it would be too long."""
    text = msgspec.json.encode(reason)
    return text.decode() if len(text) <= MAX_BYTES else None


def from_annotation(text: object) -> GangReason | None:
    """Decode a reason; None for other texts, since every author of the PodGroup may write the annotation."""
    if not isinstance(text, str) or len(text) > MAX_BYTES:
        return None
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
