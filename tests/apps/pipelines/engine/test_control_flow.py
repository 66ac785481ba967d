"""Conditions, branches, loops, fan-in and nested DAGs."""

from typing import Any

import pytest

from tests.apps.pipelines.engine.world import Behaviour, World, constant, run
from tests.apps.pipelines.specs import (
    NUMBER,
    PLAIN,
    TEXT,
    art,
    container,
    dag,
    given,
    given_artifact,
    loop,
    out,
    pipeline,
    task,
)
from windlass.apps.pipelines.model import RunState, TaskState, TaskType

Json = dict[str, Any]
DOUBLE: dict[str, Behaviour] = {"double": lambda inputs: {"Output": 2 * inputs["n"]}}
SUM = container(inputs={"nums": "LIST"}, outputs={"Output": "NUMBER_INTEGER"})
MAKE = container(inputs={"n": "NUMBER_INTEGER"}, writes=("out",))
ECHO: dict[str, Behaviour] = {"text": lambda inputs: {"Output": inputs["msg"]}}


# --- conditions


@pytest.mark.parametrize(("side", "taken"), [("heads", "a"), ("tails", "b"), ("edge", "c")])
def test_the_branch_whose_condition_is_true_runs_and_gives_the_value(side: str, taken: str) -> None:
    is_heads, is_tails = "inputs.parameter_values['side'] == 'heads'", "inputs.parameter_values['side'] == 'tails'"
    conditions = {"a": is_heads, "b": f"!({is_heads}) && {is_tails}", "c": f"!({is_heads}) && !({is_tails})"}
    branches = {
        f"condition-{name}": task(f"condition-{name}", condition=condition, side=given("side"))
        for name, condition in conditions.items()
    }
    spec = pipeline(
        dag(
            {
                "flip": task("text", msg="x"),
                "condition-branches-1": task("condition-branches-1", side=out("flip")),
                "read": task("text", msg=out("condition-branches-1", "chosen")),
                "use": task("use", inp=art("condition-branches-1", "file")),
            }
        ),
        condition_branches_1=dag(
            branches,
            inputs={"side": "STRING"},
            outputs={"chosen": [(name, "said") for name in branches]},
            artifacts={"file": [(name, "made") for name in branches]},
        ),
        text=TEXT,
        make=MAKE,
        use=container(reads=("inp",)),
        **{
            f"condition_{name}": dag(
                {"say": task("text", msg=name), "make": task("make", n=1)},
                inputs={"side": "STRING"},
                outputs={"said": ("say", "Output")},
                artifacts={"made": [("make", "out")]},
            )
            for name in conditions
        },
    )

    world = run(spec, {"flip": constant(side), "say": lambda inputs: {"Output": inputs["msg"]}, "read": constant("r")})

    assert world.run.state is RunState.SUCCEEDED
    assert world.task("read").inputs.parameters == {"msg": taken}
    assert world.task("use").inputs.artifacts == {
        "inp": world.task(f"condition-branches-1.condition-{taken}.make").outputs.artifacts["out"]
    }
    assert world.paths(TaskState.CANCELED) == {
        f"condition-branches-1.condition-{name}" for name in conditions if name != taken
    }
    assert world.task("condition-branches-1").type is TaskType.CONDITION_BRANCH
    assert world.task(f"condition-branches-1.condition-{taken}").type is TaskType.CONDITION


def test_what_depends_on_a_skipped_task_is_skipped_and_the_run_succeeds() -> None:
    spec = pipeline(
        dag(
            {
                "a": task("text", msg="x", condition="inputs.parameter_values['msg'] == 'y'"),
                "b": task("text", msg=out("a")),
                "c": task("plain", after=("b",)),
                "d": task("plain"),
            }
        ),
        text=TEXT,
        plain=PLAIN,
    )

    world = run(spec)

    assert world.run.state is RunState.SUCCEEDED
    assert world.paths(TaskState.CANCELED) == {"a", "b", "c"}
    assert world.started == ["root.d"]


def test_a_condition_that_fails_on_its_values_fails_the_task() -> None:
    spec = pipeline(dag({"a": task("text", msg="x", condition="int(inputs.parameter_values['msg']) == 1")}), text=TEXT)

    world = run(spec)

    assert world.run.state is RunState.FAILED
    assert world.started == []
    assert world.run.error is not None
    assert world.run.error.message.startswith("a: ")


def test_a_condition_sees_defaults_and_null_for_optional_inputs() -> None:
    inputs = {
        "x": {"parameterType": "STRING", "isOptional": True},
        "y": {"parameterType": "STRING", "defaultValue": "d"},
    }
    spec = pipeline(
        dag(
            {
                "a": task("odd", condition="inputs.parameter_values['x'] == null"),
                "b": task("odd", condition="inputs.parameter_values['y'] == 'd'"),
            }
        ),
        odd=container(inputs=inputs),
    )

    assert run(spec).paths(TaskState.COMPLETE) == {"root", "a", "b"}


def test_a_oneof_without_any_value_fails_the_task_that_reads_it() -> None:
    branch = task("text", msg="x", condition="inputs.parameter_values['msg'] == 'y'")
    spec = pipeline(
        dag({"inner": task("inner"), "read": task("text", msg=out("inner", "o"))}),
        inner=dag({"a": branch, "b": branch}, outputs={"o": [("a", "Output"), ("b", "Output")]}),
        text=TEXT,
    )

    world = run(spec)

    assert world.task("inner").state is TaskState.COMPLETE
    assert world.run.error is not None
    assert world.run.error.message == "read: input msg: task inner has no output o"


# --- loops


def looped(items: Any, limit: int = 0, **inputs: Any) -> Json:
    """Doubles each item, and adds up the results."""
    body_inputs = {"item": "NUMBER_INTEGER"} | dict.fromkeys(inputs, "LIST")
    return pipeline(
        dag(
            {
                "for-loop-1": loop("for-loop-1", items, limit=limit, **inputs),
                "sum": task("sum", nums=out("for-loop-1", "doubled")),
                "use": task("use", inp=art("for-loop-1", "made")),
            },
            inputs={"given": {"parameterType": "LIST", "isOptional": True}},
        ),
        for_loop_1=dag(
            {"double": task("double", n=given("item")), "make": task("make", n=out("double"))},
            inputs=body_inputs,
            outputs={"doubled": ("double", "Output")},
            artifacts={"made": [("make", "out")]},
        ),
        double=NUMBER,
        make=MAKE,
        sum=SUM,
        use=container(reads_lists=("inp",)),
    )


ADD: dict[str, Behaviour] = DOUBLE | {"sum": lambda inputs: {"Output": sum(inputs["nums"])}}


@pytest.mark.parametrize("limit", [0, 1, 2, 10])
def test_a_loop_collects_its_results_in_the_order_of_the_items(limit: int) -> None:
    world = World(looped([3, 1, 2], limit), behaviours=ADD).run_to_end(choose=lambda names: names[-1])

    assert world.task("for-loop-1").outputs.parameters == {"doubled": [6, 2, 4]}
    assert world.result("sum") == 12
    assert world.task("for-loop-1").iteration_count == 3
    assert world.task("for-loop-1").type is TaskType.LOOP
    assert [world.task(f"for-loop-1.{index}").iteration for index in range(3)] == [0, 1, 2]
    made = [world.task(f"for-loop-1.{index}.make").outputs.artifacts["out"][0] for index in range(3)]
    assert world.task("use").inputs.artifacts == {"inp": made}


def test_the_tenth_item_comes_after_the_second() -> None:
    world = World(looped(list(range(12))), behaviours=ADD).run_to_end()

    assert world.outputs("for-loop-1") == {"doubled": [2 * n for n in range(12)]}


@pytest.mark.parametrize("items", [[], "given"])
def test_a_loop_without_items_succeeds_with_empty_lists(items: Any) -> None:
    inputs: Json = {"given": given("given")} if items == "given" else {}

    world = World(looped(items, **inputs), parameters={"given": []}, behaviours=ADD).run_to_end()

    assert world.run.state is RunState.SUCCEEDED
    assert world.result("sum") == 0
    assert world.task("use").inputs.artifacts == {"inp": []}


@pytest.mark.parametrize("value", [[1, 2], [1.0, 2.0]])
def test_a_loop_iterates_over_a_parameter(value: Any) -> None:
    world = World(looped("given", given=given("given")), parameters={"given": value}, behaviours=ADD).run_to_end()

    assert world.result("sum") == 6
    assert repr(world.task("for-loop-1.1.double").inputs.parameters["n"]) == "2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "not a list"),
        ("[1", "not JSON"),
        ("", "not JSON"),
        ("[" * 300 + "]" * 300, "nested deeper than 200 levels"),
    ],
)
def test_items_that_are_not_a_list_fail_the_loop(text: str, message: str) -> None:
    spec = pipeline(
        dag({"a": task("text", msg="x"), "each": loop("each", "items", items=out("a"))}),
        each=dag({}, inputs={"items": "STRING", "item": "STRING"}),
        text=TEXT,
    )

    world = run(spec, {"a": constant(text)})

    assert world.run.state is RunState.FAILED
    assert world.run.error is not None
    assert message in world.run.error.message


def test_a_loop_iterates_over_the_text_of_a_list() -> None:
    spec = pipeline(
        dag({"a": task("text", msg="x"), "each": loop("each", "items", items=out("a"))}),
        each=dag({"b": task("text", msg=given("item"))}, inputs={"items": "STRING", "item": "STRING"}),
        text=TEXT,
    )

    world = run(spec, {"a": constant('["x", {"y": 1}]'), "b": constant("")})

    assert [world.task(f"each.{index}.b").inputs.parameters["msg"] for index in range(2)] == ["x", '{"y":1}']


def test_no_more_iterations_run_at_once_than_the_limit() -> None:
    world = World(looped([1, 2, 3, 4, 5, 6], 2), behaviours=ADD)
    world.turn()
    most = 0
    while world.run.state is RunState.RUNNING:
        active = [task for task in world.tasks.values() if task.iteration >= 0 and task.state is TaskState.RUNNING]
        most = max(most, len(active))
        world.end_pod(next(iter(world.pods)))

    assert most == 2
    assert world.result("sum") == 42


def test_loops_in_loops_collect_lists_of_lists() -> None:
    spec = pipeline(
        dag({"outer": loop("outer", [1, 2, 3]), "sum": task("sum", nums=out("outer", "all"))}),
        outer=dag(
            {"inner": loop("inner", [10, 20], first=given("item"))},
            inputs={"item": "NUMBER_INTEGER"},
            outputs={"all": ("inner", "all")},
        ),
        inner=dag(
            {"add": task("add", n=given("item"), m=given("first"))},
            inputs={"item": "NUMBER_INTEGER", "first": "NUMBER_INTEGER"},
            outputs={"all": ("add", "Output")},
        ),
        add=container(inputs={"n": "NUMBER_INTEGER", "m": "NUMBER_INTEGER"}, outputs={"Output": "NUMBER_INTEGER"}),
        sum=SUM,
    )

    world = run(
        spec,
        {
            "add": lambda inputs: {"Output": inputs["n"] + inputs["m"]},
            "sum": lambda inputs: {"Output": sum(map(sum, inputs["nums"]))},
        },
    )

    assert world.outputs("outer") == {"all": [[11, 21], [12, 22], [13, 23]]}
    assert world.result("sum") == 102


def test_iterations_that_a_condition_skips_add_nothing() -> None:
    spec = pipeline(
        dag({"each": loop("each", [1, 2, 3]), "sum": task("sum", nums=out("each", "big"))}),
        each=dag(
            {"if": task("if", condition="int(inputs.parameter_values['n']) > 1", n=given("item"))},
            inputs={"item": "NUMBER_INTEGER"},
            outputs={"big": ("if", "big")},
        ),
        **{
            "if": dag(
                {"double": task("double", n=given("n"))},
                inputs={"n": "NUMBER_INTEGER"},
                outputs={"big": ("double", "Output")},
            )
        },
        double=NUMBER,
        sum=SUM,
    )

    world = run(spec, ADD)

    assert world.outputs("each") == {"big": [4, 6]}
    assert world.paths(TaskState.CANCELED) == {"each.0.if"}


def test_fields_of_items_are_selected_also_for_an_inner_loop() -> None:
    item = {"parameterType": "STRING"}
    spec = pipeline(
        dag(
            {"each": loop("each", "items", items=given("items"))},
            inputs={"items": {"parameterType": "LIST", "defaultValue": [{"a": 1.0, "b": [2.0, 3.0]}]}},
        ),
        each=dag(
            {
                "double": task("double", n=given("item", 'parseJson(string_value)["a"]')),
                "is-one": task(
                    "text",
                    condition="inputs.parameter_values['msg'] == '1'",
                    msg=given("item", 'parseJson(string_value)["a"]'),
                ),
                "inner": loop("inner", "b", b=given("item", 'parseJson(string_value)["b"]'), whole=given("item")),
            },
            inputs={"items": "LIST", "item": item},
        ),
        inner=dag({"d": task("double", n=given("item"))}, inputs={"b": item, "item": item, "whole": item}),
        double=NUMBER,
        text=TEXT,
    )

    world = run(spec, DOUBLE | {"d": DOUBLE["double"], "is-one": constant("yes")})

    assert world.run.state is RunState.SUCCEEDED
    assert world.result("each.0.double") == 2
    assert world.task("each.0.is-one").state is TaskState.COMPLETE
    assert [world.result(f"each.0.inner.{index}.d") for index in range(2)] == [4, 6]
    assert world.task("each.0.inner").inputs.parameters["whole"] == '{"a":1,"b":[2,3]}'


def test_a_task_in_a_loop_reads_its_sibling_of_the_same_iteration_and_the_inputs_of_the_loop() -> None:
    spec = pipeline(
        dag(
            {"each": loop("each", "items", items=given("items"), other=given("other"))},
            inputs={"items": "LIST", "other": "STRING"},
        ),
        each=dag(
            {
                "first": task("text", msg=given("item")),
                "second": task("three", a=out("first"), b=given("other"), c=given("items")),
            },
            inputs={"items": "LIST", "item": "STRING", "other": "STRING"},
        ),
        text=TEXT,
        three=container(inputs={"a": "STRING", "b": "STRING", "c": "LIST"}),
    )

    world = World(spec, parameters={"items": ["x", "y"], "other": "o"}, behaviours={"first": ECHO["text"]}).run_to_end()

    assert [world.task(f"each.{index}.second").inputs.parameters for index in range(2)] == [
        {"a": "x", "b": "o", "c": ["x", "y"]},
        {"a": "y", "b": "o", "c": ["x", "y"]},
    ]


def test_the_condition_of_a_loop_is_tested_once_before_it_starts() -> None:
    spec = pipeline(
        dag(
            {
                "each": loop("each", [1, 2], x="no")
                | {"triggerPolicy": {"condition": "inputs.parameter_values['x'] == 'yes'"}}
            }
        ),
        each=dag({"a": task("plain")}, inputs={"item": "STRING", "x": "STRING"}),
        plain=PLAIN,
    )

    world = run(spec)

    assert world.shown() == {"root": "COMPLETE", "each": "CANCELED"}


def test_a_loop_iterates_over_artifacts() -> None:
    spec = pipeline(
        dag(
            {
                "made": loop("made", [1, 2, 3]),
                "each": task("each", files=art("made", "files"))
                | {"artifactIterator": {"itemInput": "file", "items": {"inputArtifact": "files"}}},
            }
        ),
        made=dag(
            {"make": task("make", n=given("item"))},
            inputs={"item": "NUMBER_INTEGER"},
            artifacts={"files": [("make", "out")]},
        ),
        each=dag({"use": task("use", inp=given_artifact("file"))}, reads=("files", "file")),
        make=MAKE,
        use=container(reads=("inp",)),
    )

    world = run(spec)

    assert world.run.state is RunState.SUCCEEDED
    used = [world.task(f"each.{index}.use").inputs.artifacts["inp"] for index in range(3)]
    assert used == [[id] for id in world.task("made").outputs.artifacts["files"]]


def test_a_loop_over_a_container_component_runs_it_for_each_item() -> None:
    spec = pipeline(
        dag({"double": loop("double", [1, 2], item="n"), "sum": task("sum", nums=out("double"))}),
        double=NUMBER,
        sum=SUM,
    )

    world = run(spec, ADD)

    assert world.outputs("double") == {"Output": [2, 4]}
    assert world.result("sum") == 6


# --- nested DAGs


def test_a_nested_pipeline_takes_defaults_and_null_and_gives_outputs_to_the_root() -> None:
    optional = {"parameterType": "STRING", "isOptional": True}
    spec = pipeline(
        dag(
            {"inner": task("inner", a=given("a")), "outer": task("outer", x="1")},
            inputs={"a": {"parameterType": "NUMBER_INTEGER", "defaultValue": 3.0}},
            outputs={"Output": ("inner", "n"), "deep": ("outer", "n")},
        ),
        outer=dag({"inner": task("inner", a=5)}, inputs={"x": "STRING"}, outputs={"n": ("inner", "n")}),
        inner=dag(
            {
                "double": task("double", n=given("a")),
                "opt": task("opt", a=given("text"), b=given("nothing")),
            },
            inputs={"a": "NUMBER_INTEGER", "text": optional | {"defaultValue": "z"}, "nothing": optional},
            outputs={"n": ("double", "Output")},
        ),
        double=NUMBER,
        opt=container(inputs={"a": "STRING", "b": optional}),
    )

    world = run(spec, DOUBLE)

    assert world.task("root").outputs.parameters == {"Output": 6, "deep": 10}
    assert world.task("inner").inputs.parameters == {"a": 3, "text": "z", "nothing": None}
    assert world.task("inner.opt").inputs.parameters == {"a": "z"}


def test_an_empty_pipeline_succeeds() -> None:
    world = run(pipeline(dag({})))

    assert world.states == [RunState.SUCCEEDED]
    assert world.shown() == {"root": "COMPLETE"}
