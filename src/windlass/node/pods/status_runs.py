"""The runs of a pod's containers as its status recorded them: all that is left once the sandbox is gone. Pure."""

from collections.abc import Iterator

from windlass.kube.json import Object, dig_list, dig_object
from windlass.node.lifecycle import times
from windlass.node.lifecycle.runs import ID_PREFIX, STATUS_LISTS, recorded_terminations
from windlass.node.runtimes.base import ContainerFacts


def runs_from_status(pod: Object) -> list[ContainerFacts]:
    """Return the last two runs of each container, oldest first."""
    return [run for status in container_statuses(dig_object(pod, "status")) for run in _runs(status)]


def container_statuses(status: Object) -> list[Object]:
    """Return the statuses of all containers: init, main and ephemeral."""
    return [one for each in STATUS_LISTS for one in dig_list(status, each)]


def _runs(status: Object) -> Iterator[ContainerFacts]:
    for attempt, ended in reversed(list(recorded_terminations(status))):
        yield ContainerFacts(
            name=str(status["name"]),
            attempt=attempt,
            id=str(ended.get("containerID") or "").removeprefix(ID_PREFIX),
            state="exited",
            started_at=times.parse_time(ended.get("startedAt")),
            finished_at=times.parse_time(ended.get("finishedAt")),
            exit_code=int(ended.get("exitCode") or 0),
            reason=ended.get("reason") or "",
            message=ended.get("message") or "",
        )
