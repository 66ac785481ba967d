"""The database as the engine's history."""

from windlass.apps.pipelines.history import History
from windlass.apps.pipelines.model import Error, Experiment, Run, RunState, StateChange, TaskState, TaskType, Values
from windlass.apps.pipelines.rows.database import Database

from .builders import a_run, a_task, an_artifact, an_experiment


async def test_a_database_is_a_history(database: Database) -> None:
    history: History = database

    assert await history.unfinished_runs() == []


async def test_a_run_is_read_as_it_was_written(database: Database) -> None:
    run = a_run(
        display_name="Zug 🚂 \" ' % _",
        spec={"pipelineInfo": {"name": "p"}, "deep": [1, 2.5, None, {"a": "\u0000"}]},
        parameters={"n": 3, "x": [1]},
        is_inline=True,
        created_at=1_700_000_000.123456,
        state_history=[StateChange(update_time=1.5, state=RunState.PENDING, error=Error(code=3, message="m"))],
        error=Error(code=13, message="broken"),
        metrics={"accuracy": 0.5},
    )
    await database.create(run)

    assert await database.run("r1") == run
    assert await database.run("other") is None


async def test_tasks_and_artifacts_are_saved_and_replaced(database: Database) -> None:
    await database.create(a_run())
    train = a_task("t1", outputs=Values(parameters={"n": 1}, artifacts={"model": ["a1"]}), state=TaskState.COMPLETE)
    await database.save("r1", tasks=[a_task("t1"), a_task("t2", inputs=Values(artifacts={"m": ["a1"]}))])
    await database.save("r1", tasks=[train], artifacts=[an_artifact("a1", task_id="t1", metadata={"k": [1]})])

    tasks = {task.task_id: task for task in await database.tasks("r1")}
    assert tasks["t1"] == train
    assert set(tasks) == {"t1", "t2"}
    assert (await database.artifacts(["a1", "none"]))["a1"].metadata == {"k": [1]}
    links = await database.links(artifact_ids=["a1"], limit=10)
    assert {(link["task_id"], link["type"], link["key"], link["producer_name"]) for link in links} == {
        ("t1", "OUTPUT", "model", "t1"),
        ("t2", "TASK_OUTPUT_INPUT", "m", "t1"),
    }


async def test_many_tasks_are_saved_at_once(database: Database) -> None:
    await database.create(a_run())
    await database.save("r1", tasks=[a_task(f"t{n}") for n in range(1200)])

    assert len(await database.tasks("r1")) == 1200


async def test_a_deleted_run_keeps_no_tasks(database: Database) -> None:
    await database.create(a_run())
    await database.save("r1", tasks=[a_task("t1", outputs=Values(artifacts={"o": ["a1"]}))])
    await database.save_log("r1", "pod", b"text")
    await database.delete_run("r1")
    await database.save("r1", tasks=[a_task("t1")])
    await database.save_log("r1", "pod", b"text")

    assert await database.tasks("r1") == []
    assert await database.log("r1", "pod") is None


async def test_a_run_goes_through_its_states(database: Database) -> None:
    await database.create(a_run())

    assert await database.set_run_state("r1", RunState.RUNNING, 10.0)
    assert not await database.set_run_state("r1", RunState.RUNNING, 11.0)
    assert not await database.set_run_state("r1", RunState.PENDING, 11.0)
    assert await database.set_run_state("r1", RunState.CANCELING, 12.0)
    assert not await database.set_run_state("r1", RunState.RUNNING, 13.0)
    assert await database.set_run_state("r1", RunState.FAILED, 14.0, error=Error(message="terminated"))
    assert not await database.set_run_state("r1", RunState.SUCCEEDED, 15.0)
    run = await database.run("r1")
    assert run is not None
    assert (run.state, run.finished_at, run.error) == (RunState.FAILED, 14.0, Error(message="terminated"))
    assert [change.state for change in run.state_history] == ["RUNNING", "CANCELING", "FAILED"]


async def test_a_reset_makes_a_final_run_unfinished(database: Database) -> None:
    await database.create(a_run(state=RunState.RUNNING))
    assert not await database.set_run_state("r1", RunState.PENDING, 5.0, reset=True)
    await database.set_run_state("r1", RunState.FAILED, 6.0, error=Error(message="m"))

    assert await database.set_run_state("r1", RunState.PENDING, 7.0, reset=True)
    run = await database.run("r1")
    assert run is not None
    assert (run.state, run.finished_at, run.error) == (RunState.PENDING, 0.0, None)
    assert [run.run_id for run in await database.unfinished_runs()] == ["r1"]
    assert not await database.set_run_state("unknown", RunState.RUNNING, 7.0)


async def test_the_cache_finds_completed_tasks_of_the_same_pipeline_newest_first(database: Database) -> None:
    await database.create(a_run(pipeline_name="p"))
    await database.create(a_run("r2", pipeline_name="other"))
    done = {"fingerprint": "f", "state": TaskState.COMPLETE}
    await database.save(
        "r1",
        tasks=[
            a_task("old", finished_at=1.0, **done),
            a_task("new", finished_at=2.0, **done),
            a_task("failed", fingerprint="f", state=TaskState.FAILED),
            a_task("unlike", fingerprint="g", state=TaskState.COMPLETE),
            a_task("none", fingerprint="", state=TaskState.COMPLETE),
        ],
    )
    await database.save("r2", tasks=[a_task("foreign", "r2", finished_at=3.0, **done)])

    assert [task.task_id for task in await database.cached("team", "p", "f")] == ["new", "old"]
    assert [task.task_id for task in await database.cached("team", "p", "f", limit=1)] == ["new"]
    assert await database.cached("elsewhere", "p", "f") == []
    assert await database.cached("team", "p", "") == []


async def test_imported_artifacts_are_found_by_their_uri(database: Database) -> None:
    await database.create(a_run(pipeline_name="p"))
    uri = "gs://bucket/" + "x" * 5000
    same = {"uri": uri, "type": "system.Dataset", "pipeline_name": "p"}
    await database.save(
        "r1",
        tasks=[a_task("i", type=TaskType.IMPORTER), a_task("t")],
        artifacts=[
            an_artifact("a1", task_id="i", created_at=1.0, **same),
            an_artifact("a2", task_id="i", created_at=2.0, **same),
            an_artifact("made", task_id="t", created_at=3.0, **same),
        ],
    )

    found = await database.imported("team", "p", uri, "system.Dataset")
    assert [artifact.artifact_id for artifact in found] == ["a2", "a1"]
    assert await database.imported("team", "p", uri, "system.Model") == []


async def test_a_run_marks_its_experiment_as_used(database: Database) -> None:
    await database.create(an_experiment())
    await database.create(a_run(experiment_id="e1", created_at=50.0))

    experiment = await database.get(Experiment, "e1")
    assert experiment is not None
    assert experiment.last_run_created_at == 50.0
    assert isinstance(await database.get(Run, "r1"), Run)
