"""Pages, filters and sorts of the database."""

import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import insert

from windlass.apps.pipelines.model import (
    Artifact,
    Experiment,
    Pipeline,
    PipelineVersion,
    Run,
    RunState,
    StorageState,
    Task,
    TaskState,
    Values,
)
from windlass.apps.pipelines.rows.database import Database
from windlass.apps.pipelines.rows.errors import AlreadyExists
from windlass.apps.pipelines.rows.queries import Operation, Predicate, Query
from windlass.apps.pipelines.rows.records import row_of
from windlass.apps.pipelines.rows.tables import RUNS

from .builders import a_run, an_experiment


def having(field: str, operation: Operation, value: Any, **more: Any) -> Predicate:
    return Predicate(field=field, operation=operation, value=value, **more)


async def ids(database: Database, *predicates: Predicate, **query: Any) -> list[str]:
    page = await database.page(Run, Query(predicates=list(predicates), **query))
    return [run.run_id for run in page.records]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("sort_by", ["created_at", "display_name", "state"])
async def test_pages_have_each_record_once_in_order(database: Database, sort_by: str, descending: bool) -> None:
    for n in range(11):
        await database.create(a_run(f"r{n:02}", created_at=float(n // 3), display_name=f"n{n % 4}"))
    expected = [run async for run in all_pages(database, sort_by, descending)]

    runs = [await database.run(id) for id in expected]
    keys = [(getattr(run, sort_by), run.run_id) for run in runs if run]
    assert keys == sorted(keys, reverse=descending)
    assert len(set(expected)) == 11


async def all_pages(database: Database, sort_by: str, descending: bool) -> AsyncIterator[str]:
    after = None
    while True:
        page = await database.page(Run, Query(sort_by=sort_by, descending=descending, after=after, limit=4))
        assert page.total == 11
        for run in page.records:
            yield run.run_id
        after = page.last
        if after is None:
            return


async def test_predicates_are_all_applied(database: Database) -> None:
    await database.create(a_run("r1", created_at=10.7, display_name="Train 50%", state=RunState.RUNNING))
    await database.create(a_run("r2", created_at=20.0, display_name="train_5", storage_state=StorageState.ARCHIVED))
    await database.create(a_run("r3", created_at=30.0, display_name="other", namespace="elsewhere"))

    assert await ids(database, having("state", Operation.EQUALS, "RUNNING")) == ["r1"]
    assert await ids(database, having("state", Operation.NOT_EQUALS, "RUNNING")) == ["r2", "r3"]
    assert await ids(database, having("display_name", Operation.IS_SUBSTRING, "TRAIN")) == ["r1", "r2"]
    assert await ids(database, having("display_name", Operation.IS_SUBSTRING, "0%")) == ["r1"]
    assert await ids(database, having("display_name", Operation.IS_SUBSTRING, "_")) == ["r2"]
    assert await ids(database, having("namespace", Operation.IN, ["elsewhere", "none"])) == ["r3"]
    assert await ids(database, having("created_at", Operation.EQUALS, 10, is_time=True)) == ["r1"]
    assert await ids(database, having("created_at", Operation.GREATER_THAN, 10, is_time=True)) == ["r2", "r3"]
    assert await ids(database, having("created_at", Operation.LESS_THAN_EQUALS, 20, is_time=True)) == ["r1", "r2"]
    both = (having("namespace", Operation.EQUALS, "team"), having("storage_state", Operation.EQUALS, "ARCHIVED"))
    assert await ids(database, *both) == ["r2"]


async def test_runs_are_sorted_by_a_metric(database: Database) -> None:
    for n, value in enumerate((0.5, 0.9, 0.1)):
        await database.create(a_run(f"r{n}"))
        assert await database.report_metric(f"r{n}", "node", "accuracy", value, "RAW")
    await database.create(a_run("r3"))

    assert await ids(database, sort_by="metric:accuracy", descending=True) == ["r1", "r0", "r2", "r3"]
    assert not await database.report_metric("r0", "node", "accuracy", 1.0, "RAW")
    run = await database.run("r0")
    assert run is not None
    assert run.metrics == {"accuracy": 0.5}


async def test_what_tasks_log_is_a_metric_of_their_run_also_where_outputs_are_reused(database: Database) -> None:
    await database.create(a_run("r0"), a_run("r1"))
    logged = {"accuracy": 0.9, "epochs": 3, "display_name": "metrics", "is_good": True}
    made: dict[str, Any] = {"namespace": "team", "run_id": "r0", "task_id": "t0"}
    metrics = Artifact(artifact_id="a", name="metrics", type="system.Metrics", metadata=logged, **made)
    model = Artifact(artifact_id="b", name="model", type="system.Model", metadata={"size": 7}, **made)
    outputs = Values(artifacts={"metrics": ["a"], "model": ["b"]})
    training = Task(task_id="t0", run_id="r0", path="root.train", name="train", outputs=outputs)
    await database.save("r0", tasks=[training], artifacts=[metrics, model])
    reusing = replace(training, task_id="t1", run_id="r1", state=TaskState.CACHED)
    await database.save("r1", tasks=[reusing])

    runs = await database.runs(["r0", "r1"])
    assert {run.run_id: run.metrics for run in runs.values()} == {
        "r0": {"accuracy": 0.9, "epochs": 3.0},
        "r1": {"accuracy": 0.9, "epochs": 3.0},
    }


async def test_records_are_found_by_tag(database: Database) -> None:
    for id, tags in (("p1", {"team": "a", "x": "y"}), ("p2", {"team": "b"}), ("p3", {})):
        await database.create(Pipeline(pipeline_id=id, namespace="team", name=id, created_at=1.0, tags=tags))
    by_tag = Query(predicates=[having("tags.team", Operation.EQUALS, "a")])

    assert [pipeline.pipeline_id for pipeline in (await database.page(Pipeline, by_tag)).records] == ["p1"]
    await database.change(Pipeline, "p1", tags={})
    await database.change(Pipeline, "p3", tags={"team": "a"})
    assert [pipeline.pipeline_id for pipeline in (await database.page(Pipeline, by_tag)).records] == ["p3"]


async def test_names_are_unique_in_their_namespace_and_differ_by_case(database: Database) -> None:
    await database.create(an_experiment("e1", display_name="one"))
    await database.create(an_experiment("e2", display_name="ONE"))
    await database.create(an_experiment("e3", display_name="one", namespace="other"))

    with pytest.raises(AlreadyExists):
        await database.create(an_experiment("e4", display_name="one"))
    assert await database.get(Experiment, "e4") is None


async def test_versions_are_deleted_with_their_pipeline(database: Database) -> None:
    await database.create(
        Pipeline(pipeline_id="p", namespace="", name="p"),
        PipelineVersion(pipeline_version_id="v1", pipeline_id="p", name="v1", created_at=1.0),
        PipelineVersion(pipeline_version_id="v2", pipeline_id="p", name="v2", created_at=2.0),
    )

    latest = await database.first(PipelineVersion, newest=True, pipeline_id="p")
    assert latest is not None
    assert latest.pipeline_version_id == "v2"
    await database.delete(Pipeline, "p")
    assert await database.get(PipelineVersion, "v1") is None


async def test_a_page_of_a_long_history_is_read_by_an_index(database: Database) -> None:
    spec = {"root": {"dag": {"tasks": {f"task-{n}": {"componentRef": {"name": f"comp-{n}"}} for n in range(20)}}}}
    rows = [
        row_of(a_run(f"r{n:05}", created_at=float(n), spec=spec, display_name=f"run {n}", experiment_id=f"e{n % 5}"))
        for n in range(10_000)
    ]
    await database.connections.write(lambda connection: connection.execute(insert(RUNS), rows))
    queries = [
        Query(predicates=[having("namespace", Operation.EQUALS, "team")], descending=True, limit=50),
        Query(predicates=[having("namespace", Operation.EQUALS, "team")], after=(9900.0, "r09900"), limit=50),
        Query(predicates=[having("experiment_id", Operation.EQUALS, "e1")], sort_by="display_name", limit=50),
        Query(
            predicates=[
                having("namespace", Operation.EQUALS, "team"),
                having("display_name", Operation.IS_SUBSTRING, "99"),
            ],
            limit=50,
        ),
    ]

    for query in queries:
        times: list[float] = []
        for _ in range(3):
            start = time.perf_counter()
            assert (await database.page(Run, query)).records
            times.append(time.perf_counter() - start)
        assert min(times) < 5, (query, times)  # `make bench-pipelines` measures; this finds a missing index
