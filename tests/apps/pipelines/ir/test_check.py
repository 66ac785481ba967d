"""Pipelines that could never run are refused, with the task and the field."""

from typing import Any

import pytest

from tests.apps.pipelines.specs import (
    NUMBER,
    PLAIN,
    TEXT,
    art,
    container,
    dag,
    exit_task,
    given,
    given_artifact,
    loop,
    out,
    pipeline,
    retried,
    status_of,
    task,
)
from windlass.apps.pipelines.ir.check import check_pipeline
from windlass.apps.pipelines.ir.dependencies import cycle, dependencies
from windlass.apps.pipelines.ir.errors import InvalidPipeline
from windlass.apps.pipelines.ir.reading import read_spec

Json = dict[str, Any]
CHOICE = {"parameterType": "STRING", "literals": ["a", "b"]}
IMPORTER = {"importer": {"artifactUri": {"constant": "gs://b/x"}, "typeSchema": {"schemaTitle": "system.Model"}}}


def one(spec: Json, **components: Any) -> Json:
    """A pipeline with the task `a`."""
    return pipeline(dag({"a": spec}, inputs={"p": "STRING"}), plain=PLAIN, text=TEXT, number=NUMBER, **components)


def two(spec: Json, **components: Any) -> Json:
    """A pipeline with the tasks `first`, which has the output `Output`, and `a`."""
    root = dag({"first": task("text", msg="x"), "a": spec}, inputs={"p": "STRING"})
    return pipeline(root, plain=PLAIN, text=TEXT, number=NUMBER, **components)


def with_executor(**executor: Any) -> Json:
    return one(task("odd"), odd=container(executor=executor))


@pytest.mark.parametrize(
    "spec",
    [
        one(task("text", msg=given("p"))),
        two(task("text", msg=out("first"))),
        two(exit_task("text", "first", msg=status_of("first"))),
        one(loop("body", [1, 2]), body=dag({"b": task("number", n=given("item"))}, inputs={"item": "NUMBER_INTEGER"})),
        one(task("load"), load=container(writes=("artifact",), executor=IMPORTER)),
        pipeline(dag({})),
        one(retried(task("plain"), 3, "1.5s", 2.0, "60s")),
        one(task("number", n=3.0)),
        one(task("number", n="{{$.inputs.parameters['p']}}")),
        one(
            task(
                "number",
                n={"runtimeValue": {"constant": "[1]"}, "parameterExpressionSelector": "parseJson(string_value)[0]"},
            )
        ),
        one(task("text", msg=5)),
        one(task("odd"), odd=container(inputs={"x": {"parameterType": "LIST", "defaultValue": None}})),
        one(task("odd"), odd=container(inputs={"x": {"parameterType": "STRING", "defaultValue": 1.0}})),
    ],
)
def test_a_pipeline_that_can_run_is_taken(spec: Json) -> None:
    assert check_pipeline(spec).pipeline_info.name == "example"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (one(task("none")), r"root.dag.tasks.a.componentRef.name: there is no component 'comp-none'"),
        (one(task("plain", after=("z",))), r"tasks.a.dependentTasks: there is no task 'z'"),
        (one(task("text", msg=out("z"))), r"inputs.parameters.msg.taskOutputParameter.producerTask: .* 'z'"),
        (two(task("text", msg=out("first", "z"))), r"taskOutputParameter: task 'first' has no output 'z'"),
        (one(task("text", msg=given("z"))), r"componentInputParameter: the component has no input 'z'"),
        (one(task("text", msg=status_of("z"))), r"taskFinalStatus.producerTask: there is no task 'z'"),
        (one(task("plain", x=art("z"))), r"inputs.artifacts.x.taskOutputArtifact.producerTask: .* 'z'"),
        (two(task("plain", x=art("first"))), r"taskOutputArtifact: task 'first' has no output 'out'"),
        (one(task("plain", x=given_artifact("z"))), r"componentInputArtifact: the component has no input 'z'"),
        (one(task("plain", condition="1 +")), r"tasks.a.triggerPolicy.condition: "),
        (one(task("plain", condition="'x'")), r"triggerPolicy.condition: .*not a boolean"),
        (one(task("plain", strategy="SOMETIMES")), r"triggerPolicy.strategy: 'SOMETIMES' is not supported"),
        (one(task("text", msg=given("p", "parseJson("))), r"parameterExpressionSelector: "),
        (one(retried(task("plain"), -1)), r"retryPolicy.maxRetryCount"),
        (one(retried(task("plain"), 1, "soon")), r"retryPolicy.backoffDuration: 'soon' is not a duration"),
        (one(retried(task("plain"), 1, "1s", -1.0)), r"retryPolicy.backoffFactor"),
        (one(loop("body", "z"), body=dag({})), r"parameterIterator.items.inputParameter: there is no input 'z'"),
        (one(loop("body", {"a": 1}), body=dag({})), r"parameterIterator.items.raw: must be a JSON array"),
        (one(loop("body", [1], item=""), body=dag({})), r"parameterIterator.itemInput: is required"),
        (one(loop("body", [1], limit=-1), body=dag({})), r"iteratorPolicy.parallelismLimit"),
        (one(task("text", msg={"runtimeValue": {"runtimeParameter": "x"}})), r"runtimeParameter: is not supported"),
        (one({"componentRef": {"name": "comp-text"}, "inputs": {"parameters": {"msg": {}}}}), r"msg.runtimeValue"),
        (one(task("self"), self=dag({"b": task("self")})), r"components.comp-self: contains itself"),
        (
            pipeline(dag({"a": task("plain", after=("b",)), "b": task("plain", after=("a",))}), plain=PLAIN),
            r"root.dag.tasks.a: waits for itself \(a → b → a\)",
        ),
        (with_executor(customJob={"customJob": {}}), r"comp-odd.executorLabel: .*exec-odd.customJob: is not supported"),
        (with_executor(resolver={}), r"exec-odd.resolver: is not supported"),
        (with_executor(container={"image": ""}), r"exec-odd.container.image: is required"),
        (with_executor(container={"image": "i", "command": "echo"}), r"got `str` - at `\$.deploymentSpec.*command`"),
        (with_executor(container={"image": "i", "args": 5}), r"got `int` - at `\$.deploymentSpec.*args`"),
        (with_executor(importer={}), r"exec-odd.importer.artifactUri: is required"),
        (with_executor(other={}), r"needs either container or importer"),
        (one(task("load"), load=container(executor=IMPORTER)), r"needs exactly one output artifact"),
        (one(task("lost"), lost={"executorLabel": "exec-lost"}), r"deploymentSpec.executors has no 'exec-lost'"),
        (one(task("empty"), empty={}), r"a component needs dag or executorLabel"),
        (one(task("odd"), odd=container(inputs={"x": "FLOAT"})), r"x.parameterType: 'FLOAT' is not supported"),
        (
            one(task("odd", x="c"), odd=container(inputs={"x": CHOICE})),
            r"runtimeValue.constant: 'c' is not one of the literals",
        ),
        (
            one(task("odd"), odd=container(inputs={"x": CHOICE | {"defaultValue": "c"}})),
            r"defaultValue: 'c' is not one of its literals",
        ),
        (
            one(task("number", n=1.5)),
            r"root.dag.tasks.a.inputs.parameters.n.runtimeValue.constant: must be an integer .*, not 1.5",
        ),
        (one(task("number", n="1")), r"n.runtimeValue.constant: must be an integer \(NUMBER_INTEGER\), not a string"),
        (
            one(task("odd"), odd=container(inputs={"x": {"parameterType": "NUMBER_INTEGER", "defaultValue": 1.5}})),
            r"comp-odd.inputDefinitions.parameters.x.defaultValue: must be an integer \(NUMBER_INTEGER\), not 1.5",
        ),
        (
            pipeline(dag({}, inputs={"x": {"parameterType": "BOOLEAN", "defaultValue": 1}})),
            r"root.inputDefinitions.parameters.x.defaultValue: must be a boolean \(BOOLEAN\), not a number",
        ),
        (pipeline(dag({}, outputs={"o": ("z", "Output")})), r"dag.outputs.parameters.o.producerSubtask: .* 'z'"),
        (
            pipeline(dag({"a": task("plain")}, outputs={"o": ("a", "Output")}), plain=PLAIN),
            r"dag.outputs.parameters.o: task 'a' has no output 'Output'",
        ),
        (pipeline(dag({}, artifacts={"o": []})), r"dag.outputs.artifacts.o.artifactSelectors: is required"),
        (pipeline(dag({"a.b": task("plain")}), plain=PLAIN), r"tasks.a.b.name: "),
        (pipeline(dag({}), "Big Name"), r"pipelineInfo.name: 'Big Name'"),
        (pipeline(dag({}), "x" * 129), r"at most 128 characters"),
        (pipeline({"executorLabel": "x"}), r"root: dag is required"),
        (pipeline(dag({})) | {"schemaVersion": "2.0.0"}, r"schemaVersion: must be 2.1.0, not '2.0.0'"),
        (pipeline(dag({})) | {"root": {"dag": {"tasks": []}}}, r"got `array` - at `\$.root.dag.tasks`"),
    ],
)  # fmt: skip
def test_a_pipeline_that_cannot_run_is_refused_with_the_field(spec: Json, message: str) -> None:
    with pytest.raises(InvalidPipeline, match=message):
        check_pipeline(spec)


def test_every_problem_is_reported() -> None:
    spec = pipeline(dag({"a": task("none"), "b": task("plain", after=("z",))}), "Bad", plain=PLAIN)

    with pytest.raises(InvalidPipeline, match=r"pipelineInfo.name.*; .*comp-none.*; .*'z'"):
        check_pipeline(spec)


def test_a_component_that_no_task_uses_may_be_wrong() -> None:
    check_pipeline(one(task("plain"), unused={"executorLabel": "missing"}))


@pytest.mark.parametrize(
    ("platform", "message"),
    [
        ({"platforms": []}, "platforms: must be an object"),
        (
            {"platforms": {"kubernetes": {"pipelineConfig": {"activeDeadlineSeconds": "soon"}}}},
            "pipelineConfig.activeDeadlineSeconds",
        ),
    ],
)
def test_a_wrong_platform_document_is_refused(platform: Json, message: str) -> None:
    with pytest.raises(InvalidPipeline, match=message):
        check_pipeline(one(task("plain")), platform)


def test_a_null_field_counts_as_not_set() -> None:
    spec = one(task("plain") | {"triggerPolicy": None, "retryPolicy": {"maxRetryCount": None}})

    assert check_pipeline(spec).root.dag is not None


def test_inputs_and_the_platform_document_are_dependencies() -> None:
    spec = pipeline(
        dag(
            {
                "claim": task("text", msg="x"),
                "first": task("text", msg="x"),
                "a": task("mounting", after=("first",)),
                "b": exit_task("text", "a", msg=status_of("first")),
            }
        ),
        text=TEXT,
        mounting=PLAIN,
    )
    mount = {"pvcNameParameter": out("claim", "name"), "mountPath": "/data"}
    executors = {"exec-mounting": {"pvcMount": [mount, {"pvcNameParameter": out("elsewhere")}]}}
    parsed = read_spec(spec)
    assert parsed.root.dag is not None

    waits = dependencies(
        parsed.root.dag, parsed, {"platforms": {"kubernetes": {"deploymentSpec": {"executors": executors}}}}
    )

    assert waits == {"claim": set(), "first": set(), "a": {"first", "claim"}, "b": {"a", "first"}}


@pytest.mark.parametrize(
    ("waits", "circle"),
    [
        ({}, []),
        ({"a": {"b"}, "b": set()}, []),
        ({"a": {"a"}}, ["a"]),
        ({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}, ["b", "c"]),
        ({"a": {"unknown"}}, []),
    ],
)
def test_a_circle_of_dependencies_is_found(waits: dict[str, set[str]], circle: list[str]) -> None:
    assert cycle(waits) == circle
