"""A loop of many iterations, and a page of a long history; `make bench-pipelines` measures larger ones."""

import asyncio
import statistics
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import requests

from tests.e2e.notebooks.desk import Desk, desk_of_a_profile
from tests.e2e.pipelines.sdk import Kfp
from tests.gateway.platform import Platform
from tests.support import eventually
from windlass.apps.pipelines.model import Experiment, Run, RunState, Task
from windlass.apps.pipelines.rows import open_database

pytestmark = pytest.mark.timeout(300)
ITERATIONS, LIMIT = 60, 20
RUNS, PAGE = 10_000, 200
PAGE_SECONDS = 1.0
"""The bar is 0.2 s on an idle machine."""
LOOP = {
    "pipelineInfo": {"name": "many"},
    "schemaVersion": "2.1.0",
    "components": {
        "comp-touch": {"executorLabel": "exec-touch"},
        "comp-loop": {
            "inputDefinitions": {"parameters": {"item": {"parameterType": "NUMBER_INTEGER"}}},
            "dag": {"tasks": {"touch": {"componentRef": {"name": "comp-touch"}, "taskInfo": {"name": "touch"}}}},
        },
    },
    "deploymentSpec": {"executors": {"exec-touch": {"container": {"image": "busybox", "command": ["true"]}}}},
    "root": {
        "dag": {
            "tasks": {
                "loop": {
                    "componentRef": {"name": "comp-loop"},
                    "taskInfo": {"name": "loop"},
                    "parameterIterator": {"itemInput": "item", "items": {"raw": str(list(range(ITERATIONS)))}},
                    "iteratorPolicy": {"parallelismLimit": LIMIT},
                }
            }
        }
    },
}


@pytest.fixture(scope="module")
def own_desk(platform: Platform) -> Iterator[Desk]:
    """A profile whose history is long: others share none of it."""
    with desk_of_a_profile(platform) as desk:
        yield desk


@pytest.fixture(scope="module")
def api(own_desk: Desk) -> requests.Session:
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {Kfp.of(own_desk).token}"
    return session


def database_of(desk: Desk) -> str:
    return f"sqlite:///{desk.platform.data_dir / 'pipelines' / 'pipelines.db'}"


def call(api: requests.Session, desk: Desk, method: str, path: str, **more: Any) -> Any:
    answer = api.request(method, f"{desk.platform.url}/pipeline/apis/v2beta1/{path}", timeout=60, **more)
    assert answer.ok, answer.text
    return answer.json()


def test_a_loop_never_has_more_iterations_at_once_than_its_limit(own_desk: Desk, api: requests.Session) -> None:
    given = {"display_name": "many", "namespace": own_desk.namespace}
    experiment = call(api, own_desk, "POST", "experiments", json=given)["experiment_id"]
    body = {"display_name": "many", "experiment_id": experiment, "pipeline_spec": LOOP}
    run_id = call(api, own_desk, "POST", "runs", json=body)["run_id"]

    eventually(lambda: call(api, own_desk, "GET", f"runs/{run_id}")["state"] == "SUCCEEDED", 200, "the loop is over")

    iterations = [task for task in asyncio.run(tasks_of(database_of(own_desk), run_id)) if task.iteration >= 0]
    assert len(iterations) == ITERATIONS
    assert 2 <= most_at_once([(task.started_at, task.finished_at) for task in iterations]) <= LIMIT


async def tasks_of(url: str, run_id: str) -> list[Task]:
    database = await open_database(url)
    try:
        return await database.tasks(run_id)
    finally:
        await database.close()


def most_at_once(spans: Sequence[tuple[float, float]]) -> int:
    """The most spans that overlap; one that ends as another starts does not overlap it."""
    changes = sorted([(start, 1) for start, _ in spans] + [(end, -1) for _, end in spans])
    active = most = 0
    for _, change in changes:
        active += change
        most = max(most, active)
    return most


def test_a_page_of_a_long_history_is_read_at_once(own_desk: Desk, api: requests.Session) -> None:
    asyncio.run(fill(database_of(own_desk), own_desk.namespace))
    taken: list[float] = []
    names: list[str] = []
    answer: dict[str, Any] = {}
    query = {"experiment_id": "history", "page_size": str(PAGE), "sort_by": "created_at desc", "page_token": ""}
    for _ in range(5):
        began = time.perf_counter()
        answer = call(api, own_desk, "GET", "runs", params=query)
        taken.append(time.perf_counter() - began)
        query["page_token"] = answer["next_page_token"]
        names += [run["display_name"] for run in answer["runs"]]

    assert answer["total_size"] == RUNS
    assert names == [f"run-{number}" for number in range(RUNS - 1, RUNS - 1 - 5 * PAGE, -1)]
    assert statistics.median(taken) < PAGE_SECONDS


async def fill(url: str, namespace: str) -> None:
    database = await open_database(url)
    try:
        await database.create(Experiment(experiment_id="history", namespace=namespace, display_name="history"))
        for start in range(0, RUNS, 1000):
            await database.create(*(a_run(number, namespace) for number in range(start, start + 1000)))
    finally:
        await database.close()


def a_run(number: int, namespace: str) -> Run:
    return Run(
        run_id=f"history-{number}",
        experiment_id="history",
        namespace=namespace,
        display_name=f"run-{number}",
        resource_name=f"history-{number}",
        state=RunState.SUCCEEDED,
        created_at=float(number + 1),
        finished_at=float(number + 2),
    )
