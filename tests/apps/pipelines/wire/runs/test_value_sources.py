"""Where the inputs of tasks come from, and which kinds of outputs they have."""

from typing import Any

import pytest

from windlass.apps.pipelines.model import Run, Task
from windlass.apps.pipelines.wire.runs.value_sources import UNKNOWN, RunSources, Source

EMPTY: dict[str, Any] = {"executorLabel": "exec"}
SPEC: dict[str, Any] = {
    "pipelineInfo": {"name": "p"},
    "schemaVersion": "2.1.0",
    "deploymentSpec": {"executors": {"exec": {"container": {"image": "i"}}}},
    "root": {
        "dag": {
            "outputs": {"parameters": {"chosen": {"valueFromParameter": {"producerSubtask": "pick"}}}},
            "tasks": {
                "make": {"componentRef": {"name": "leaf"}},
                "loop": {
                    "componentRef": {"name": "body"},
                    "parameterIterator": {"itemInput": "item", "items": {"inputParameter": "items"}},
                    "inputs": {
                        "parameters": {
                            "items": {"taskOutputParameter": {"producerTask": "make", "outputParameterKey": "o"}},
                            "name": {"componentInputParameter": "name"},
                        }
                    },
                },
                "raw": {
                    "componentRef": {"name": "body"},
                    "parameterIterator": {"itemInput": "item", "items": {"raw": "[1]"}},
                },
                "files": {
                    "componentRef": {"name": "body"},
                    "artifactIterator": {"itemInput": "file", "items": {"inputArtifact": "files"}},
                    "inputs": {"artifacts": {"files": {"componentInputArtifact": "files"}}},
                },
                "pick": {"componentRef": {"name": "choice"}},
                "end": {
                    "componentRef": {"name": "leaf"},
                    "inputs": {
                        "parameters": {
                            "status": {"taskFinalStatus": {"producerTask": "loop"}},
                            "all": {"taskOutputParameter": {"producerTask": "loop", "outputParameterKey": "o"}},
                            "fixed": {"runtimeValue": {"constant": 3}},
                        },
                        "artifacts": {
                            "many": {"taskOutputArtifact": {"producerTask": "loop", "outputArtifactKey": "a"}},
                            "one": {"taskOutputArtifact": {"producerTask": "make", "outputArtifactKey": "a"}},
                        },
                    },
                },
            },
        }
    },
    "components": {
        "leaf": EMPTY,
        "body": {
            "dag": {
                "outputs": {
                    "parameters": {"o": {"valueFromParameter": {"producerSubtask": "step"}}},
                    "artifacts": {"a": {"artifactSelectors": [{"producerSubtask": "step"}]}},
                },
                "tasks": {
                    "step": {
                        "componentRef": {"name": "leaf"},
                        "inputs": {"parameters": {"x": {"componentInputParameter": "item"}}},
                    }
                },
            }
        },
        "choice": {
            "dag": {
                "outputs": {
                    "parameters": {
                        "o": {"valueFromOneof": {"parameterSelectors": [{"producerSubtask": "a"}, {}]}},
                    },
                    "artifacts": {"a": {"artifactSelectors": [{"producerSubtask": "a"}, {"producerSubtask": "b"}]}},
                },
                "tasks": {"a": {"componentRef": {"name": "leaf"}}, "b": {"componentRef": {"name": "leaf"}}},
            }
        },
    },
}


def sources_of(path: str, **changes: Any) -> Any:
    fields: dict[str, Any] = {"spec": SPEC, "parameters": {"name": "n", "none": None}, **changes}
    run = Run(run_id="1", namespace="ns", display_name="r", resource_name="r-1", **fields)
    return RunSources(run).of(Task(task_id="t", run_id="1", path=path, name=path.rpartition(".")[2]))


@pytest.mark.parametrize(
    ("path", "name", "type", "producer"),
    [
        ("root", "name", "RUNTIME_VALUE_INPUT", ""),
        ("root", "none", "COMPONENT_DEFAULT_INPUT", ""),
        ("root.make", "anything", "COMPONENT_DEFAULT_INPUT", ""),
        ("root.loop", "items", "TASK_OUTPUT_INPUT", "make"),
        ("root.loop", "name", "COMPONENT_INPUT", ""),
        ("root.loop.12", "item", "ITERATOR_INPUT", ""),
        ("root.loop.0.step", "x", "COMPONENT_INPUT", ""),
        ("root.raw.0", "item", "ITERATOR_INPUT_RAW", ""),
        ("root.end", "status", "TASK_FINAL_STATUS_OUTPUT", "loop"),
        ("root.end", "all", "COLLECTED_INPUTS", "loop"),
        ("root.end", "fixed", "RUNTIME_VALUE_INPUT", ""),
        ("root.unknown", "x", "", ""),
        ("root.make.below", "x", "", ""),
    ],
)
def test_a_parameter_has_a_source(path: str, name: str, type: str, producer: str) -> None:
    assert sources_of(path).parameter(name) == Source(type, producer)


@pytest.mark.parametrize(
    ("path", "name", "type", "producer"),
    [
        ("root.end", "many", "COLLECTED_INPUTS", "loop"),
        ("root.end", "one", "TASK_OUTPUT_INPUT", "make"),
        ("root.files", "files", "COMPONENT_INPUT", ""),
        ("root.files.3", "file", "ITERATOR_INPUT", ""),
    ],
)
def test_an_artifact_has_a_source(path: str, name: str, type: str, producer: str) -> None:
    assert sources_of(path).artifact(name) == Source(type, producer)


def test_outputs_of_loops_and_branches_have_types_of_their_own() -> None:
    assert sources_of("root").output_parameters == {"chosen": "OUTPUT"}
    assert sources_of("root.loop").output_parameters == {"o": "ITERATOR_OUTPUT"}
    assert sources_of("root.loop").output_artifacts == {"a": "ITERATOR_OUTPUT"}
    assert sources_of("root.loop.0").output_parameters == {"o": "OUTPUT"}
    assert sources_of("root.pick").output_parameters == {"o": "ONE_OF_OUTPUT"}
    assert sources_of("root.pick").output_artifacts == {"a": "ONE_OF_OUTPUT"}
    assert sources_of("root.make").output_parameters == {}


@pytest.mark.parametrize(
    ("path", "name", "is_output", "type"),
    [
        ("root.make", "a", True, "OUTPUT"),
        ("root.loop", "a", True, "ITERATOR_OUTPUT"),
        ("root.pick", "a", True, "ONE_OF_OUTPUT"),
        ("root.end", "many", False, "COLLECTED_INPUTS"),
        ("root.unknown", "a", False, "TASK_OUTPUT_INPUT"),
    ],
)
def test_a_link_has_the_type_of_its_artifact(path: str, name: str, is_output: bool, type: str) -> None:
    assert sources_of(path).link(name, is_output=is_output) == type


def test_nothing_is_known_of_tasks_of_workflows_and_of_specifications_that_cannot_be_read() -> None:
    assert sources_of("root.make", is_argo=True) == UNKNOWN
    assert sources_of("root.make", spec={"root": 7}) == UNKNOWN
