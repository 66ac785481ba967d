"""What a person can do about a reason: a table of texts for pages. Pure."""

from collections.abc import Mapping

from windlass.apis.reasons import (
    ClusterInsufficient,
    GangIncomplete,
    GangNotAdmitted,
    GangUnschedulable,
    KeptForOthers,
    MadeRoomFor,
    NodeCause,
    NodesUnfit,
    NoNodes,
    PodUnfit,
    QueueClosed,
    QueueHasChildren,
    QueueInsufficient,
    QueueOverLimit,
    QueueOverShare,
    QuotaInsufficient,
    Reason,
    ReleasePending,
    SchedulingGated,
    TasksIncomplete,
)
from windlass.gateway.views.parts import Fix

MAX_FIXES = 3
NODE_FIXES: Mapping[str, tuple[str, str]] = {
    "InsufficientResource": ("FreeResources", "Ask for less {0}, use fewer replicas, or end something that holds it"),
    "TooManyPods": ("FewerPods", "The nodes have no room for more pods: end some, or add a node"),
    "NodeUnschedulable": ("UncordonNode", "Nodes are cordoned: ask an administrator to uncordon them"),
    "NodeName": ("CheckNodeName", "Check spec.nodeName of the pod template"),
    "UntoleratedTaint": ("AddToleration", "Add a toleration for the taint to the pod template"),
    "NodeAffinity": ("CheckNodeSelector", "Check nodeSelector and affinity of the pod template"),
    "NodePorts": ("ChangePort", "Use another hostPort, or none"),
    "PodAffinity": ("CheckAffinity", "Check podAffinity of the pod template"),
    "PodAntiAffinity": ("CheckAffinity", "Check podAntiAffinity of the pod template"),
    "VolumeNodeAffinity": ("CheckVolume", "The volume is on another node: use a volume that all nodes reach"),
    "NoPersistentVolume": ("CheckVolume", "Check the claim: no volume can be bound to it"),
    "PersistentVolumeMissing": ("CheckVolume", "Check the claim: its volume does not exist"),
    "ClaimStuck": ("CheckStorageClass", "Make the volume {0} again, with a storage class that can serve it"),
}
EVENT_FIXES: Mapping[str, tuple[str, str]] = {
    "ImagePullBackOff": ("CheckImage", "Check the name of the image, and whether the registry needs a pull secret"),
    "ErrImagePull": ("CheckImage", "Check the name of the image, and whether the registry needs a pull secret"),
    "InvalidImageName": ("CheckImage", "The name of the image is not valid: correct it"),
    "CrashLoopBackOff": ("ReadLogs", "The program ends soon after it starts: read the last lines of its log"),
    "BackOff": ("ReadLogs", "The program ends soon after it starts: read the last lines of its log"),
    "Error": ("ReadLogs", "The program failed: read the last lines of its log"),
    "OOMKilled": ("MoreMemory", "The program used more memory than its limit: raise the limit, or use a smaller batch"),
    "CreateContainerConfigError": ("CheckReferences", "Check the ConfigMaps and Secrets that the pod refers to"),
    "ImageVolumeMountFailed": (
        "CheckImage",
        "The image of a volume does not have the path that is mounted: check both",
    ),
    "CreateContainerError": ("CheckCommand", "Check the command and the working directory of the container"),
    "FailedMount": ("CheckVolume", "Check the volumes of the pod: one cannot be mounted"),
    "FailedAttachVolume": ("CheckVolume", "Check the volumes of the pod: one cannot be attached"),
    "FailedBinding": ("CheckStorageClass", "Choose a storage class that exists, or create a volume for the claim"),
    "ProvisioningFailed": (
        "CheckStorageClass",
        "The storage class could not make the volume: check its size and class",
    ),
    "VolumeNearlyFull": ("FreeDisk", "Delete files that are not needed, or make the volume larger"),
    "ClaimNotFound": ("CreateClaim", "Create the volume that it names, or name another one"),
    "NoEventFiles": ("CheckLogPath", "Nothing was written to the path yet: check the log directory of the job"),
    "FailedScheduling": (
        "FreeResources",
        "Correct what the message names; if resources are short, ask for less or end something that holds them",
    ),
    "FailedCreate": ("CheckQuota", "Check the quota of the namespace and the message of the event"),
    "Evicted": ("FreeDisk", "The node ran out of a resource: request what the pod needs"),
    "Unhealthy": ("ReadLogs", "The server does not answer its probe: read its log"),
    "DeadlineExceeded": ("RaiseDeadline", "Raise activeDeadlineSeconds, or make the job shorter"),
    "BackoffLimitExceeded": ("ReadLogs", "A replica failed too often: read its log, then restart the job"),
    "NotebookCulled": ("StartAgain", "It was idle for too long: start it again"),
}


REASON_FIXES: Mapping[str, tuple[str, str]] = {
    "NoNodes": ("AddNode", "The cluster has no nodes: start a node agent"),
    "ClusterInsufficient": ("FreeResources", "Ask for less {0}, use fewer replicas, or end something that holds it"),
    "QueueLimit": ("ChangeQueue", "Use another queue, ask for less, or have the limits of queue {0} raised"),
    "QuotaInsufficient": ("CheckQuota", "Ask for less, end something in the namespace, or have quota {0} raised"),
    "QueueClosed": ("OpenQueue", "Open queue {0}, or use another"),
    "QueueHasChildren": ("ChangeQueue", "Use a queue below {0}"),
    "GangIncomplete": ("CheckReplicas", "Pods of the gang are missing: see the events of the job for why"),
    "SchedulingGated": ("RemoveGates", "Something must remove the scheduling gates: {0}"),
    "Turn": ("Wait", "Nothing is wrong: it starts when its turn comes"),
    "Held": ("EndHolder", "It has room once {0} has ended: wait, suspend it, or ask for less"),
}


def fix(cause: str, subject: str = "", *, command: str = "", link: str = "") -> Fix:
    """What helps against a cause of the tables of this module."""
    code, sentence = REASON_FIXES.get(cause) or NODE_FIXES[cause]
    words = sentence.format(subject or "of what it asks for")
    return Fix(code=code, cause=cause, subject=subject, text=words, command=command, link=link)


def event_fixes(reason: str, command: str = "", link: str = "") -> tuple[Fix, ...]:
    """For reasons of containers, events and conditions."""
    found = EVENT_FIXES.get(reason)
    if found is None:
        return ()
    code, sentence = found
    line = command if code == "ReadLogs" else ""
    return (Fix(code=code, cause=reason, subject="", text=sentence, command=line, link=link),)


def reason_fixes(reason: Reason | None) -> tuple[Fix, ...]:
    """For reasons of the scheduler, the first few that differ."""
    found: dict[str, Fix] = {}
    for one in _fixes(reason):
        found.setdefault(one.code + one.text, one)
    return tuple(found.values())[:MAX_FIXES]


def _fixes(reason: Reason | None) -> list[Fix]:
    match reason:
        case GangUnschedulable(origin=origin):
            return _fixes(origin)
        case GangNotAdmitted(refusals):
            return [each for cause in refusals for each in _fixes(cause)]
        case NodesUnfit(counts=counts, other=other):
            return [*(_node_fix(one.cause) for one in counts if one.cause.code in NODE_FIXES), *_fixes(other)]
        case PodUnfit(cause=cause):
            return [_node_fix(cause)] if cause.code in NODE_FIXES else []
        case NoNodes():
            return [fix("NoNodes")]
        case ClusterInsufficient(shortages):
            return [fix("ClusterInsufficient", ", ".join(one.resource for one in shortages))]
        case QueueInsufficient(queue) | QueueOverLimit(queue) | QueueOverShare(queue):
            return [fix("QueueLimit", queue, link=f"/queues/{queue}")]
        case QuotaInsufficient(quota):
            return [fix("QuotaInsufficient", quota)]
        case QueueClosed(queue):
            return [fix("QueueClosed", queue, command=f"windlass queue open {queue}", link=f"/queues/{queue}")]
        case QueueHasChildren(queue):
            return [fix("QueueHasChildren", queue, link=f"/queues/{queue}")]
        case GangIncomplete() | TasksIncomplete():
            return [fix("GangIncomplete")]
        case SchedulingGated(gates):
            return [fix("SchedulingGated", ", ".join(gates))]
        case KeptForOthers() | MadeRoomFor() | ReleasePending():
            return [fix("Turn")]
        case _:
            return []


def _node_fix(cause: NodeCause) -> Fix:
    return fix(cause.code, cause.subject)
