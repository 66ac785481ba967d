"""Tasks of all runs of a namespace over HTTP, of runs whose results are put into the database."""

import json

from tests.apps.pipelines.wire.people import PipelinesUser, refused
from tests.apps.pipelines.wire.test_results import database, finished_run
from windlass.apps.pipelines.model import Run, Task, TaskState
from windlass.apps.pipelines.rows.database import Database

__all__ = ["database"]


def only(*run_ids: str) -> str:
    predicate = {"operation": "IN", "key": "run_id", "string_values": {"values": run_ids}}
    return json.dumps({"predicates": [predicate]})


async def test_tasks_of_all_runs_are_listed_with_their_run(anna: PipelinesUser, database: Database) -> None:
    first, second = await finished_run(anna, database), await finished_run(anna, database)
    tasks = anna.get("/tasks", namespace=anna.namespace, filter=only(first, second), page_size=200)["tasks"]

    assert {task["task_id"] for task in tasks} == {
        f"{run_id}-{name}" for run_id in (first, second) for name in ("root", "train", "use")
    }
    (train,) = [task for task in tasks if task["task_id"] == f"{first}-train"]
    assert (train["run_name"], train["namespace"], train["state"]) == ("r", anna.namespace, "SUCCEEDED")
    assert "outputs" not in train
    one = anna.get(f"/tasks/{first}-train")
    assert one["outputs"]["artifacts"][0]["artifacts"] == [anna.get(f"/artifacts/{first}-model")]
    assert one["run_name"] == "r"
    assert [child["name"] for child in anna.get(f"/tasks/{first}-root")["child_tasks"]] == ["train", "use"]


async def test_pages_sort_and_filter(anna: PipelinesUser, database: Database) -> None:
    run_id = await finished_run(anna, database)
    query = {"namespace": anna.namespace, "sort_by": "created_at desc", "filter": only(run_id), "page_size": 2}
    first = anna.get("/tasks", **query)
    rest = anna.get("/tasks", **query, page_token=first["next_page_token"])

    assert [task["name"] for task in first["tasks"] + rest["tasks"]] == ["use", "train", "root"]
    assert first["total_size"] == 3
    assert "next_page_token" not in rest
    refused(anna.send("GET", "/tasks", params={"sort_by": "nonsense"}), 400, 3)


async def test_people_cannot_list_each_others_tasks(
    anna: PipelinesUser, bert: PipelinesUser, database: Database
) -> None:
    run_id = await finished_run(anna, database)

    refused(bert.send("GET", "/tasks", params={"namespace": anna.namespace}), 403, 7)
    refused(bert.send("GET", f"/tasks/{run_id}-train"), 403, 7)
    assert bert.get("/tasks", namespace=bert.namespace, filter=only(run_id)) == {}
    refused(anna.send("GET", "/tasks/nonsense"), 404, 5)


async def test_a_cached_task_names_the_task_whose_outputs_it_took(anna: PipelinesUser, database: Database) -> None:
    run_id, later = await finished_run(anna, database), await finished_run(anna, database)
    cached = Task(
        task_id=f"{later}-again",
        run_id=later,
        path="root.again",
        name="again",
        state=TaskState.CACHED,
        fingerprint="f" * 64,
        cached_task_id=f"{run_id}-train",
    )
    await database.save(later, tasks=[cached])
    shown = anna.get(f"/tasks/{later}-again")

    assert (shown["state"], shown["cached_task_id"], shown["cache_fingerprint"]) == (
        "CACHED",
        f"{run_id}-train",
        "f" * 64,
    )


async def test_runs_are_listed_with_their_metrics(anna: PipelinesUser, database: Database) -> None:
    run_id = await finished_run(anna, database)
    await database.change(Run, run_id, metrics={"accuracy": 0.9})
    filter = json.dumps({"predicates": [{"operation": "EQUALS", "key": "id", "string_value": run_id}]})
    (run,) = anna.get("/runs", namespace=anna.namespace, filter=filter)["runs"]

    assert run["metrics"] == {"accuracy": 0.9}
