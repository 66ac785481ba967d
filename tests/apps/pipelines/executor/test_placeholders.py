"""Every placeholder of the specification is replaced, once, and by nothing but its value."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apps.pipelines.executor.builders import TASK_PATH, TASK_URI, a_context, a_dataset, a_scope, inputs
from windlass.apps.pipelines.executor.executor_input import executor_input
from windlass.apps.pipelines.executor.placeholders import (
    Scope,
    escaped_dollars,
    resolve_arguments,
    resolve_constant,
    resolve_text,
)

COMPONENT = {
    "inputDefinitions": {
        "parameters": {
            "s": {"parameterType": "STRING"},
            "i": {"parameterType": "NUMBER_INTEGER"},
            "d": {"parameterType": "NUMBER_DOUBLE"},
            "b": {"parameterType": "BOOLEAN"},
            "l": {"parameterType": "LIST"},
            "m": {"parameterType": "STRUCT"},
            "o": {"parameterType": "STRING", "isOptional": True},
            "dflt": {"parameterType": "STRING", "isOptional": True, "defaultValue": "here"},
        }
    },
    "outputDefinitions": {
        "parameters": {"p": {"parameterType": "STRING"}},
        "artifacts": {
            "out": {
                "artifactType": {"schemaTitle": "system.Model", "schemaVersion": "0.0.1"},
                "metadata": {"framework": "x"},
            }
        },
    },
}
FIELDS: dict[str, Any] = {
    "component": COMPONENT,
    "parameters": {"s": "a b", "i": 3.0, "d": 0.5, "b": True, "l": [2.0, 4], "m": {"k": 1.0}},
    "artifacts": {
        "in": [a_dataset(metadata={"rows": 7.0, "who": "me", "k's": [1]})],
        "many": [a_dataset("a1", "one"), a_dataset("a2", "two")],
        "web": [a_dataset("a3", uri="https://host/x")],
        "work": [a_dataset("a4", "w", metadata={"_kfp_workspace": True})],
        "none": [],
    },
}
SCOPE = a_scope(**FIELDS)


def test_the_whole_executor_input_is_one_json_string() -> None:
    whole = json.loads(resolve_text("{{$}}", SCOPE))

    assert whole == executor_input(a_context(**FIELDS))
    assert whole["inputs"]["parameterValues"]["dflt"] == "here"
    assert '"i":3,' in resolve_text("{{$}}", SCOPE)


@pytest.mark.parametrize(
    ("placeholder", "value"),
    [
        ("{{$.inputs.parameters['s']}}", "a b"),
        ('{{$.inputs.parameters["s"]}}', "a b"),
        ("{{$.inputs.parameters['i']}}", "3"),
        ("{{$.inputs.parameters['d']}}", "0.5"),
        ("{{$.inputs.parameters['b']}}", "true"),
        ("{{$.inputs.parameters['l']}}", "[2,4]"),
        ("{{$.inputs.parameters['m']}}", '{"k":1}'),
        ("{{$.inputs.parameters['dflt']}}", "here"),
        ("{{$.inputs.artifacts['in'].uri}}", "minio://mlpipeline/data"),
        ("{{$.inputs.artifacts['in'].path}}", "/minio/mlpipeline/data"),
        ("{{$.inputs.artifacts['many'].path}}", "/minio/mlpipeline/one"),
        ("{{$.inputs.artifacts['work'].path}}", "/kfp-workspace/.artifacts/minio/mlpipeline/w"),
        ("{{$.inputs.artifacts['in'].metadata}}", '{"rows":7,"who":"me","k\'s":[1]}'),
        ("{{$.inputs.artifacts['in'].metadata['rows']}}", "7"),
        ("{{$.inputs.artifacts['in'].metadata['who']}}", "me"),
        ("{{$.inputs.artifacts['in'].properties['who']}}", "me"),
        ("{{$.outputs.artifacts['out'].metadata['framework']}}", "x"),
        ("{{$.outputs.artifacts['out'].metadata}}", '{"framework":"x"}'),
        ("{{$.outputs.parameters['p'].output_file}}", "/tmp/kfp/outputs/p"),
        ("{{$.outputs.artifacts['out'].uri}}", f"{TASK_URI}/out"),
        ("{{$.outputs.artifacts['out'].path}}", f"{TASK_PATH}/out"),
        ("{{$.outputs.output_file}}", f"{TASK_PATH}/output_metadata.json"),
        ("{{$.outputMetadataUri}}", f"{TASK_PATH}/output_metadata.json"),
        ("{{$.pipeline_job_name}}", "My run"),
        ("{{$.pipeline_job_resource_name}}", "train-and-predict-x7k2p"),
        ("{{$.pipeline_job_uuid}}", "run-1"),
        ("{{$.pipeline_task_name}}", "train"),
        ("{{$.pipeline_task_uuid}}", "task-1"),
        ("{{$.pipeline_job_create_time_utc}}", "2026-01-01T00:00:00Z"),
        ("{{$.pipeline_job_schedule_time_utc}}", "2026-01-01T00:01:00Z"),
        ("{{$.pipeline_root}}", "minio://mlpipeline/v2/artifacts"),
        ("{{$.workspace_path}}", "/kfp-workspace"),
    ],
)
def test_a_placeholder_is_replaced_alone_and_in_a_text(placeholder: str, value: str) -> None:
    assert resolve_text(placeholder, SCOPE) == value
    assert resolve_text(f"a={placeholder};b={placeholder}", SCOPE) == f"a={value};b={value}"
    assert resolve_arguments(["x", placeholder], SCOPE) == ["x", value]


def test_a_list_of_artifacts_is_json() -> None:
    value = json.loads(resolve_text("{{$.inputs.artifacts['many']}}", SCOPE))

    assert [one["uri"] for one in value] == ["minio://mlpipeline/one", "minio://mlpipeline/two"]


@pytest.mark.parametrize(
    "placeholder",
    [
        "{{$.inputs.parameters['o']}}",
        "{{$.inputs.parameters['nobody']}}",
        "{{$.inputs.parameters['s'].x}}",
        "{{$.inputs.artifacts['none'].uri}}",
        "{{$.inputs.artifacts['web'].path}}",
        "{{$.inputs.artifacts['in'].metadata['absent']}}",
        "{{$.outputs.parameters['p']}}",
        "{{$.nothing}}",
        "{{ $.pipeline_job_name }}",
        "{{$",
        "{{workflow.name}}",
    ],
)
def test_a_placeholder_for_nothing_stays(placeholder: str) -> None:
    assert resolve_text(placeholder, SCOPE) == placeholder


def branch(name: str, then: Any, otherwise: Any = None) -> Any:
    return {"IfPresent": {"InputName": name, "Then": then, **({} if otherwise is None else {"Else": otherwise})}}


@pytest.mark.parametrize(
    ("structure", "words"),
    [
        (branch("s", ["--s", "{{$.inputs.parameters['s']}}"]), ["--s", "a b"]),
        (branch("s", "only"), ["only"]),
        (branch("o", ["--o"]), []),
        (branch("o", ["--o"], "else"), ["else"]),
        (branch("dflt", "yes", "no"), ["yes"]),
        (branch("o", ["--o"], ["x", "y"]), ["x", "y"]),
        (branch("in", ["--in", "{{$.inputs.artifacts['in'].path}}"]), ["--in", "/minio/mlpipeline/data"]),
        (branch("none", "there", "empty"), ["empty"]),
        (branch("s", branch("o", "both", "one")), ["one"]),
        (branch("s", ["a", branch("i", ["b", "c"]), {"Concat": ["x=", "{{$.inputs.parameters['i']}}"]}]),
         ["a", "b", "c", "x=3"]),
        ({"Concat": ["a", "{{$.inputs.parameters['i']}}", "b"]}, ["a3b"]),
        ({"Concat": ["--x=", branch("o", "1", "2"), branch("o", "3")]}, ["--x=2"]),
        ({"Concat": ["a", {"Concat": ["b", "c"]}]}, ["abc"]),
        (branch("s", json.dumps(branch("i", "inner"))), ["inner"]),
    ],
)  # fmt: skip
def test_branches_and_concatenations_become_words(structure: Any, words: list[str]) -> None:
    assert resolve_arguments(["-", json.dumps(structure), "-"], SCOPE) == ["-", *words, "-"]


@pytest.mark.parametrize(
    "argument", ["{}", "{", '{"Concat": 1}', '{"IfPresent": {"Then": 1}}', '{"a": 1}', "[" * 5000, '{"Concat":' * 3000]
)
def test_other_json_stays(argument: str) -> None:
    assert resolve_arguments([argument], SCOPE) == [argument]


PIECES = ("{{$}}", "{{$.inputs.parameters['s']}}", "{{$.x}}", "{{", "}}", "$", "$(A)", '{"Concat": [', '"a"]}', "['")


@given(st.lists(st.sampled_from(PIECES) | st.text(), max_size=6).map("".join))
def test_arbitrary_texts_never_fail(template: str) -> None:
    assert isinstance(resolve_text(template, SCOPE), str)
    assert all(isinstance(word, str) for word in resolve_arguments([template], SCOPE))
    resolve_constant([template, {"a": template}], SCOPE)


@given(st.lists(st.sampled_from(PIECES) | st.text(), max_size=6).map("".join))
def test_what_replaces_a_placeholder_is_not_searched_again(value: str) -> None:
    scope = Scope(names={}, parameters={"s": value, "t": "never"})
    template = "<{{$.inputs.parameters['s']}}|{{$.inputs.parameters['s']}}>"

    assert resolve_text(template, scope) == f"<{value}|{value}>"
    assert resolve_arguments([template], scope) == [f"<{value}|{value}>"]


@given(st.text())
def test_kubernetes_does_not_expand_what_was_substituted(value: str) -> None:
    from windlass.node.environment import expand_text

    scope = Scope(names={}, parameters={"s": value})
    word = resolve_arguments(["{{$.inputs.parameters['s']}}"], scope, escaped_dollars)[0]

    assert expand_text(word, {"A": "wrong"}) == value


def test_a_constant_keeps_the_type_of_a_whole_placeholder() -> None:
    scope = Scope(names={"pipeline_job_name": "r"}, parameters={"i": 3, "l": [1]})
    constant = {
        "a": "{{$.inputs.parameters['i']}}",
        "b": ["{{$.inputs.parameters['l']}}", "n={{$.inputs.parameters['i']}}"],
    }

    assert resolve_constant(constant, scope) == {"a": 3, "b": [[1], "n=3"]}
    assert resolve_constant("run {{$.pipeline_job_name}}", scope) == "run r"
    assert resolve_constant(7, scope) == 7
    assert resolve_constant({"{{$.inputs.parameters['i']}}": "{{$.pipeline_job_name}}"}, scope) == {"3": "r"}


def test_an_input_that_is_not_declared_is_still_found() -> None:
    scope = a_scope(component=inputs(), parameters={"pipelinechannel--x": "v"})

    assert resolve_text("{{$.inputs.parameters['pipelinechannel--x']}}", scope) == "v"
