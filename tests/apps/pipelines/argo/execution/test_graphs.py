"""Graphs: dependencies, conditions, loops, failures, outputs."""

import json
from random import Random

import pytest

from tests.apps.pipelines.argo.simulation import End, Simulation, by_task, template_of
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, arguments, inputs, steps
from windlass.kube.json import Object

ECHO = a_container("echo", "echo", "{{inputs.parameters.x}}", inputs=inputs("x"))


def writes(name: str, *parameters: str) -> Object:
    outputs = {"parameters": [{"name": each, "valueFrom": {"path": f"/tmp/{each}"}} for each in parameters]}
    return a_container(name, "run", outputs=outputs)


def test_tasks_run_after_those_that_they_depend_on() -> None:
    dag = a_dag(
        "main",
        a_task("d", "c", dependencies=["b", "c"]),
        a_task("b", "c", dependencies=["a"]),
        a_task("c", "c", dependencies=["a"]),
        a_task("a", "c"),
    )

    run = Simulation(a_workflow(dag, a_container("c"))).run()

    assert run.phase == "Succeeded"
    assert run.order[0] == "w.a"
    assert run.order[-1] == "w.d"
    assert run.status["progress"] == "4/4"


def test_nodes_are_shown_as_argo_shows_them() -> None:
    dag = a_dag("main", a_task("a", "c"), a_task("b", "c", dependencies=["a"]))

    run = Simulation(a_workflow(dag, a_container("c"))).run()

    root, first, second = run.node(""), run.node("a"), run.node("b")
    assert (root["id"], root["type"], root["children"]) == ("w", "DAG", [first["id"]])
    assert first["children"] == [second["id"]]
    assert root["outboundNodes"] == [second["id"]]
    assert first["boundaryID"] == "w"
    assert first["id"] == "w-205987851"
    assert run.pod_of("a")["metadata"]["name"] == "w-c-205987851"
    assert first["templateName"] == "c"
    assert root["displayName"] == "w"


def test_values_pass_from_task_to_task() -> None:
    dag = a_dag(
        "main",
        a_task("make", "make"),
        a_task("use", "echo", dependencies=["make"], arguments=arguments(x="got {{tasks.make.outputs.parameters.p}}")),
    )
    ends = by_task(make=End(parameters={"p": 'a "quoted"\nline\n'}))

    run = Simulation(a_workflow(dag, writes("make", "p"), ECHO), ends).run()

    assert run.command_of("use") == ["echo", 'got a "quoted"\nline']


def test_arguments_of_the_workflow_are_those_of_its_entrypoint() -> None:
    run = Simulation(a_workflow(ECHO, arguments=arguments(x=5))).run()

    assert run.command_of("") == ["echo", "5"]


@pytest.mark.parametrize(
    ("depends", "runs"),
    [
        ("fails", False),
        ("fails.Failed", True),
        ("works && fails.Failed", True),
        ("works && !fails", True),
        ("fails.Succeeded || fails.Errored", False),
        ("(works || fails) && works", True),
        ("works.Failed && fails.Failed", False),
    ],
)
def test_depends_decides_whether_a_task_runs(depends: str, runs: bool) -> None:
    dag = a_dag("main", a_task("works", "c"), a_task("fails", "c"), a_task("after", "c", depends=depends))

    run = Simulation(a_workflow(dag, a_container("c")), by_task(fails=End(exit_code=1))).run()

    assert run.phases()["after"] == ("Succeeded" if runs else "Omitted")
    assert run.phase == ("Succeeded" if runs else "Failed")


@pytest.mark.parametrize("seed", range(8))
def test_a_failure_stops_no_task_that_can_start(seed: int) -> None:
    """Whichever of two branches fails first, the other one runs as far as it can."""
    dag = a_dag(
        "main",
        a_task("a", "c"),
        a_task("b", "c", depends="a"),
        a_task("c", "c", depends="a"),
        a_task("d", "c", depends="b.Failed && c"),
        a_task("e", "c", depends="a"),
        a_task("g", "c", depends="e"),
    )
    ends = by_task(b=End(exit_code=1), e=End(exit_code=2))

    run = Simulation(a_workflow(dag, a_container("c")), ends, random=Random(seed)).run()

    phases = run.phases()
    assert (run.phase, phases["d"], phases["g"]) == ("Failed", "Succeeded", "Omitted")
    assert run.node("e")["message"] == "Error (exit code 2)"
    assert run.node("e")["outputs"]["exitCode"] == "2"


def test_failing_fast_ends_a_graph_whose_other_tasks_find_no_place() -> None:
    """Two graphs share a limit of one pod."""
    first = a_dag("first", a_task("fails", "c"), a_task("late", "c"))
    second = a_dag("second", a_task("long", "c"), a_task("longer", "c", dependencies=["long"]))
    both = steps("main", [a_task("one", "first"), a_task("two", "second")])
    run = Simulation(a_workflow(both, first, second, a_container("c"), parallelism=1), by_task(fails=End(exit_code=1)))
    run.turn()
    run.end_pod(run.active_pods()[0])

    phases = run.run().phases()

    assert (run.phase, phases["[0].one"]) == ("Failed", "Failed")


@pytest.mark.parametrize(
    ("target", "started"),
    [
        ("{{workflow.parameters.target}}", {"a", "c", "e"}),
        ("{{inputs.parameters.x}}", {"a", "b"}),
        ("b {{workflow.parameters.target}}", {"a", "b", "c", "e"}),
        ("{{=inputs.parameters.x}}", {"a", "b"}),
        ("{{workflow.parameters.nothing}}", {"a", "b", "c", "d", "e"}),
    ],
)
def test_targets_decide_which_tasks_run(target: str, started: set[str]) -> None:
    dag = a_dag(
        "main",
        a_task("a", "c"),
        a_task("b", "c", depends="a"),
        a_task("c", "c", depends="a"),
        a_task("d", "c", depends="b && c"),
        a_task("e", "c", depends="c"),
        inputs=inputs("x"),
    )
    dag["dag"]["target"] = target

    run = Simulation(a_workflow(dag, a_container("c"), arguments=arguments(target="e", x="b", nothing=""))).run()

    assert run.phase == "Succeeded"
    assert {name.removeprefix("w.") for name in run.order} == started


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("{{workflow.parameters.none}}", "{{workflow.parameters.none}}"),
        ("{{=nothing.there}}", "nothing.there"),
        ("{{workflow.parameters.target}}", "dag.target: there is no task 'e'"),
    ],
)
def test_a_target_that_there_is_not_is_an_error(target: str, message: str) -> None:
    dag = a_dag("main", a_task("a", "c"))
    dag["dag"]["target"] = target

    run = Simulation(a_workflow(dag, a_container("c"), arguments=arguments(target="e"))).run()

    assert (run.phase, run.order) == ("Error", [])
    assert message in run.status["message"]
    assert "dag.target" in run.status["message"]


def test_without_fail_fast_all_branches_run() -> None:
    dag = a_dag("main", a_task("fails", "c"), a_task("one", "c"), a_task("two", "c", dependencies=["one"]))
    dag["dag"]["failFast"] = False

    run = Simulation(a_workflow(dag, a_container("c")), by_task(fails=End(exit_code=2))).run()

    assert (run.phase, run.phases()["two"]) == ("Failed", "Succeeded")


def test_a_task_that_may_fail_does_not_fail_the_graph() -> None:
    dag = a_dag("main", a_task("fails", "c", continueOn={"failed": True}), a_task("next", "c", dependencies=["fails"]))

    run = Simulation(a_workflow(dag, a_container("c")), by_task(fails=End(exit_code=2))).run()

    assert (run.phase, run.phases()["next"]) == ("Succeeded", "Succeeded")


def test_a_false_condition_skips_a_task_and_its_outputs_are_empty() -> None:
    dag = a_dag(
        "main",
        a_task("flip", "make"),
        a_task("heads", "make", dependencies=["flip"], when="{{tasks.flip.outputs.parameters.p}} == heads"),
        a_task("use", "echo", dependencies=["heads"], arguments=arguments(x="<{{tasks.heads.outputs.parameters.p}}>")),
    )

    run = Simulation(a_workflow(dag, writes("make", "p"), ECHO), by_task(flip=End(parameters={"p": "tails"}))).run()

    assert run.phases()["heads"] == "Skipped"
    assert run.node("heads")["message"] == "when 'tails == heads' evaluated false"
    assert run.command_of("use") == ["echo", "<>"]
    assert run.phase == "Succeeded"


def test_a_condition_that_is_no_boolean_is_an_error() -> None:
    run = Simulation(a_workflow(a_dag("main", a_task("a", "c", when="maybe")), a_container("c"))).run()

    assert (run.phase, run.phases()["a"]) == ("Error", "Error")


def test_a_loop_runs_for_each_item_and_collects_outputs() -> None:
    make = writes("make", "p")
    make["inputs"] = inputs("x")
    dag = a_dag(
        "main",
        a_task("each", "make", withItems=["a", 2, {"k": "v"}, [1, "b"]], arguments=arguments(x="{{item}}")),
        a_task("all", "echo", dependencies=["each"], arguments=arguments(x="{{tasks.each.outputs.parameters.p}}")),
    )

    run = Simulation(
        a_workflow(dag, make, ECHO), lambda pod: End(parameters={"p": template_of(pod).partition(":")[2][:-1]})
    ).run()

    names = {"each(0:a)", "each(1:2)", "each(2:k:v)", "each(3:[1 b])"}
    assert {name for name in run.phases() if name.startswith("each(")} == names
    assert run.node("each")["type"] == "TaskGroup"
    assert json.loads(run.command_of("all")[1]) == ["a", "2", "k:v", "[1 b]"]
    assert run.node("each(2:k:v)")["inputs"]["parameters"] == [{"name": "x", "value": '{"k":"v"}'}]
    assert run.node("each(3:[1 b])")["inputs"]["parameters"] == [{"name": "x", "value": '[1,"b"]'}]


def test_a_loop_over_a_parameter_takes_fields_of_its_items() -> None:
    items = json.dumps([{"n": 1}, {"n": 2}])
    dag = a_dag("main", a_task("each", "echo", withParam=items, arguments=arguments(x="{{=asInt(item.n) * 10}}")))

    run = Simulation(a_workflow(dag, ECHO)).run()

    assert sorted(pod["spec"]["containers"][0]["command"][1] for pod in run.manifests.values()) == ["10", "20"]


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ({"count": "3"}, ["0", "1", "2"]),
        ({"start": 2, "end": 4}, ["2", "3", "4"]),
        ({"start": 3, "end": 1}, ["3", "2", "1"]),
        ({"count": 2, "format": "x%02d"}, ["x00", "x01"]),
    ],
)
def test_a_loop_over_a_sequence(sequence: Object, expected: list[str]) -> None:
    dag = a_dag("main", a_task("each", "echo", withSequence=sequence, arguments=arguments(x="{{item}}")))

    run = Simulation(a_workflow(dag, ECHO)).run()

    assert sorted(pod["spec"]["containers"][0]["command"][1] for pod in run.manifests.values()) == sorted(expected)


def test_an_empty_loop_is_skipped() -> None:
    dag = a_dag("main", a_task("each", "c", withParam="[]"), a_task("next", "c", dependencies=["each"]))

    run = Simulation(a_workflow(dag, a_container("c"))).run()

    assert (run.phases()["each"], run.phases()["next"], run.phase) == ("Skipped", "Succeeded", "Succeeded")


def test_a_loop_over_what_is_no_list_is_an_error() -> None:
    run = Simulation(a_workflow(a_dag("main", a_task("each", "c", withParam="oops")), a_container("c"))).run()

    assert run.phase == "Error"
    assert "JSON list" in run.node("each")["message"]


def test_parallelism_limits_the_pods_of_a_workflow_and_of_a_template() -> None:
    dag = a_dag("main", a_task("each", "c", withSequence={"count": "9"}))

    assert Simulation(a_workflow(dag, a_container("c"), parallelism=2)).run().max_active == 2
    assert Simulation(a_workflow({**dag, "parallelism": 3}, a_container("c"))).run().max_active == 3


def test_outputs_of_a_graph_come_from_its_tasks() -> None:
    inner = a_dag("inner", a_task("make", "make"))
    inner["outputs"] = {
        "parameters": [{"name": "q", "valueFrom": {"parameter": "{{tasks.make.outputs.parameters.p}}!"}}],
        "artifacts": [{"name": "file", "from": "{{tasks.make.outputs.artifacts.data}}"}],
    }
    make = writes("make", "p")
    make["outputs"]["artifacts"] = [{"name": "data", "path": "/tmp/data"}]
    take = a_container("take", "cat", "/in", inputs={"artifacts": [{"name": "file", "path": "/in"}]})
    outer = a_dag(
        "main",
        a_task("inner"),
        a_task("use", "echo", dependencies=["inner"], arguments=arguments(x="{{tasks.inner.outputs.parameters.q}}")),
        a_task(
            "take",
            dependencies=["inner"],
            arguments={"artifacts": [{"name": "file", "from": "{{tasks.inner.outputs.artifacts.file}}"}]},
        ),
    )

    run = Simulation(
        a_workflow(outer, inner, make, take, ECHO), by_task(make=End(parameters={"p": "v"}, artifacts=("data",)))
    ).run()

    assert run.phase == "Succeeded", run.phases()
    assert run.command_of("use") == ["echo", "v!"]
    mounts = run.pod_of("take")["spec"]["containers"][0]["volumeMounts"]
    key = run.node("inner.make")["outputs"]["artifacts"][0]["s3"]["key"]
    assert f"minio/mlpipeline/{key}" in [mount["subPath"] for mount in mounts]
    assert key == f"artifacts/w/2026/01/02/{run.pod_of('inner.make')['metadata']['name']}/data.tgz"


def test_a_missing_output_is_an_error_and_a_default_replaces_it() -> None:
    with_default = writes("make", "p")
    with_default["outputs"]["parameters"][0]["valueFrom"]["default"] = 7

    assert Simulation(a_workflow(with_default)).run().outputs("") == {"p": "7"}
    failed = Simulation(a_workflow(writes("make", "p"))).run()
    assert (failed.phase, "output parameter p" in failed.status["message"]) == ("Error", True)


def test_an_output_of_a_task_that_did_not_run_is_empty_or_the_default() -> None:
    def out(**source: str) -> dict[str, str]:
        main = a_dag("main", a_task("skipped", "make", when="false"))
        source = {"parameter": "{{tasks.skipped.outputs.parameters.p}}", **source}
        main["outputs"] = {"parameters": [{"name": "q", "valueFrom": source}]}
        return Simulation(a_workflow(main, writes("make", "p"))).run().outputs("")

    assert out() == {"q": ""}
    assert out(default="none") == {"q": "none"}


def test_the_retry_strategy_of_a_workflow_is_that_of_templates_without_one() -> None:
    main = a_dag("main", a_task("a", "c"), a_task("own"), failFast=False)
    own = a_container("own", retryStrategy={"limit": 0})
    workflow = a_workflow(main, a_container("c"), own, retryStrategy={"limit": 1})

    run = Simulation(workflow, by_task(a=End(exit_code=1), own=End(exit_code=1))).run()

    assert run.phase == "Failed"
    assert {name: phase for name, phase in run.phases().items() if "(0).a(" in name} == {
        "(0).a(0)": "Failed",
        "(0).a(1)": "Failed",
    }
    assert [name for name in run.phases() if "(0).own(" in name] == ["(0).own(0)"]


def test_labels_of_a_workflow_may_be_computed() -> None:
    metadata = {"labels": {"a": "b"}, "labelsFrom": {"team": {"expression": "upper(workflow.parameters.x)"}}}
    run = Simulation(a_workflow(a_container("c"), arguments=arguments(x="red"), workflowMetadata=metadata))

    assert dict(run.turn().labels).items() >= {("a", "b"), ("team", "RED")}


def test_a_missing_artifact_is_an_error_unless_it_is_optional() -> None:
    def make(optional: bool) -> Object:
        outputs = {"artifacts": [{"name": "a", "path": "/a", "optional": optional}]}
        return a_workflow(a_container("c", "run", outputs=outputs))

    assert Simulation(make(True)).run().phase == "Succeeded"
    assert Simulation(make(False)).run().phase == "Error"


def test_a_template_may_call_itself() -> None:
    loop = a_dag(
        "loop",
        a_task("body", "echo", arguments=arguments(x="{{inputs.parameters.n}}")),
        a_task(
            "again",
            "loop",
            dependencies=["body"],
            when="{{inputs.parameters.n}} > 1",
            arguments=arguments(n="{{=asInt(inputs.parameters.n) - 1}}"),
        ),
        inputs=inputs("n"),
    )

    run = Simulation(a_workflow(loop, ECHO, arguments=arguments(n="4"))).run()

    assert run.phase == "Succeeded"
    assert [pod["spec"]["containers"][0]["command"][1] for pod in run.manifests.values()] == ["4", "3", "2", "1"]


def test_endless_recursion_ends_in_an_error() -> None:
    loop = a_dag("loop", a_task("again", "loop"))

    run = Simulation(a_workflow(loop)).run()

    assert run.phase == "Error"


def test_an_unknown_reference_is_an_error_that_names_it() -> None:
    dag = a_dag("main", a_task("use", "echo", arguments=arguments(x="{{tasks.other.outputs.result}}")))

    run = Simulation(a_workflow(dag, ECHO)).run()

    assert run.phase == "Error"
    assert "tasks.other.outputs.result" in run.node("use")["message"]
