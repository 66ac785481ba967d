"""The runs of a pod's containers, as the runtime remembers them or as the pod's status recorded them.

A run is lost when its end was not observed: its sandbox is gone (a reboot), or the runtime no longer knows it.
"""

from collections.abc import Iterator

from msgspec import Struct

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.node.lifecycle import times
from windlass.node.lifecycle.observed import Observed
from windlass.node.runtimes.base import ContainerFacts, PodFacts

ID_PREFIX = "windlass://"
NOT_LOCATED = "The container could not be located when the pod was terminated"
STATUS_LISTS = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")


class Run(Struct, frozen=True):
    """One run of a container. `here`: in the current sandbox; `from_status`: known only from the pod's status.

    An unknown time is 0.
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
    from_status: bool = False


def histories(status: Object, observed: Observed) -> dict[str, tuple[Run, ...]]:
    """Return the known runs of each container, oldest first."""
    found: dict[str, dict[int, Run]] = {}
    statuses = {each.get("name", ""): each for name in STATUS_LISTS for each in dig_list(status, name)}
    for name, status_ in statuses.items():
        for run in _runs_from_status(status_, observed.now):
            found.setdefault(name, {})[run.attempt] = run
    for facts in observed.facts.containers if observed.facts else ():
        assert observed.facts is not None
        run = _remembered(facts, observed.facts, statuses.get(facts.name, {}), observed.now)
        found.setdefault(facts.name, {})[run.attempt] = run
    return {name: tuple(runs[attempt] for attempt in sorted(runs)) for name, runs in found.items()}


def recorded_termination(status: Object, attempt: int) -> Object | None:
    """Return the termination of a run as the container's status recorded it, if it did."""
    return next((ended for number, ended in recorded_terminations(status) if number == attempt), None)


def _remembered(facts: ContainerFacts, pod: PodFacts, status_: Object, now: float) -> Run:
    here = pod.alive and (facts.started_at or facts.finished_at or pod.created_at) >= pod.created_at
    common = {"attempt": facts.attempt, "id": facts.id, "started_at": facts.started_at, "spec_hash": facts.spec_hash}
    if facts.state == "running" and pod.alive:
        return Run(running=True, here=here, **common)
    if facts.state == "running":
        finished = times.parse_time(dig(recorded_termination(status_, facts.attempt), "finishedAt"))
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
    """Return the exit code; a run that a signal or the OOM killer ended never counts as successful."""
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


def recorded_terminations(status: Object) -> Iterator[tuple[int, Object]]:
    """Yield the recorded terminations of a container's status, with their attempts."""
    count = int(status.get("restartCount") or 0)
    ended = dig(status, "state", "terminated")
    if ended is not None:
        yield count, ended
    before = dig(status, "lastState", "terminated")
    if before is not None:
        is_newest = ended is None and dig(status, "state", "running") is None
        yield (count if is_newest else max(count - 1, 0)), before


def _runs_from_status(status: Object, now: float) -> Iterator[Run]:
    for attempt, ended in reversed(list(recorded_terminations(status))):
        yield Run(
            attempt=attempt,
            running=False,
            here=False,
            from_status=True,
            id=str(ended.get("containerID") or "").removeprefix(ID_PREFIX),
            started_at=times.parse_time(ended.get("startedAt")),
            finished_at=times.parse_time(ended.get("finishedAt")),
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
            from_status=True,
            id=str(status.get("containerID") or "").removeprefix(ID_PREFIX),
            started_at=times.parse_time(running.get("startedAt")),
            finished_at=now,
            exit_code=137,
            reason="ContainerStatusUnknown",
            message=NOT_LOCATED,
        )
