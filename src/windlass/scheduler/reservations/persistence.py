"""Reservations as they are written on queues, so that a scheduler that starts anew finds them again. Pure."""

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
    """What a queue tells of a reservation; `uid` is that of the pod group."""

    uid: str
    nodes: tuple[str, ...]
    since: float
    at: float | None
    closed: bool


def written(one: Reservation) -> str:
    told: dict[str, Any] = {
        "podGroup": f"{one.job.namespace}/{one.job.name}",
        "uid": one.job.uid,
        "nodes": sorted(one.nodes),
        "since": _moment(one.since),
    }
    if one.at is not None:
        told["at"] = _moment(one.at)
    if one.closed:
        told["closed"] = True
    return json.dumps(told)


def read(text: str | None) -> Remembered | None:
    """None also where somebody else wrote there what cannot be understood."""
    try:
        told: Any = json.loads(text or "null")
    except ValueError:
        return None
    if not isinstance(told, dict) or not isinstance(told.get("uid"), str):
        return None
    nodes, since = told.get("nodes"), _seconds(told.get("since"))
    if not isinstance(nodes, list) or since is None:
        return None
    return Remembered(told["uid"], tuple(map(str, nodes)), since, _seconds(told.get("at")), told.get("closed") is True)


def recall(cluster: Cluster, reservations: Reservations, now: float) -> None:
    """What queues tell of gangs that still wait in them counts again.

    A queue that is no object tells nothing. Only `default` can be one: where it is the only queue, its first gang is
    looked at before all those behind it and has its nodes again in the first cycle. How long it waits its pods tell.
    """
    reservations.start_anew()
    for queue in cluster.queues.values():
        told = read(queue.annotations.get(RESERVED))
        job = cluster.jobs.get(told.uid) if told is not None else None
        if told is not None and job is not None and job.queue == queue.name:
            reservations.restore(Reservation(job, told.at, told.nodes, told.since, closed=told.closed), now)


def _moment(seconds: float) -> str:
    return timestamp(moment_of(seconds))


def _seconds(told: Any) -> float | None:
    return (seconds_of(told) or None) if isinstance(told, str) else None
