"""Which pods go first when a workload is scaled down: those whose loss is felt least."""

import math
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from windlass.apis.core_v1 import Pod
from windlass.controllers.core.pod_state import is_ready, ready_since
from windlass.kube.meta import parse_time

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def first_to_go(pods: Iterable[Pod], related: Iterable[Pod], count: int, now: datetime) -> list[Pod]:
    """`count` of the pods. `related` are all that share their work, to thin out the nodes that hold most of them."""
    crowd = Counter(pod.spec.node_name for pod in related)
    return sorted(pods, key=lambda pod: _standing(pod, crowd[pod.spec.node_name], now))[:count]


def _standing(pod: Pod, neighbours: int, now: datetime) -> tuple[object, ...]:
    """Smaller goes first. Ages count by orders of magnitude, so that not always the newest pods are taken."""
    ready = is_ready(pod)
    created = parse_time(pod.metadata.creation_timestamp) if pod.metadata.creation_timestamp else now
    return (
        bool(pod.spec.node_name),
        PHASES.get(pod.status.phase, 0),
        ready,
        deletion_cost(pod),
        -neighbours,
        _magnitude(ready_since(pod) or LONG_AGO, now) if ready else 0,
        -max((status.restart_count for status in pod.status.container_statuses), default=0),
        _magnitude(created, now),
        pod.metadata.uid,
    )


def deletion_cost(pod: Pod) -> int:
    """What the annotation says; a value that is not a number counts as none."""
    try:
        return int(pod.metadata.annotations.get(DELETION_COST, "0"))
    except ValueError:
        return 0


def _magnitude(moment: datetime, now: datetime) -> int:
    nanoseconds = (now - moment).total_seconds() * 1e9
    return int(math.log2(nanoseconds)) if nanoseconds >= 1 else -1
