"""The runs of a pod's containers as its status tells them: all that is left of them once the sandbox is gone. Pure."""

from collections.abc import Iterator

from windlass.kube.json import Object, dig_list, dig_object
from windlass.node.lifecycle import moments
from windlass.node.lifecycle.runs import ID_PREFIX, STATUS_LISTS, told_ends
from windlass.node.runtimes.base import ContainerFacts


def told_runs(pod: Object) -> list[ContainerFacts]:
    """Oldest first for each container: the run before the last one, and the last."""
    return [run for status in container_statuses(dig_object(pod, "status")) for run in _runs(status)]


def container_statuses(status: Object) -> list[Object]:
    """Those of all containers, of whatever sort."""
    return [one for each in STATUS_LISTS for one in dig_list(status, each)]


def _runs(status: Object) -> Iterator[ContainerFacts]:
    for attempt, ended in reversed(list(told_ends(status))):
        yield ContainerFacts(
            name=str(status["name"]),
            attempt=attempt,
            id=str(ended.get("containerID") or "").removeprefix(ID_PREFIX),
            state="exited",
            started_at=moments.read(ended.get("startedAt")),
            finished_at=moments.read(ended.get("finishedAt")),
            exit_code=int(ended.get("exitCode") or 0),
            reason=ended.get("reason") or "",
            message=ended.get("message") or "",
        )
