"""The words for each reason, by audience: conditions and events of pods and gangs, jobs that own a gang, a terminal.

Conditions and events have the formats of kube-scheduler, Volcano and kube-batch, which clients match. What changes with
every cycle (amounts, counts of nodes) is left out for readers that would write it again each time.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from windlass.apis.reasons import (
    AdmissionCause,
    ClusterInsufficient,
    ExtenderPending,
    ExtenderRefused,
    GangIncomplete,
    GangNotAdmitted,
    GangPending,
    GangReason,
    GangUnschedulable,
    GroupCause,
    Kept,
    KeptForOthers,
    MadeRoomFor,
    NodeCause,
    NodeCount,
    NodeReason,
    NodesUnfit,
    NoHyperNode,
    NoNodes,
    NotAllowed,
    OriginCause,
    Overcommit,
    PodUnfit,
    PodWait,
    PreemptionDisabled,
    PreemptionPending,
    PreemptionReason,
    PreemptionUnhelpful,
    QueueClosed,
    QueueHasChildren,
    QueueInsufficient,
    QueueOverLimit,
    QueueOverShare,
    QuotaInsufficient,
    Reason,
    ReleasePending,
    SchedulingGated,
    Shortage,
    SubGroupsIncomplete,
    TasksIncomplete,
)

Dialect: TypeAlias = Literal["kubernetes", "volcano", "kube-batch"]
"""Whose formats a message has: that of the scheduler that the pod names."""

NO_NODES = "no nodes available to schedule pods"
NODE_CAUSES: Mapping[str, str] = {
    "InsufficientResource": "Insufficient {0}",
    "TooManyPods": "Too many pods",
    "NodeUnschedulable": "node(s) were unschedulable",
    "NodeName": "node(s) didn't match the requested node name",
    "UntoleratedTaint": "node(s) had untolerated taint(s)",
    "NodeAffinity": "node(s) didn't match Pod's node affinity/selector",
    "NodeAffinityPlugin": "node(s) didn't satisfy plugin(s) [NodeAffinity]",
    "AffinityConflict": "pod affinity terms conflict",
    "NodePorts": "node(s) didn't have free ports for the requested pod ports",
    "PodAffinity": "node(s) didn't match pod affinity rules",
    "PodAntiAffinity": "node(s) didn't match pod anti-affinity rules",
    "ExistingAntiAffinity": "node(s) didn't satisfy existing pods anti-affinity rules",
    "TopologySpread": "node(s) didn't match pod topology spread constraints",
    "TopologySpreadLabel": "node(s) didn't match pod topology spread constraints (missing required label)",
    "VolumeNodeAffinity": "node(s) didn't match PersistentVolume's node affinity",
    "NoPersistentVolume": "node(s) didn't find available persistent volumes to bind",
    "PersistentVolumeMissing": "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
    "ReadWriteOncePod": "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
    "ClaimPending": 'waiting for ephemeral volume controller to create the persistentvolumeclaim "{0}"',
    "ClaimNotFound": 'persistentvolumeclaim "{0}" not found',
    "ClaimTerminating": 'persistentvolumeclaim "{0}" is being deleted',
    "ClaimLost": 'persistentvolumeclaim "{0}" bound to non-existent persistentvolume "{1}"',
    "ClaimUnbound": "pod has unbound immediate PersistentVolumeClaims",
    "ClaimStuck": 'persistentvolumeclaim "{0}" has no volume: {1}',
    "ResourceClaims": "spec.resourceClaims is not supported, there is no dynamic resource allocation ({0})",
    "KeptForGang": "node(s) are kept for pod group {0}",
    "KeptForOthers": "room there is kept for others",
    "PreemptionNotHelpful": "Preemption is not helpful for scheduling",
    "NoVictims": "No preemption victims found for incoming pod",
    "CardsFull": "node(s) had no card with enough room",
    "NodeGroup": "node(s) didn't match the node groups of the queue",
    "RevocableZone": "node(s) were in a revocable zone that the pod may not use now",
    "CpuLoad": "the CPU load of the node exceeds the upper limit.",
    "MemoryLoad": "the memory load of the node exceeds the upper limit.",
    "ExtenderRefused": "node(s) were refused by the extender",
    "ExtenderPending": "the extender has not answered yet",
    "ExtenderMessage": "{0}",
}
"""Texts of kube-scheduler, Volcano's plugins and Windlass, by the code of a `NodeCause`."""
KUBE_BATCH_CAUSES = {**NODE_CAUSES, "InsufficientResource": "insufficient {0}"}

CONDITION_REASONS: Mapping[type[GangReason], str] = {
    GangIncomplete: "NotEnoughTasks",
    TasksIncomplete: "NotEnoughPodsOfTask",
    GangUnschedulable: "NotEnoughResources",
    GangNotAdmitted: "NotEnqueueable",
}
"""Volcano's reason of the condition Unschedulable."""


def node_cause(cause: NodeCause, causes: Mapping[str, str] = NODE_CAUSES) -> str:
    """The text for one node; the code itself where a newer scheduler wrote one that is not known."""
    template = causes.get(cause.code)
    return template.format(cause.subject, cause.detail) if template is not None else cause.code


# --- conditions of PodGroups and pods


def condition_message(reason: GangReason, dialect: Dialect = "volcano") -> str:
    """The message of a PodGroup's condition Unschedulable."""
    match reason:
        case GangIncomplete(have, need):
            return f"Not enough valid tasks for gang-scheduling, valid: {have}, min: {need}"
        case TasksIncomplete():
            return "Not enough valid pods of each task for gang-scheduling"
        case GangNotAdmitted():
            return "; ".join(map(admission_cause, reason.refusals))
        case GangUnschedulable():
            return _unschedulable(reason, dialect)


def _unschedulable(reason: GangUnschedulable, dialect: Dialect) -> str:
    head = f"{reason.needed}/{reason.tasks} tasks in gang unschedulable: "
    if dialect == "kube-batch":
        return head + (pod_message(reason.origin, dialect) if reason.origin is not None else "")
    states = f"{reason.pending - reason.unschedulable} Schedulable, {reason.unschedulable} Unschedulable"
    return (
        f"{head}pod group is not ready, {reason.pending} Pending, {reason.min_available} minAvailable; "
        f"Pending: {states}. Origin reason is {_origin(reason, dialect)}"
    )


def _origin(reason: GangUnschedulable, dialect: Dialect) -> str:
    text = pod_message(reason.origin, dialect) if reason.origin is not None else ""
    return f"{reason.pod}: {text}" if reason.pod else text


def pod_message(reason: OriginCause | GangReason, dialect: Dialect = "volcano") -> str:
    """The message of a pod's condition PodScheduled, and of its event FailedScheduling."""
    match reason:
        case NoNodes() | PodUnfit() | NodesUnfit():
            return node_reason(reason, dialect)
        case GangPending(pod, node):
            return f"Pod {pod} can possibly be assigned to {node}, once minAvailable is satisfied"
        case ReleasePending(pod, node):
            where = f"Pod {pod} can possibly be assigned to {node}, once "
            return where + "resource is released and minAvailable is satisfied" + _released(reason)
        case SchedulingGated():
            return f"waiting for scheduling gates: [{' '.join(reason.gates)}]"
        case MadeRoomFor(gang):
            return f"it made room for {gang}, which starts first"
        case QueueClosed() | QueueOverShare() | QueueOverLimit():
            return _queue_cause(reason)
        case GangNotAdmitted():
            counts = f"{reason.pods} Pending, {reason.min_available} minAvailable"
            return f"pod group is not ready, {counts}: {condition_message(reason)}"
        case GangIncomplete() | TasksIncomplete() | GangUnschedulable():
            return condition_message(reason, dialect)


def node_reason(reason: NodeReason, dialect: Dialect = "kubernetes") -> str:
    """`0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.`"""
    if isinstance(reason, NoNodes):
        return NO_NODES
    if isinstance(reason, PodUnfit):
        return _nodes(reason.nodes, [node_cause(reason.cause)], dialect)
    causes = KUBE_BATCH_CAUSES if dialect == "kube-batch" else NODE_CAUSES
    return _nodes(reason.nodes, _listed(reason.counts, reason.other, causes), dialect)


def _listed(counts: Iterable[NodeCount], other: GroupCause | None, causes: Mapping[str, str]) -> list[str]:
    """Sorted as text, as the schedulers do."""
    texts = [(f"{one.nodes} {node_cause(one.cause)}", f"{one.nodes} {node_cause(one.cause, causes)}") for one in counts]
    return [text for _, text in sorted(texts)] + ([group_cause(other)] if other is not None else [])


def _nodes(nodes: int, parts: Sequence[str], dialect: Dialect) -> str:
    listed = ", ".join(parts)
    if dialect == "volcano":
        return f"0/{nodes} nodes are unavailable: {listed}."
    if dialect == "kube-batch":
        return f"0/{nodes} nodes are available, {listed}."
    return f"0/{nodes} nodes are available: {listed}." if listed else f"0/{nodes} nodes are available:"


def _released(reason: ReleasePending) -> str:
    if not reason.terminating:
        return ""
    named = (f"{one.pod}{' (preempted for it)' if one.preempted else ''}" for one in reason.terminating)
    more = f" and {reason.more} more" if reason.more else ""
    return f"; terminating there: {', '.join(named)}{more}"


def group_cause(cause: GroupCause) -> str:
    match cause:
        case KeptForOthers():
            return ", ".join(map(_kept, cause.kept))
        case NoHyperNode(pods, tier):
            which = f"no hyper node up to tier {tier}" if tier else "no hyper node"
            return f"{which} has room for {pods} pods together"
        case SubGroupsIncomplete():
            return f"subGroupPolicy {cause.policy}: {cause.have} of {cause.need} groups of {cause.size} have room"


def _kept(kept: Kept) -> str:
    what = f"the share of queue {kept.queue} is" if kept.queue else f"{kept.nodes} node(s) are"
    return f"{what} kept for {kept.gang}" + (f" until {kept.until}" if kept.until else "")


def _queue_cause(cause: QueueClosed | QueueOverShare | QueueOverLimit) -> str:
    match cause:
        case QueueClosed(queue):
            return f"queue {queue} is not open"
        case QueueOverShare(queue):
            return f"queue {queue} has its share: others that ask for theirs go first"
        case QueueOverLimit(queue, limits):
            if not limits:
                return f"queue {queue}, or one above it, may have no more of what it asks for"
            listed = ", ".join(f"{one.resource}: {one.with_it} with it, {one.limit} at most" for one in limits)
            return f"queue {queue} may have no more of what it asks for ({listed})"


# --- admission


def admission_cause(cause: AdmissionCause, *, amounts: bool = True) -> str:
    """Why a gang is not admitted; without `amounts` for an event, which would be written whenever they change."""
    match cause:
        case ClusterInsufficient(shortages):
            text = "resource in cluster is overused: " + _each("overused", shortages)
            return f"{text} ({_amounts(shortages)})" if amounts else text
        case QueueInsufficient(queue, shortages):
            text = "queue resource quota insufficient: " + _each("insufficient", shortages)
            return f"{text} (queue {queue}: {_amounts(shortages)})" if amounts else text
        case QuotaInsufficient(quota, resources):
            text = "resource quota insufficient: " + ", ".join(f"insufficient {name}" for name in resources)
            return f"{text} (quota {quota})" if amounts else text
        case QueueHasChildren(queue):
            return f"queue {queue} has children: only queues without any take jobs"
        case ExtenderPending():
            return NODE_CAUSES["ExtenderPending"]
        case ExtenderRefused(url):
            return f"the extender at {url} does not admit it"
        case NotAllowed():
            return "it may not be admitted"


def _each(what: str, shortages: Iterable[Shortage]) -> str:
    return ", ".join(f"{what} {one.resource}" for one in shortages)


def _amounts(shortages: Iterable[Shortage]) -> str:
    """`nvidia.com/gpu: 4 asked, 1 free`."""
    return ", ".join(
        f"{one.resource}: {one.requested} asked, {one.free} {_counted(one.counted) if one.counted else 'free'}"
        for one in shortages
    )


def _counted(counted: Overcommit) -> str:
    parts = (
        ("minus", counted.in_use, "in use"),
        ("minus", counted.claimed, "claimed by groups that were admitted"),
        ("plus", counted.preemptable, "that it may preempt"),
    )
    listed = (f"{sign} {amount} {what}" for sign, amount, what in parts if amount)
    return " ".join((f"left of {counted.factor:g} x {counted.total} on all nodes", *listed))


# --- events


def admission_events(reason: GangNotAdmitted) -> list[str]:
    """One event for each refusal, without amounts."""
    return [admission_cause(cause, amounts=False) for cause in reason.refusals]


def not_admitted_event(reason: GangNotAdmitted, queue: str, pods: int, min_available: int) -> str:
    """The warning about the whole gang: Volcano's words, and what they mean."""
    pending = f"{pods} Pending, " if pods else ""
    head = f"{pods}/{pods} tasks in gang unschedulable: pod group is not ready, {pending}{min_available} minAvailable"
    exist = f"{pods} of {min_available} pods exist" if pods else f"no pods exist yet, the gang needs {min_available}"
    return f"{head}. Queue {queue} does not admit it, {exist}: {'; '.join(admission_events(reason))}"


# --- preemption


def preemption_text(reason: PreemptionReason) -> str:
    """Why preemption does not help a pod, for a terminal."""
    match reason:
        case NoNodes():
            return "there are no nodes"
        case PreemptionDisabled():
            return "not eligible due to preemptionPolicy=Never."
        case PreemptionPending():
            return "not eligible due to a terminating pod on the nominated node."
        case PreemptionUnhelpful():
            return _nodes(reason.nodes, _listed(reason.counts, None, NODE_CAUSES), "kubernetes")


def preemption_message(reason: PreemptionReason) -> str:
    """What follows the reason of the nodes in a pod's condition and event."""
    return f"preemption: {preemption_text(reason)}"


# --- people


def pod_wait_message(wait: PodWait) -> str:
    """For the conditions and events of the job that owns the pod."""
    return f"Pod {wait.pod} waits: {wait.reason}: {wait.details}"


def job_message(reason: GangReason) -> str:
    """For the job that owns the gang: without amounts and counts of nodes, so that the job is written when the cause
    changes, and not at every cycle.
    """
    match reason:
        case GangNotAdmitted():
            return "; ".join(admission_events(reason))
        case GangUnschedulable(origin=NodesUnfit() as unfit):
            causes = sorted(node_cause(one.cause) for one in unfit.counts)
            other = [_group_name(unfit.other)] if unfit.other is not None else []
            return f"no node fits: {', '.join((*causes, *other))}"
        case GangUnschedulable(origin=QueueOverLimit(queue, limits)) if limits:
            return f"queue {queue} may have no more {', '.join(one.resource for one in limits)}"
        case GangUnschedulable(origin=GangPending() | ReleasePending()):
            return "its pods have nodes, once others are released"
        case GangUnschedulable(origin=PodUnfit() as unfit):
            return f"no node fits: {node_cause(unfit.cause)}"
        case GangUnschedulable(origin=None):
            return "its pods find no node"
        case GangUnschedulable(origin=origin) if origin is not None:
            return pod_message(origin)
        case _:
            return condition_message(reason)


def _group_name(cause: GroupCause) -> str:
    """Without how many there are."""
    match cause:
        case KeptForOthers():
            return f"nodes are kept for {', '.join(one.gang for one in cause.kept)}"
        case SubGroupsIncomplete():
            return f"too few groups of subGroupPolicy {cause.policy} have room"
        case NoHyperNode():
            return group_cause(cause)


def short_text(reason: GangReason, dialect: Dialect = "volcano") -> str:
    """For a table: the origin, without the numbers that its other columns have."""
    return _origin(reason, dialect) if isinstance(reason, GangUnschedulable) else condition_message(reason, dialect)


def explanation(reason: Reason, dialect: Dialect = "volcano") -> str:
    """For `windlass explain`."""
    match reason:
        case GangIncomplete() | TasksIncomplete() | GangUnschedulable() | GangNotAdmitted():
            return f"{CONDITION_REASONS[type(reason)]}: {condition_message(reason, dialect)}"
        case KeptForOthers() | NoHyperNode() | SubGroupsIncomplete():
            return group_cause(reason)
        case PreemptionDisabled() | PreemptionPending() | PreemptionUnhelpful():
            return preemption_text(reason)
        case (
            ClusterInsufficient()
            | QueueInsufficient()
            | QuotaInsufficient()
            | QueueHasChildren()
            | ExtenderPending()
            | ExtenderRefused()
            | NotAllowed()
        ):
            return admission_cause(reason)
        case _:
            return pod_message(reason, dialect)
