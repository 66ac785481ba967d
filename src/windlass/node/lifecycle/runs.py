"""The runs of a pod's containers: what the runtime remembers, and what only the pod's status still knows.

A run is lost when nobody saw its end: its sandbox is gone (a reboot), or the runtime knows nothing of it any more.
"""

from collections.abc import Iterator

from msgspec import Struct

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.node.lifecycle import moments
from windlass.node.lifecycle.observed import Observed
from windlass.node.runtimes.base import ContainerFacts, PodFacts

ID_PREFIX = "windlass://"
NOT_LOCATED = "The container could not be located when the pod was terminated"
STATUS_LISTS = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")


class Run(Struct, frozen=True):
    """One run of a container. `here`: in the sandbox that is there now; `told`: only the pod's status knows of it.

    A moment that is not known is 0.
    """

    attempt: int
    running: bool
    here: bool
    id: str = ""
    started_at: float = 0.0
    finished_at: float = 0.0
    exit_code: int = 0
    reason: str = ""
    message: str = ""
    spec_hash: str = ""
    told: bool = False


def histories(status: Object, seen: Observed) -> dict[str, tuple[Run, ...]]:
    """The known runs of each container that has any, oldest first."""
    found: dict[str, dict[int, Run]] = {}
    statuses = {each.get("name", ""): each for name in STATUS_LISTS for each in dig_list(status, name)}
    for name, told in statuses.items():
        for run in _told_runs(told, seen.now):
            found.setdefault(name, {})[run.attempt] = run
    for facts in seen.facts.containers if seen.facts else ():
        assert seen.facts is not None
        run = _remembered(facts, seen.facts, statuses.get(facts.name, {}), seen.now)
        found.setdefault(facts.name, {})[run.attempt] = run
    return {name: tuple(runs[attempt] for attempt in sorted(runs)) for name, runs in found.items()}


def told_terminated(status: Object, attempt: int) -> Object | None:
    """How a container's status tells the end of a run, if it does."""
    return next((ended for number, ended in told_ends(status) if number == attempt), None)


def _remembered(facts: ContainerFacts, pod: PodFacts, told: Object, now: float) -> Run:
    here = pod.alive and (facts.started_at or facts.finished_at or pod.created_at) >= pod.created_at
    common = {"attempt": facts.attempt, "id": facts.id, "started_at": facts.started_at, "spec_hash": facts.spec_hash}
    if facts.state == "running" and pod.alive:
        return Run(running=True, here=here, **common)
    if facts.state == "running":
        finished = moments.read(dig(told_terminated(told, facts.attempt), "finishedAt"))
        return Run(running=False, here=False, finished_at=finished or now, exit_code=255, reason="Unknown", **common)
    return Run(
        running=False,
        here=here,
        finished_at=facts.finished_at,
        exit_code=_exit_code(facts),
        reason=_reason(facts),
        message=facts.message,
        **common,
    )


def _exit_code(facts: ContainerFacts) -> int:
    """A run that a signal ended, or that was killed for its memory, has not succeeded, whatever else is told."""
    if facts.exit_code:
        return facts.exit_code
    if facts.signal:
        return 128 + facts.signal
    return 137 if facts.oom_killed else 0


def _reason(facts: ContainerFacts) -> str:
    if facts.reason:
        return facts.reason
    if facts.oom_killed:
        return "OOMKilled"
    return "Error" if _exit_code(facts) else "Completed"


def told_ends(status: Object) -> Iterator[tuple[int, Object]]:
    """The ends of runs in a container's status, with their attempts."""
    count = int(status.get("restartCount") or 0)
    ended = dig(status, "state", "terminated")
    if ended is not None:
        yield count, ended
    before = dig(status, "lastState", "terminated")
    if before is not None:
        is_newest = ended is None and dig(status, "state", "running") is None
        yield (count if is_newest else max(count - 1, 0)), before


def _told_runs(status: Object, now: float) -> Iterator[Run]:
    for attempt, ended in reversed(list(told_ends(status))):
        yield Run(
            attempt=attempt,
            running=False,
            here=False,
            told=True,
            id=str(ended.get("containerID") or "").removeprefix(ID_PREFIX),
            started_at=moments.read(ended.get("startedAt")),
            finished_at=moments.read(ended.get("finishedAt")),
            exit_code=int(ended.get("exitCode") or 0),
            reason=ended.get("reason") or "",
            message=ended.get("message") or "",
        )
    running = dig_object(status, "state").get("running")
    if running is not None:
        yield Run(
            attempt=int(status.get("restartCount") or 0),
            running=False,
            here=False,
            told=True,
            id=str(status.get("containerID") or "").removeprefix(ID_PREFIX),
            started_at=moments.read(running.get("startedAt")),
            finished_at=now,
            exit_code=137,
            reason="ContainerStatusUnknown",
            message=NOT_LOCATED,
        )
