"""Reservations as they are written on queues, so that a scheduler finds them after a restart."""

import json
from dataclasses import dataclass
from typing import Any

from windlass.kube.json import timestamp
from windlass.scheduler.framework.reservation import Reservation
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.parsing import moment_of, seconds_of
from windlass.scheduler.reservations.reservations import Reservations

RESERVED = "scheduling.windlass.dev/reservation"
"""Annotation of a Queue: the pod group that nodes are kept for, which nodes, since when and until when."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A reservation as a queue has it; `uid` is that of the pod group."""

    uid: str
    nodes: tuple[str, ...]
    since: float
    at: float | None
    closed: bool


def written(one: Reservation) -> str:
    value: dict[str, Any] = {
        "podGroup": f"{one.job.namespace}/{one.job.name}",
        "uid": one.job.uid,
        "nodes": sorted(one.nodes),
        "since": _moment(one.since),
    }
    if one.at is not None:
        value["at"] = _moment(one.at)
    if one.closed:
        value["closed"] = True
    return json.dumps(value)


def read(text: str | None) -> Remembered | None:
    """None also where the annotation cannot be parsed."""
    try:
        value: Any = json.loads(text or "null")
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("uid"), str):
        return None
    nodes, since = value.get("nodes"), _seconds(value.get("since"))
    if not isinstance(nodes, list) or since is None:
        return None
    return Remembered(
        value["uid"], tuple(map(str, nodes)), since, _seconds(value.get("at")), value.get("closed") is True
    )


def recall(cluster: Cluster, reservations: Reservations, now: float) -> None:
    """Restore the reservations that queues have, of gangs that still wait in them.

    A queue without an object has none. Only `default` can be one: where it is the only queue, its first gang is
    decided about before all those behind it and has its nodes again in the first cycle. Its pods say how long it waits.
    """
    reservations.started_again()
    for queue in cluster.queues.values():
        value = read(queue.annotations.get(RESERVED))
        job = cluster.jobs.get(value.uid) if value is not None else None
        if value is not None and job is not None and job.queue == queue.name:
            reservations.restore(Reservation(job, value.at, value.nodes, value.since, closed=value.closed), now)


def _moment(seconds: float) -> str:
    return timestamp(moment_of(seconds))


def _seconds(value: Any) -> float | None:
    return (seconds_of(value) or None) if isinstance(value, str) else None
