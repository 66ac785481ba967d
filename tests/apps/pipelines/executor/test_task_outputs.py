"""Outputs are read as the component declares them, and what the executor wrote wins."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apps.pipelines.executor.builders import TASK_URI, a_context
from windlass.apps.pipelines.executor.task_outputs import ContainerOutputs, TaskOutputs, collect

PARAMETERS = {
    "s": {"parameterType": "STRING"},
    "n": {"parameterType": "NUMBER_INTEGER"},
    "xs": {"parameterType": "LIST"},
}
ARTIFACTS = {
    "model": {
        "artifactType": {"schemaTitle": "system.Model", "schemaVersion": "0.0.2"},
        "metadata": {"framework": "x", "a": 1},
    }
}


def collected(
    output: Any = None, files: dict[str, str] | None = None, *, parameters: Any = None, artifacts: Any = None
) -> TaskOutputs:
    component = {"outputDefinitions": {"parameters": parameters or {}, "artifacts": artifacts or {}}}
    return collect(a_context(component=component), ContainerOutputs(executor_output=output, parameters=files or {}))


def test_the_executor_output_wins_over_parameter_files() -> None:
    outputs = collected(
        {"parameterValues": {"n": 4.0, "other": 1}}, {"n": "3", "s": "text\n", "xs": "[1, 2.0]"}, parameters=PARAMETERS
    )

    assert outputs.parameters == {"s": "text\n", "n": 4, "xs": [1, 2]}
    assert isinstance(outputs.parameters["n"], int)


def test_a_string_output_takes_the_json_text_of_another_value() -> None:
    parameters = {"s": PARAMETERS["s"]}

    assert collected({"parameterValues": {"s": [1.0]}}, parameters=parameters).parameters == {"s": "[1]"}


@pytest.mark.parametrize(
    ("output", "files", "reason"),
    [
        (None, {}, "output parameter n was not written"),
        ({"parameterValues": {"n": None}}, {}, "output parameter n was not written"),
        ({"parameterValues": {"n": "x"}}, {"n": "3"}, "output parameter n must be NUMBER_INTEGER"),
        (None, {"n": "three"}, "output parameter n must be NUMBER_INTEGER"),
        ({"parameterValues": [1]}, {}, "executor output: parameterValues is not an object"),
    ],
)
def test_a_parameter_that_cannot_be_had_is_an_error_with_its_name(
    output: Any, files: dict[str, str], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        collected(output, files, parameters={"n": PARAMETERS["n"]})


def test_an_artifact_without_an_entry_is_recorded_as_declared() -> None:
    (model,) = collected(artifacts=ARTIFACTS).artifacts["model"]

    assert (model.uri, model.type, model.schema_version) == (f"{TASK_URI}/model", "system.Model", "0.0.2")
    assert model.metadata == {"framework": "x", "a": 1}
    assert (model.name, model.task_id, model.run_id, model.namespace) == ("model", "task-1", "run-1", "team")
    assert (model.pipeline_name, model.created_at) == ("train-and-predict", 0)


def test_uri_and_metadata_of_the_executor_output_override_the_declaration() -> None:
    entry = {"name": "x", "uri": "s3://b/k", "metadata": {"a": 2.0, "b": [1]}, "custom_path": "/tmp/m"}

    (model,) = collected({"artifacts": {"model": {"artifacts": [entry]}}}, artifacts=ARTIFACTS).artifacts["model"]

    assert model.uri == "s3://b/k"
    assert model.metadata == {"framework": "x", "a": 2, "b": [1]}


def test_artifacts_of_a_list_have_different_ids_that_stay_the_same() -> None:
    output = {"artifacts": {"model": {"artifacts": [{"uri": "s3://b/1"}, {"uri": "s3://b/2"}]}}}

    first = collected(output, artifacts=ARTIFACTS).artifacts["model"]
    second = collected(output, artifacts=ARTIFACTS).artifacts["model"]

    assert [one.uri for one in first] == ["s3://b/1", "s3://b/2"]
    assert first[0].artifact_id != first[1].artifact_id
    assert first == second


def test_an_artifact_that_is_not_declared_is_not_recorded() -> None:
    assert collected({"artifacts": {"other": {"artifacts": [{}]}}}).artifacts == {}


@pytest.mark.parametrize(
    ("output", "where"),
    [
        ({"artifacts": []}, "artifacts is not an object"),
        ({"artifacts": {"model": 1}}, "artifacts.model is not an object"),
        ({"artifacts": {"model": {"artifacts": {}}}}, "artifacts.model.artifacts is not a list"),
        ({"artifacts": {"model": {"artifacts": ["x"]}}}, r"artifacts.model.artifacts\[0\] is not an object"),
        ({"artifacts": {"model": {"artifacts": [{"uri": 1}]}}}, r"artifacts\[0\].uri is not a string"),
        ({"artifacts": {"model": {"artifacts": [{"metadata": 1}]}}}, r"artifacts\[0\].metadata is not an object"),
    ],
)
def test_a_malformed_executor_output_is_an_error_with_its_place(output: Any, where: str) -> None:
    with pytest.raises(ValueError, match=f"executor output: .*{where}"):
        collected(output, artifacts=ARTIFACTS)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["artifacts", "model", "parameterValues", "n", "uri"]), inner, max_size=3)
    ),
)


@given(st.dictionaries(st.sampled_from(["artifacts", "parameterValues"]), JSON))
def test_any_executor_output_gives_outputs_or_a_reason(output: Any) -> None:
    with contextlib.suppress(ValueError):
        outputs = collected(output, {"n": "1"}, parameters={"n": PARAMETERS["n"]}, artifacts=ARTIFACTS)
        assert isinstance(outputs.parameters["n"], int)
