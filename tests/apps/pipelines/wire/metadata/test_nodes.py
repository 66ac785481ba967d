"""Records as nodes of the metadata store, with the properties that Kubeflow's driver and launcher write."""

from typing import Any

import pytest
from msgspec import structs

from tests.apps.pipelines.wire.metadata.history import TRAIN_OUTPUTS, History
from windlass.apps.pipelines.model import TaskState, TaskType
from windlass.apps.pipelines.rows.metadata.node_queries import Link, PipelineSpan
from windlass.apps.pipelines.wire.metadata import messages
from windlass.apps.pipelines.wire.metadata.node_types import type_id
from windlass.apps.pipelines.wire.metadata.node_values import metadata_value, struct
from windlass.apps.pipelines.wire.metadata.nodes import (
    shown_artifact,
    shown_event,
    shown_execution,
    shown_pipeline,
    shown_run,
)
from windlass.formats.protobuf_messages import decode, encode


def plain(value: dict[str, Any]) -> Any:
    """The JSON of a google.protobuf.Value or a property."""
    ((kind, content),) = value.items()
    match kind:
        case "struct_value":
            return {name: plain(each) for name, each in content["fields"].items()}
        case "list_value":
            return [plain(each) for each in content["values"]]
        case "null_value":
            return None
        case _:
            return content


def properties(node: dict[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in node["custom_properties"].items()}


def test_a_container_task_is_an_execution() -> None:
    history = History()
    execution = shown_execution(history.tasks()[2], history.run(), 0)

    assert (execution["id"], execution["name"]) == (history.number("train"), history.id("train"))
    assert (execution["type"], execution["last_known_state"]) == ("system.ContainerExecution", "COMPLETE")
    assert (execution["create_time_since_epoch"], execution["last_update_time_since_epoch"]) == (110_000, 120_000)
    assert properties(execution) == {
        "display_name": "train",
        "task_name": "train",
        "namespace": "team",
        "pod_name": "train-pod",
        "pod_uid": "u1",
        "image": "train:1",
        "cache_fingerprint": "abc",
        "parent_dag_id": history.number("root"),
        "inputs": {"rate": 0.1, "layers": [1, 2]},
        "outputs": {"loss": 0.5},
    }
    assert decode(messages.EXECUTION, encode(messages.EXECUTION, execution))["last_known_state"] == "COMPLETE"


def test_the_root_of_a_run_is_a_dag_with_its_name() -> None:
    history = History()
    root = shown_execution(history.tasks()[0], history.run(), 3)

    assert (root["name"], root["type"]) == (f"run/{history.run_id}", "system.DAGExecution")
    assert properties(root)["total_dag_tasks"] == 3
    assert properties(root)["parameter_producer_task"] == TRAIN_OUTPUTS
    assert "parent_dag_id" not in properties(root)


def test_tasks_of_a_loop_have_the_image_of_their_component_and_their_index() -> None:
    history = History()
    loop = history.task("loop", path="root.loop", type=TaskType.LOOP, iteration_count=2)
    iteration = history.task("loop", path="root.loop.1", type=TaskType.DAG, iteration=1)
    use = history.task("use", path="root.loop.1.use")

    assert properties(shown_execution(loop, history.run(), 2))["iteration_count"] == 2
    assert properties(shown_execution(iteration, history.run(), 1))["iteration_index"] == 1
    assert properties(shown_execution(use, history.run(), 0))["image"] == "use:1"


@pytest.mark.parametrize(
    ("state", "shown"), [(TaskState.PENDING, "NEW"), (TaskState.CACHED, "CACHED"), (TaskState.CANCELED, "CANCELED")]
)
def test_states_are_those_of_executions(state: TaskState, shown: str) -> None:
    history = History()

    assert shown_execution(history.task("use", state=state), history.run(), 0)["last_known_state"] == shown


def test_a_cached_task_names_the_execution_whose_outputs_it_took() -> None:
    history = History()
    cached = history.task("use", cached_task_id=history.id("train"))

    assert properties(shown_execution(cached, history.run(), 0))["cached_execution_id"] == str(history.number("train"))


def test_tasks_of_v1_runs_have_no_image() -> None:
    history = History()
    run = structs.replace(history.run(), is_argo=True, spec={"spec": {"root": 1}})

    assert "image" not in properties(shown_execution(history.tasks()[2], run, 0))


def test_an_artifact_has_its_metadata() -> None:
    history = History()
    artifact = shown_artifact(history.artifacts()[1])

    assert (artifact["id"], artifact["type"], artifact["state"]) == (history.number("model"), "system.Model", "LIVE")
    assert artifact["type_id"] == type_id("system.Model")
    assert properties(artifact) == {
        "display_name": "model",
        "namespace": "team",
        "accuracy": 0.9,
        "labels": {"list": ["a"]},
    }


def test_runs_and_pipelines_are_contexts_with_ids_of_their_own() -> None:
    history = History()
    run = shown_run(history.run())
    pipeline = shown_pipeline(PipelineSpan(name="mnist", created_at=1.0, updated_at=2.5))

    assert (run["name"], run["type"], run["id"]) == (history.run_id, "system.PipelineRun", history.number("run"))
    assert properties(run) == {
        "namespace": "team",
        "resource_name": "first-run-x",
        "pipeline_root": "minio://mlpipeline/v2",
        "display_name": "first run",
    }
    assert (pipeline["name"], pipeline["type"]) == ("mnist", "system.Pipeline")
    assert 1 << 48 <= pipeline["id"] < 1 << 53
    assert pipeline["last_update_time_since_epoch"] == 2500


def test_an_event_has_the_name_of_the_input_or_output() -> None:
    history = History()
    link = Link(artifact_id=history.id("model"), task_id=history.id("use"), is_output=False, key="weights", at=2.0)

    assert shown_event(link) == {
        "artifact_id": history.number("model"),
        "execution_id": history.number("use"),
        "path": {"steps": [{"key": "weights"}]},
        "type": "INPUT",
        "milliseconds_since_epoch": 2000,
    }


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, None),
        (True, 1),
        (3, 3.0),
        ("a", "a"),
        (1 << 70, str(1 << 70)),
        ([1, {"b": None}], {"list": [1.0, {"b": None}]}),
        ({"c": [True]}, {"struct": {"c": [True]}}),
    ],
)
def test_metadata_is_written_as_the_launcher_writes_it(value: Any, shown: Any) -> None:
    converted = metadata_value(value)

    assert (plain(converted) if converted is not None else None) == shown


def test_json_that_is_too_deep_for_protobuf_becomes_text() -> None:
    value: Any = "bottom"
    for _ in range(200):
        value = {"a": [value]}
    written = encode(messages.PROPERTY, struct({"deep": value}))

    assert decode(messages.PROPERTY, written)
