"""How long a Job waits before it replaces a pod that failed: 10 s, doubled with each failure in a row, 10 min at most.

It is reckoned from the pods that are there, so that a restarted manager waits as long.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from windlass.apis.core_v1 import Json, Pod
from windlass.kube.conditions import find
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after

FIRST, MOST = timedelta(seconds=10), timedelta(minutes=10)
NONE = timedelta()


def remaining(failures: int, last_failure: datetime | None, now: datetime) -> timedelta:
    """What is left of the wait after so many failures in a row."""
    if not failures or last_failure is None:
        return NONE
    wait = min(FIRST * 2 ** min(failures - 1, 16), MOST)
    return max(wait - (now - last_failure), NONE)


def remaining_after(succeeded: Iterable[Pod], failed: Iterable[Pod], now: datetime) -> timedelta:
    """The wait of a Job as a whole: failures before the last success do not count."""
    last_success = max((finished_at(pod, now) for pod in succeeded), default=None)
    times = [finished_at(pod, now) for pod in failed]
    recent = [time for time in times if last_success is None or time > last_success]
    return remaining(len(recent), max(recent, default=None), now)


def finished_at(pod: Pod, now: datetime) -> datetime:
    """When its last container ended; where that is not known, when it stopped being ready, or its deletion began."""
    return _containers_ended(pod) or _stopped_being_ready(pod) or _deletion_requested(pod) or _created(pod) or now


def _containers_ended(pod: Pod) -> datetime | None:
    times: list[datetime] = []
    for status in pod.status.container_statuses:
        ended: Json = status.state.get("terminated") or {}
        if not ended.get("finishedAt"):
            return None
        times.append(parse_time(ended["finishedAt"]))
    return max(times, default=None)


def _stopped_being_ready(pod: Pod) -> datetime | None:
    ready = find(pod.status.conditions, "Ready")
    if ready is None or ready.status != "False" or ready.last_transition_time is None:
        return None
    return parse_time(ready.last_transition_time)


def _deletion_requested(pod: Pod) -> datetime | None:
    metadata = pod.metadata
    if metadata.deletion_timestamp is None:
        return None
    return moment_after(parse_time(metadata.deletion_timestamp), -(metadata.deletion_grace_period_seconds or 0))


def _created(pod: Pod) -> datetime | None:
    created = pod.metadata.creation_timestamp
    return parse_time(created) if created is not None else None
