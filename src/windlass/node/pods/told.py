"""The runs of a pod's containers as its status tells them: all that is left of them once the sandbox is gone. Pure."""

from collections.abc import Iterator
from datetime import datetime

from windlass.kube.json import Object, dig, dig_list
from windlass.node.runtimes.base import ContainerFacts

_LISTS = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")


def told_runs(pod: Object) -> list[ContainerFacts]:
    """Oldest first for each container: the run before the last one, and the last."""
    return [run for each in _LISTS for status in dig_list(pod, "status", each) for run in _runs(status)]


def _runs(status: Object) -> Iterator[ContainerFacts]:
    newest = int(status.get("restartCount") or 0)
    for attempt, state in ((newest - 1, "lastState"), (newest, "state")):
        ended = dig(status, state, "terminated")
        if ended is not None and attempt >= 0:
            yield ContainerFacts(
                name=str(status["name"]),
                attempt=attempt,
                id=str(ended.get("containerID") or ""),
                state="exited",
                started_at=_seconds(ended.get("startedAt")),
                finished_at=_seconds(ended.get("finishedAt")),
                exit_code=int(ended.get("exitCode") or 0),
            )


def _seconds(text: str | None) -> float:
    return datetime.fromisoformat(text).timestamp() if text else 0.0
