"""Nodes that are kept for a gang are closed to pods of no gang too, by the same rule. Pure."""

from collections.abc import Iterable

from windlass.apis.reasons import NodeCause
from windlass.scheduler.framework.reservation import Reservation
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.reservations.estimates import said_of


def closed_to(pod: PodInfo, kept: Iterable[Reservation], starvation: float, now: float) -> dict[str, NodeCause]:
    """The nodes that the pod may not use, and why: unless it is more important, or ends before the gang can start."""
    seconds = said_of(pod)
    return {
        node: NodeCause("KeptForGang", f"{one.job.namespace}/{one.job.name}")
        for one in kept
        if pod.priority <= one.job.priority and one.is_in_force(now, starvation) and not one.leaves_time(seconds, now)
        for node in one.nodes
    }
