"""Tasks with equal fingerprints have equal outputs: what counts changes it, and nothing else does."""

import hashlib
import json
from typing import Any

import pytest
from msgspec.structs import replace

from tests.apps.pipelines.executor.builders import RUN, TASK, a_context, a_dataset, constant
from windlass.apps.pipelines.executor.fingerprint import fingerprint

BASE: dict[str, Any] = {
    "component": {
        "inputDefinitions": {"parameters": {"n": {"parameterType": "NUMBER_INTEGER"}}},
        "outputDefinitions": {
            "parameters": {"p": {"parameterType": "STRING"}},
            "artifacts": {"out": {"artifactType": {"schemaTitle": "system.Model", "schemaVersion": "0.0.1"}}},
        },
    },
    "container": {"image": "{{$.inputs.parameters['base']}}", "command": ["a"], "args": ["{{$}}"]},
    "parameters": {"n": 3, "base": "python:3.11"},
    "artifacts": {"in": [a_dataset()]},
}


def of(**changes: Any) -> str:
    return fingerprint(a_context(**{**BASE, **changes}))


def test_it_is_the_digest_of_canonical_json() -> None:
    parts = {
        "inputArtifactNames": {"in": {"artifactNames": ["artifact-1"]}},
        "inputParameterValues": {"n": 3, "base": "python:3.11"},
        "outputArtifactsSpec": {
            "out": {"name": "out", "type": {"schemaTitle": "system.Model", "schemaVersion": "0.0.1"}, "metadata": {}}
        },
        "outputParametersSpec": {"p": "STRING"},
        "containerSpec": {"image": "{{$.inputs.parameters['base']}}", "cmdArgs": ["a", "{{$}}"], "pvcNames": []},
    }
    canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"))

    assert of() == hashlib.sha256(canonical.encode()).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        {"parameters": {"n": 4, "base": "python:3.11"}},
        {"artifacts": {"in": [a_dataset("artifact-2")]}},
        {"artifacts": {}},
        {"container": {**BASE["container"], "image": "python:3.12"}},
        {"container": {**BASE["container"], "command": ["b"]}},
        {"container": {**BASE["container"], "args": []}},
        {"component": {**BASE["component"], "outputDefinitions": {}}},
        {"platform": {"pvcMount": [{"pvcNameParameter": constant("data"), "mountPath": "/data"}]}},
        {"pipeline_config": {"workspace": {}}, "parameters": {**BASE["parameters"], "w": "/kfp-workspace/x"}},
    ],
)
def test_what_outputs_depend_on_changes_it(change: dict[str, Any]) -> None:
    assert of(**change) != of()


@pytest.mark.parametrize(
    "change",
    [
        {"run": replace(RUN, run_id="run-2", resource_name="other", display_name="x")},
        {"task": replace(TASK, task_id="task-2", attempt=3)},
        {"parameters": {"base": "python:3.11", "n": 3.0}},
        {"container": {**BASE["container"], "env": [{"name": "A", "value": "b"}], "resources": {"cpuLimit": 1.0}}},
        {"platform": {"nodeSelector": {"labels": {"a": "b"}}}},
        {"pipeline_root": "s3://elsewhere"},
        {"retry_index": 2},
    ],
)
def test_where_and_how_it_runs_does_not_count(change: dict[str, Any]) -> None:
    assert of(**change) == of()


def test_a_default_counts_like_the_same_value_given() -> None:
    def component(default: int) -> Any:
        declared = {"n": {"parameterType": "NUMBER_INTEGER", "defaultValue": default, "isOptional": True}}
        return {"inputDefinitions": {"parameters": declared}}

    assert of(component=component(1), parameters={}) == of(component=component(2), parameters={"n": 1})
    assert of(component=component(1), parameters={}) != of(component=component(2), parameters={})


def test_claims_count_once_and_in_any_order() -> None:
    def mounts(*names: str) -> Any:
        return {
            "pvcMount": [
                {"pvcNameParameter": constant(name), "mountPath": f"/{index}"} for index, name in enumerate(names)
            ]
        }

    assert of(platform=mounts("a", "b", "a")) == of(platform=mounts("b", "a"))


def test_a_cache_key_replaces_the_inputs_within_its_component() -> None:
    one, other = a_context(**BASE), a_context(**{**BASE, "parameters": {"n": 9}})
    elsewhere = a_context(**{**BASE, "component": {**BASE["component"], "executorLabel": "exec-b"}})

    assert fingerprint(one, cache_key="k") == fingerprint(other, cache_key="k")
    assert fingerprint(one, cache_key="k") != fingerprint(one, cache_key="l")
    assert fingerprint(one, cache_key="k") != fingerprint(elsewhere, cache_key="k")
