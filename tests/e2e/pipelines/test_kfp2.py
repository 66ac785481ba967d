"""The acceptance scenarios of pipelines, driven by the unmodified kfp SDK 2. See kfp2_stories.py for each story."""

import json
from pathlib import Path

import pytest

from tests.e2e.notebooks.desk import Desk
from tests.e2e.pipelines.sdk import Kfp
from tests.support import eventually
from windlass.apps.pipelines.samples import FOLDER

EXAMPLES = Path(__file__).parents[3] / "examples" / "pipelines"
pytestmark = pytest.mark.timeout(600)


def test_the_pipeline_of_the_documents_trains_predicts_and_prints_on_a_claim(kfp: Kfp, desk: Desk) -> None:
    first, second = kfp.story("seed")

    for run in (first, second):
        assert (run["state"], run["result"], run["output"]) == ("SUCCEEDED", "2.0,4.0,6.0", "2.0,4.0,6.0"), run
        assert run["metrics"] == {"epochs": 3}
    assert first["claim"] != second["claim"]
    eventually(lambda: not {first["claim"], second["claim"]} & claims_of(desk), 30, "the claims of the runs are gone")


def claims_of(desk: Desk) -> set[str]:
    return {claim["metadata"]["name"] for claim in desk.find("pvc")}


def test_pipelines_versions_experiments_and_runs_live_and_end_by_the_client(kfp: Kfp, desk: Desk) -> None:
    found = kfp.story("life_cycle")

    assert found["versions"] == ["greet", "second"]
    assert found["states"] == ["SUCCEEDED"] * 7
    assert found["listed"] == [f"run-{number}" for number in reversed(range(7))]
    assert found["pages"] == 3
    assert (found["archived"], found["unarchived"]) == ("ARCHIVED", "AVAILABLE")
    assert found["terminated"] == "FAILED"
    assert found["took"] < 5
    assert found["deleted"] == 404
    pods = desk.find("pods", **{"pipeline/runid": found["terminated_run"]})
    assert [pod for pod in pods if pod["status"]["phase"] == "Running"] == []


def test_a_new_windlass_has_tutorials_that_run(kfp: Kfp) -> None:
    assert kfp.story("tutorials") == {
        "[Tutorial] Data passing in python components": ["SUCCEEDED", "tutorial-data-passing"],
        "[Tutorial] DSL - Control structures": ["SUCCEEDED", "tutorial-control-structures"],
    }


@pytest.mark.parametrize("name", ["data_passing", "control_structures"])
def test_the_tutorials_are_what_their_sources_compile_to(kfp: Kfp, name: str) -> None:
    assert kfp.story("compiled", str(EXAMPLES / f"{name}.py"), name) == (FOLDER / f"{name}.yaml").read_text()


def test_outputs_are_reused_until_an_input_changes(kfp: Kfp) -> None:
    found = kfp.story("caching")

    assert [found[name]["state"] for name in found] == ["SUCCEEDED"] * 4
    assert set(found["second"]["states"].values()) <= {"CACHED", "SKIPPED"}
    assert found["second"]["pods"] == []
    assert found["second"]["artifact"] == found["first"]["artifact"]
    assert found["second"]["output"] == "Hello, World"
    assert found["second"]["seconds"] <= 5
    assert found["changed"]["pods"] == ["increment"]
    assert found["uncached"]["pods"] == ["hello", "increment", "read", "write"]


def test_conditions_loops_and_what_is_collected_of_them(kfp: Kfp) -> None:
    found = kfp.story("control_flow")

    assert found["heads"] == ["SUCCEEDED", "it was heads", "heads data"]
    assert found["tails"] == ["SUCCEEDED", "it was tails", "tails data"]
    assert found["edge"] == ["SUCCEEDED", "it was neither", "other data"]
    assert found["nested-loops"] == ["SUCCEEDED", 180]
    assert found["two-at-once"][0] == "SUCCEEDED"
    assert found["two-at-once"][1] <= 2
    assert found["condition-in-loop"] == ["SUCCEEDED", 9]
    assert found["empty-loop"] == ["SUCCEEDED", 0]


def test_exit_tasks_see_how_what_they_guard_has_ended(kfp: Kfp) -> None:
    found = kfp.story("exit_handlers")

    state, seen = found["failing-body"]
    assert (state, seen["state"]) == ("FAILED", "FAILED")
    assert "exit code 1" in seen["error"]
    assert found["looping-body"] == ["SUCCEEDED", {"state": "COMPLETE", "task": "exit-handler-1", "error": None}]
    assert found["ignoring"] == ["FAILED", "nothing came"]


def test_a_task_is_tried_again_and_a_failed_run_goes_on_where_it_failed(kfp: Kfp) -> None:
    found = kfp.story("retries")

    assert found["task"] == ["SUCCEEDED", 3, 3]
    assert found["seconds"] >= 3
    assert found["failed"] == "FAILED"
    assert found["again"] == ["SUCCEEDED", "fixed"]
    assert found["kept"]
    assert found["new"]


def test_a_container_gets_every_placeholder(kfp: Kfp) -> None:
    found = kfp.story("placeholders")

    assert found["state"] == "SUCCEEDED", found
    value, text, number, flag, items, table, data_path, data_uri, out_path, out_uri, *rest = found["values"]
    assert value == "/tmp/kfp/outputs/value"
    assert (text, number, flag, json.loads(items), json.loads(table)) == ("words", "7", "true", [2, 4], {"k": 1})
    assert data_path == data_uri.replace("minio://", "/minio/")
    assert out_path == out_uri.replace("minio://", "/minio/")
    assert rest[:5] == ["--none", "--text", "words", "a-words-7", found["name"]]
    resource_name, run_id, task_name, root = rest[5:]
    assert resource_name.startswith("placeholders-")
    assert (run_id, task_name, root) == (found["run_id"], "show", "minio://mlpipeline/v2/artifacts")


def test_the_platform_document_reaches_the_pods(kfp: Kfp, desk: Desk) -> None:
    metadata = {"name": "story"}
    desk.apply(
        {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"password": "sesame"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"colour": "teal"}},
    )

    found = kfp.story("platform")

    state, seen, pod = found["platform"]
    assert state == "SUCCEEDED"
    assert seen == {
        "secret": "sesame",
        "config": "teal",
        "pod": pod,
        "file": "sesame",
        "config_file": "teal",
        "scratch": "True",
    }
    assert desk.get("pod", pod)["metadata"]["labels"]["story"] == "platform"
    assert found["slow"][:2] == ["FAILED", "FAILED"]
    assert "DeadlineExceeded" in found["slow"][2]
    assert found["hungry"][:2] == ["FAILED", "FAILED"]
    assert "OOMKilled" in found["hungry"][2]


def test_artifacts_are_files_folders_lists_metrics_and_imports(kfp: Kfp) -> None:
    found = kfp.story("artifacts")

    first = found["first"]
    assert first["state"] == "SUCCEEDED", first
    assert first["output"] == {"files": "a,b", "framework": "none", "imported": "minio://mlpipeline/outside/data.csv"}
    assert first["joined"] == "x+y+z"
    assert first["scores"] == {"accuracy": 0.92}
    assert first["curve"]["confusionMatrix"]["rows"] == [{"row": [5, 1]}, {"row": [2, 7]}]
    assert [point["recall"] for point in first["curve"]["confidenceMetrics"]] == [0, 0.8, 1]
    assert found["second"]["imported"] == first["imported"]


@pytest.mark.parametrize("component", ["manager", "server", "gateway", "node"])
def test_a_run_outlives_every_process_of_windlass_and_runs_nothing_twice(kfp: Kfp, desk: Desk, component: str) -> None:
    run_id = kfp.story("start_twenty")

    def pods() -> list[str]:
        return [pod["metadata"]["name"] for pod in desk.find("pods", **{"pipeline/runid": run_id})]

    eventually(lambda: len(pods()) >= 4, 60, "some tasks have started")
    desk.platform.kill(component)

    found = kfp.story("outcome", run_id)

    assert (found["state"], found["tasks"]) == ("SUCCEEDED", 20)
    assert len(set(found["pods"])) == 20
    assert sorted(pods()) == found["pods"]


def test_the_example_with_the_sdk_runs(kfp: Kfp) -> None:
    assert kfp.run_script(EXAMPLES / "train_and_predict.py").endswith("SUCCEEDED")


def test_recurring_runs_start_when_they_are_due_and_never_two_at_once(kfp: Kfp) -> None:
    found = kfp.story("recurring")

    assert len(found["states"]) >= 3
    assert set(found["states"]) == {"SUCCEEDED"}
    assert all(second % 2 == 0 for second in found["seconds"])
    assert found["overlaps"] == 0
    assert all(len(value) == 14 and value.startswith("20") for value in found["values"])
    assert found["late"] <= 1
    assert found["status"] == "DISABLED"
