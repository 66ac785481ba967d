"""The executor input says what a component reads and where it writes, as the SDK expects it."""

import dataclasses
import json
from typing import Any

import pytest
from msgspec.structs import replace

from tests.apps.pipelines.executor.builders import RUN, TASK, TASK_PATH, TASK_URI, a_context, a_dataset, inputs
from windlass.apps.pipelines.executor.executor_input import executor_input, output_file, parameters_folder, task_root
from windlass.apps.pipelines.executor.fingerprint import fingerprint

OUTPUTS = {
    "outputDefinitions": {
        "parameters": {"p": {"parameterType": "STRING"}},
        "artifacts": {"out": {"artifactType": {"schemaTitle": "system.Dataset", "schemaVersion": "0.0.1"}}},
    }
}


def test_inputs_and_outputs_have_their_places() -> None:
    context = a_context(
        component={**inputs(n="NUMBER_INTEGER", xs="LIST"), **OUTPUTS},
        parameters={"n": 3.0, "xs": [2.0, 4.0]},
        artifacts={"in": [a_dataset(metadata={"rows": 1})], "missing": []},
    )

    assert executor_input(context) == {
        "inputs": {
            "parameterValues": {"n": 3, "xs": [2, 4]},
            "artifacts": {
                "in": {
                    "artifacts": [
                        {
                            "name": "artifact-1",
                            "type": {"schemaTitle": "system.Dataset", "schemaVersion": "0.0.1"},
                            "uri": "minio://mlpipeline/data",
                            "metadata": {"rows": 1},
                        }
                    ]
                }
            },
        },
        "outputs": {
            "parameters": {"p": {"outputFile": "/tmp/kfp/outputs/p"}},
            "artifacts": {
                "out": {
                    "artifacts": [
                        {
                            "name": "out",
                            "type": {"schemaTitle": "system.Dataset", "schemaVersion": "0.0.1"},
                            "uri": f"{TASK_URI}/out",
                            "metadata": {},
                        }
                    ]
                }
            },
            "outputFile": f"{TASK_PATH}/output_metadata.json",
        },
    }
    assert isinstance(executor_input(context)["inputs"]["parameterValues"]["n"], int)


def test_the_task_root_has_pipeline_run_task_and_its_id() -> None:
    assert task_root(a_context()) == TASK_URI
    assert task_root(a_context(pipeline_root="s3://b/r?region=x")) == (
        "s3://b/r/train-and-predict/run-1/train/task-1?region=x"
    )
    assert output_file(a_context(pipeline_root="gs://b")) == (
        "/gcs/b/train-and-predict/run-1/train/task-1/output_metadata.json"
    )


def test_every_attempt_has_its_own_folder_of_parameters() -> None:
    assert parameters_folder(TASK) == ".parameters/task-1-0"
    assert parameters_folder(replace(TASK, attempt=2)) == ".parameters/task-1-2"


@pytest.mark.parametrize("root", ["https://host/x", "", "minio://b/../../etc"])
def test_a_pipeline_root_outside_the_stores_is_refused(root: str) -> None:
    with pytest.raises(ValueError, match=r"local path|not the URI"):
        executor_input(a_context(pipeline_root=root))


@pytest.mark.parametrize("name", ["../x", "a/b", "..", "", "output_metadata.json"])
def test_an_output_that_is_no_file_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name of an output"):
        executor_input(a_context(component={"outputDefinitions": {"artifacts": {name: {}}}}))
    with pytest.raises(ValueError, match="name of an output"):
        executor_input(a_context(component={"outputDefinitions": {"parameters": {name: {}}}}))


def test_a_pipeline_name_cannot_lead_out_of_the_root() -> None:
    with pytest.raises(ValueError, match="not the URI"):
        executor_input(a_context(run=replace(RUN, pipeline_name="..")))


CONSTANTS = {
    "whole": "{{$}}",
    "file": "{{$.outputs.output_file}} of {{$.inputs.parameters['other']}}",
    "listed": ["{{$.outputs.parameters['p'].output_file}}"],
    "name": "{{$.pipeline_job_name}}",
}


def with_constants() -> Any:
    """A task as the engine has resolved its inputs: what only a container has is still in its constants."""
    component = {
        "inputDefinitions": {
            "parameters": {
                **{name: {"parameterType": "STRING"} for name in ("whole", "file", "name", "other")},
                "listed": {"parameterType": "LIST"},
            }
        },
        "outputDefinitions": {"parameters": {"p": {"parameterType": "STRING"}}},
    }
    resolved = {**CONSTANTS, "name": "My run", "other": "{{$}}"}
    return a_context(component=component, parameters=resolved, constants=CONSTANTS)


def test_constants_may_name_what_only_the_container_has() -> None:
    values = executor_input(with_constants())["inputs"]["parameterValues"]

    assert values["file"] == f"{TASK_PATH}/output_metadata.json of {{{{$}}}}", (
        "values are not searched for placeholders"
    )
    assert values["listed"] == ["/tmp/kfp/outputs/p"]
    assert (values["name"], values["other"]) == ("My run", "{{$}}")
    whole = json.loads(values["whole"])
    assert whole["outputs"]["outputFile"] == f"{TASK_PATH}/output_metadata.json"
    assert whole["inputs"]["parameterValues"]["whole"] == "{{$}}"


def test_constants_of_the_container_do_not_change_the_key_of_the_cache() -> None:
    context = with_constants()
    other = replace(TASK, task_id="task-2")

    assert fingerprint(context) == fingerprint(dataclasses.replace(context, task=other))
