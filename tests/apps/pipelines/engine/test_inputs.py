"""How the inputs of a task are resolved."""

from typing import Any

import pytest

from tests.apps.pipelines.engine.world import World, constant, run
from tests.apps.pipelines.specs import TEXT, art, container, dag, given, given_artifact, out, pipeline, task
from windlass.apps.pipelines.model import RunState

Json = dict[str, Any]
OPTIONAL = {"parameterType": "STRING", "isOptional": True}


def resolved(declared: Any, value: Any, output: Any = "o", **run_fields: Any) -> World:
    """Runs the task `a` with the input `x` of that declaration and source, beside a task `first` with that output."""
    types = {
        str: "STRING",
        int: "NUMBER_INTEGER",
        float: "NUMBER_DOUBLE",
        bool: "BOOLEAN",
        list: "LIST",
        dict: "STRUCT",
    }
    channel: Json = {"pipelinechannel--p": given("p")}
    spec = pipeline(
        dag(
            {"first": task("first"), "a": task("a", after=("first",), x=value, **channel)},
            inputs={"p": {"parameterType": "STRING", "defaultValue": "P"}, "nothing": OPTIONAL},
        ),
        first=container(outputs={"Output": types[type(output)]}),
        a=container(inputs={"x": declared, "pipelinechannel--p": OPTIONAL}),
    )
    return run(spec, {"first": constant(output)}, run_fields=run_fields)


@pytest.mark.parametrize(
    ("declared", "value", "output", "expected"),
    [
        ("STRING", "text", "o", "text"),
        ("STRING", out("first"), "o", "o"),
        ("STRING", given("p"), "o", "P"),
        ("NUMBER_INTEGER", 3.0, "o", 3),
        ("NUMBER_INTEGER", out("first"), 4, 4),
        ("NUMBER_DOUBLE", out("first"), 1.5, 1.5),
        ("BOOLEAN", out("first"), True, True),
        ("LIST", [1.0, 2.5, {"a": 3.0}], "o", [1, 2.5, {"a": 3}]),
        ("STRUCT", out("first"), {"a": [1]}, {"a": [1]}),
        # A STRING takes the JSON text of other values.
        ("STRING", out("first"), 4, "4"),
        ("STRING", out("first"), True, "true"),
        ("STRING", out("first"), {"a": [1, 2]}, '{"a":[1,2]}'),
        # Placeholders in constants.
        ("STRING", "a {{$.inputs.parameters['pipelinechannel--p']}} b", "o", "a P b"),
        ("STRING", "{{$.pipeline_job_name}}", "o", "my run"),
        ("STRING", "{{$.pipeline_job_resource_name}}", "o", "example-abcde"),
        ("STRING", "{{$.pipeline_job_uuid}}/{{$.pipeline_task_name}}", "o", "run-1/a"),
        ("LIST", ["{{$.pipeline_job_uuid}}"], "o", ["run-1"]),
        # A field of the value.
        ("NUMBER_INTEGER", out("first") | {"parameterExpressionSelector": 'parseJson(string_value)["k"]'}, {"k": 7}, 7),
        ("STRING", out("first") | {"parameterExpressionSelector": 'parseJson(string_value)["k"]'}, '{"k": "v"}', "v"),
    ],
)
def test_an_input_is_resolved(declared: str, value: Any, output: Any, expected: Any) -> None:
    world = resolved(declared, value, output)

    assert world.run.state is RunState.SUCCEEDED, world.run.error
    assert repr(world.task("a").inputs.parameters["x"]) == repr(expected)


@pytest.mark.parametrize(
    ("declared", "value", "output", "message"),
    [
        ("NUMBER_INTEGER", out("first"), "o", "input x: parameter x must be NUMBER_INTEGER"),
        ("NUMBER_INTEGER", out("first"), True, "must be NUMBER_INTEGER"),
        ("LIST", out("first"), "[1]", "must be LIST"),
        ("STRUCT", out("first"), [1], "must be STRUCT"),
        ("BOOLEAN", out("first"), 1, "must be BOOLEAN"),
        ("STRING", given("nothing"), "o", "input x: the input nothing of its DAG has no value"),
        ("STRING", None, "o", "input x: it has no value"),
        ({"parameterType": "STRING", "literals": ["a", "b"]}, out("first"), "c", "must be one of"),
        ("STRING", out("first") | {"parameterExpressionSelector": 'parseJson(string_value)["k"]'}, {}, "input x: "),
    ],
)
def test_an_input_that_cannot_be_resolved_fails_the_task_without_a_pod(
    declared: Any, value: Any, output: Any, message: str
) -> None:
    world = resolved(declared, value, output)

    assert world.run.state is RunState.FAILED
    assert world.started == ["root.first"]
    error = world.task("a").error
    assert error is not None
    assert message in error.message


@pytest.mark.parametrize("declared", [OPTIONAL, {"parameterType": "STRING", "defaultValue": "d"}])
@pytest.mark.parametrize("value", [given("nothing"), None])
def test_a_missing_optional_input_is_left_out(declared: Json, value: Any) -> None:
    world = resolved(declared, value)

    assert world.task("a").inputs.parameters == {"pipelinechannel--p": "P"}


def test_an_input_that_is_not_given_at_all_fails_if_it_is_required() -> None:
    world = run(pipeline(dag({"a": task("text")}), text=TEXT))

    assert world.run.error is not None
    assert world.run.error.message == "a: input msg: it is required and has no value"


@pytest.mark.parametrize(("is_optional", "state"), [(True, RunState.SUCCEEDED), (False, RunState.FAILED)])
def test_a_missing_artifact_is_allowed_if_it_is_optional(is_optional: bool, state: RunState) -> None:
    reader = container(reads=("inp",))
    reader["inputDefinitions"]["artifacts"]["inp"]["isOptional"] = is_optional
    spec = pipeline(
        dag({"inner": task("inner")}),
        inner=dag({"a": task("reader", inp=given_artifact("file")), "b": task("reader")}, reads=("file",)),
        reader=reader,
    )
    spec["components"]["comp-inner"]["inputDefinitions"]["artifacts"]["file"]["isOptional"] = True

    assert run(spec).run.state is state


def test_artifacts_pass_through_nested_dags_with_their_records() -> None:
    spec = pipeline(
        dag({"make": task("make"), "inner": task("inner", file=art("make"))}),
        make=container(writes=("out",)),
        inner=dag({"use": task("use", inp=given_artifact("file"))}, reads=("file",)),
        use=container(reads=("inp",)),
    )
    world = World(spec)
    world.turn()
    world.end_pod("root.make-0")

    context = world.engine.context(world.task("inner.use").task_id)

    assert [artifact.name for artifact in context.artifacts["inp"]] == ["out"]
    assert context.artifacts["inp"][0].created_at == world.now
    assert context.parent_execution_id == world.task("inner").task_id
    assert context.pipeline_root == "minio://bucket/root"


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        (given("p"), "P"),
        (given("nothing"), None),
        (out("first"), "o"),
        ({"runtimeValue": {"constant": "secret-{{$.inputs.parameters['pipelinechannel--p']}}"}}, "secret-P"),
        ({"runtimeValue": {"constant": "{{$.pipeline_job_uuid}}"}}, "run-1"),
        ({"runtimeValue": {"constant": [{"weight": 1.0}]}}, [{"weight": 1}]),
    ],
)
def test_values_of_the_platform_document_are_resolved_in_the_dag_of_the_task(spec: Json, value: Any) -> None:
    world = resolved("STRING", "x")

    assert world.engine.context(world.task("a").task_id).resolve(spec) == value


@pytest.mark.parametrize("spec", [{}, {"taskOutputParameter": {"producerTask": "z"}}, {"componentInputParameter": 3}])
def test_a_wrong_value_of_the_platform_document_is_an_error(spec: Json) -> None:
    world = resolved("STRING", "x")

    with pytest.raises(ValueError):
        world.engine.context(world.task("a").task_id).resolve(spec)
