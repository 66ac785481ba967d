"""What controllers ask of a pod: does it still count, is it ready, has it been ready long enough, what of its labels.

Pods here are the typed structs that the caches hold; the clock is an argument.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from windlass.apis.core_v1 import Pod
from windlass.kube.conditions import find
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after

FINISHED = ("Succeeded", "Failed")


def is_finished(pod: Pod) -> bool:
    return pod.status.phase in FINISHED


def is_active(pod: Pod) -> bool:
    """It runs, or may yet run."""
    return pod.metadata.deletion_timestamp is None and pod.status.phase not in FINISHED


def is_terminating(pod: Pod) -> bool:
    """Its deletion has begun, and its containers may still run."""
    return pod.metadata.deletion_timestamp is not None and pod.status.phase not in FINISHED


def is_ready(pod: Pod) -> bool:
    return any(condition.type == "Ready" and condition.status == "True" for condition in pod.status.conditions)


def ready_since(pod: Pod) -> datetime | None:
    """When it became ready, of a pod that is."""
    ready = find(pod.status.conditions, "Ready")
    if ready is None or ready.status != "True" or ready.last_transition_time is None:
        return None
    return parse_time(ready.last_transition_time)


def is_available(pod: Pod, min_ready_seconds: int, now: datetime) -> bool:
    """Ready, and for `min_ready_seconds` so far."""
    if not is_ready(pod):
        return False
    if not min_ready_seconds:
        return True
    since = ready_since(pod)
    return since is not None and moment_after(since, min_ready_seconds) <= now


def next_available_in(pods: Iterable[Pod], min_ready_seconds: int, now: datetime) -> timedelta | None:
    """How long until the next of these pods has been ready long enough; None when no ready one is waiting for that."""
    if not min_ready_seconds:
        return None
    moments = [moment_after(since, min_ready_seconds) for pod in pods if (since := ready_since(pod)) is not None]
    return min((moment - now for moment in moments if moment > now), default=None)
