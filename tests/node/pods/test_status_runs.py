"""The runs that a status still knows when the runtime has forgotten them."""

from typing import Any

import pytest

from tests.node.lifecycle.builders import a_pod, ran, saw
from windlass.kube.json import Object
from windlass.node.lifecycle.decide import decide
from windlass.node.pods.status_runs import runs_from_status


def ended(code: int, number: int) -> Object:
    return {
        "terminated": {
            "exitCode": code,
            "reason": "Error" if code else "Completed",
            "startedAt": "2026-01-01T00:00:00Z",
            "finishedAt": "2026-01-01T00:00:10Z",
            "containerID": f"windlass://main-{number}",
        }
    }


RUNNING: Object = {"running": {"startedAt": "2026-01-01T00:00:20Z"}}
WAITING: Object = {"waiting": {"reason": "CrashLoopBackOff"}}


@pytest.mark.parametrize(
    ("state", "last", "restarts", "runs"),
    [
        (WAITING, {}, 0, []),
        (RUNNING, {}, 0, []),
        (ended(0, 0), {}, 0, [(0, 0)]),
        (RUNNING, ended(1, 0), 1, [(0, 1)]),
        (WAITING, ended(1, 0), 0, [(0, 1)]),
        (WAITING, ended(1, 3), 3, [(3, 1)]),
        (ended(2, 4), ended(1, 3), 4, [(3, 1), (4, 2)]),
    ],
)
def test_the_attempt_of_a_run_is_reported_by_where_it_stands(
    state: Object, last: Object, restarts: int, runs: list[tuple[int, int]]
) -> None:
    status = {"name": "main", "state": state, "lastState": last, "restartCount": restarts}

    found = runs_from_status({"status": {"containerStatuses": [status]}})

    assert [(each.attempt, each.exit_code) for each in found] == runs
    assert [each.id for each in found] == [f"main-{attempt}" for attempt, _ in runs]
    for each in found:
        assert (each.state, each.finished_at - each.started_at) == ("exited", 10)


def test_all_kinds_of_containers_are_there() -> None:
    lists = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
    status = {each: [{"name": each[:4], "state": ended(0, 0), "restartCount": 0}] for each in lists}

    assert [each.name for each in runs_from_status({"status": status})] == ["init", "cont", "ephe"]
    assert runs_from_status({}) == []


@pytest.mark.parametrize(
    "runs",
    [
        (ran(code=0),),
        (ran(code=1, ago=2),),
        (ran(code=1, ago=100), ran(attempt=1, code=1, ago=2)),
        (ran(code=1, ago=100), ran(attempt=1, code=3, ago=2, message="said")),
    ],
)
def test_what_decide_tells_is_read_back(runs: tuple[Any, ...]) -> None:
    for policy in ("Always", "Never"):
        told = decide(a_pod(restartPolicy=policy), saw(*runs)).status

        newest = runs_from_status({"status": told})[-1]

        assert (newest.attempt, newest.exit_code) == (runs[-1].attempt, runs[-1].exit_code)
        assert (newest.id, newest.message) == (runs[-1].id, runs[-1].message)
