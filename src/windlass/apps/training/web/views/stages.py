"""The life of a job as a timeline: created → admitted → scheduled → running → ended. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal

from windlass.apps.training.web.structs.job import ConditionRow, Stage
from windlass.apps.training.web.views.job_rows import ENDED
from windlass.gateway.views.parts import State
from windlass.gateway.views.reading import seconds_between, text, time_of, time_text
from windlass.kube.json import Object, dig, dig_list, timestamp

Name = Literal["created", "admitted", "scheduled", "running", "ended"]
ADMITTED_PHASES = ("Inqueue", "Running", "Completed")


def stages(
    job: Object,
    pods: Sequence[Object],
    group: Object | None,
    state: State,
    times: tuple[datetime | None, datetime | None],
    now: datetime,
) -> tuple[Stage, ...]:
    """`times`: when the job started and ended. A stage is done if a later one is reached."""
    started, ended = times
    scheduled = _last_scheduled(pods)
    reached: list[tuple[Name, datetime | None, bool]] = [
        ("created", time_of(dig(job, "metadata", "creationTimestamp")), True),
        ("admitted", _admitted(group, pods), group is None or dig(group, "status", "phase") in ADMITTED_PHASES),
        ("scheduled", scheduled, scheduled is not None),
        ("running", _running(pods) or started, state == "Running" or _running(pods) is not None),
        ("ended", ended, state in ENDED),
    ]
    if group is None:
        del reached[1]
    last = max(at for at, (_, _, done) in enumerate(reached) if done)
    return tuple(_stage(reached, at, last, now) for at in range(len(reached)))


def _stage(reached: list[tuple[Name, datetime | None, bool]], at: int, last: int, now: datetime) -> Stage:
    name, moment, _ = reached[at]
    if at > last:
        return Stage(name=name, state="ahead", at=None, seconds=None)
    following = next((time for _, time, _ in reached[at + 1 : last + 1] if time is not None), None)
    is_last = at == last
    until = None if name == "ended" else now if is_last else following
    return Stage(
        name=name,
        state="current" if is_last and name != "ended" else "done",
        at=timestamp(moment) if moment is not None else None,
        seconds=seconds_between(moment, until),
    )


def _admitted(group: Object | None, pods: Iterable[Object]) -> datetime | None:
    """When the queue admitted the gang: nothing records it, but its pods are made then, where a controller waits."""
    if group is None or dig(group, "status", "phase") not in ADMITTED_PHASES:
        return None
    created = [moment for pod in pods if (moment := time_of(dig(pod, "metadata", "creationTimestamp"))) is not None]
    made = time_of(dig(group, "metadata", "creationTimestamp"))
    return max((moment for moment in (made, min(created, default=None)) if moment is not None), default=None)


def _last_scheduled(pods: Sequence[Object]) -> datetime | None:
    """When the last pod got its node; None while one waits."""
    moments: list[datetime] = []
    for pod in pods:
        if not dig(pod, "spec", "nodeName"):
            return None
        moment = _transition(pod, "PodScheduled") or time_of(dig(pod, "status", "startTime"))
        if moment is not None:
            moments.append(moment)
    return max(moments, default=None)


def _running(pods: Iterable[Object]) -> datetime | None:
    """When the first container that trains started."""
    moments = [
        moment
        for pod in pods
        for status in dig_list(pod, "status", "containerStatuses")
        for where in (("state", "running"), ("state", "terminated"), ("lastState", "terminated"))
        if (moment := time_of(dig(status, *where, "startedAt"))) is not None
    ]
    return min(moments, default=None)


def _transition(obj: Object, type_: str) -> datetime | None:
    for condition in dig_list(obj, "status", "conditions"):
        if dig(condition, "type") == type_ and dig(condition, "status") == "True":
            return time_of(dig(condition, "lastTransitionTime"))
    return None


def conditions(job: Object) -> tuple[ConditionRow, ...]:
    """The oldest first; Volcano's name the phase in `status`."""
    rows = [
        ConditionRow(
            type=text(dig(condition, "type")) or text(dig(condition, "status")),
            status=text(dig(condition, "status")) if dig(condition, "type") else "True",
            reason=text(dig(condition, "reason")),
            message=text(dig(condition, "message")),
            at=time_text(dig(condition, "lastTransitionTime") or dig(condition, "lastUpdateTime")),
        )
        for condition in dig_list(job, "status", "conditions")
    ]
    return tuple(sorted(rows, key=lambda row: row.at or ""))
