"""Node health: how long a node has been silent, and the conditions of one that has been for too long. Pure.

Silence is counted by observation: the time between two checks counts for no more than the usual interval. So a
laptop that slept, or a manager that was stopped, does not find its nodes lost.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import msgspec

from windlass.apis.coordination_v1 import Lease
from windlass.apis.core_v1 import Node, NodeCondition, Pod
from windlass.kube.conditions import find
from windlass.kube.json import timestamp

GRACE = timedelta(seconds=40)
CHECK_INTERVAL = timedelta(seconds=5)
READY = "Ready"
KUBELETS = (READY, "MemoryPressure", "DiskPressure", "PIDPressure")
STOPPED = ("NodeStatusUnknown", "Kubelet stopped posting node status.")
STATUS_NOT_POSTED = ("NodeStatusNeverUpdated", "Kubelet never posted node status.")


Sign = tuple[str, str, str]
"""The node, when its lease was renewed, when it last posted its status."""


@dataclass(frozen=True, slots=True)
class Health:
    """The last sign of a node's life, and how long it has been quiet since."""

    sign: Sign
    looked_at: datetime
    silent: timedelta = timedelta()


def has_agent(node: Node, lease: Lease | None) -> bool:
    """Whether something speaks for the node, or did: one that people only wrote down is never lost."""
    ready = find(node.status.conditions, READY)
    return lease is not None or (ready is not None and ready.last_heartbeat_time is not None)


def sign_of(node: Node, lease: Lease | None) -> Sign:
    ready = find(node.status.conditions, READY)
    renewed = lease.spec.renew_time if lease is not None else None
    return node.metadata.uid, renewed or "", (ready.last_heartbeat_time if ready is not None else None) or ""


def observe(before: Health | None, sign: Sign, now: datetime) -> Health:
    if before is None or before.sign != sign:
        return Health(sign, now)
    passed = min(max(now - before.looked_at, timedelta()), 2 * CHECK_INTERVAL)
    return replace(before, looked_at=now, silent=before.silent + passed)


def node_name(pod: Pod) -> str:
    return pod.spec.node_name


def lost_readiness(node: Node) -> NodeCondition | None:
    """The condition that says that a node is not ready; None while it is, or never said so."""
    ready = find(node.status.conditions, READY)
    return ready if ready is not None and ready.status != "True" else None


def lost_conditions(node: Node, now: datetime) -> list[NodeCondition]:
    """The conditions of a node that stopped posting its status: what the kubelet reported is unknown."""
    moment = timestamp(now)
    held = [_unknown(each, moment) if each.type in KUBELETS else each for each in node.status.conditions]
    missing = [type for type in KUBELETS if find(held, type) is None]
    return [
        *held,
        *(
            NodeCondition(
                type=type,
                status="Unknown",
                reason=STATUS_NOT_POSTED[0],
                message=STATUS_NOT_POSTED[1],
                last_heartbeat_time=node.metadata.creation_timestamp,
                last_transition_time=moment,
            )
            for type in missing
        ),
    ]


def _unknown(condition: NodeCondition, moment: str) -> NodeCondition:
    if condition.status == "Unknown":
        return condition
    reason, message = STOPPED
    return msgspec.structs.replace(
        condition, status="Unknown", reason=reason, message=message, last_transition_time=moment
    )
