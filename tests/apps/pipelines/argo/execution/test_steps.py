"""Steps, scripts, attempts, exit handlers, pauses, stops, and what is removed."""

from datetime import timedelta

import pytest

from tests.apps.pipelines.argo.simulation import End, Simulation, by_task, template_of
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, arguments, inputs, steps
from windlass.kube.json import Object

ECHO = a_container("echo", "echo", "{{inputs.parameters.x}}", inputs=inputs("x"))
SCRIPT: Object = {"name": "gen", "script": {"image": "python:3.11", "command": ["python3"], "source": "print(7)"}}


def test_groups_of_steps_run_one_after_the_other() -> None:
    main = steps("main", [a_task("a", "c"), a_task("b", "c")], [a_task("d", "c")])

    run = Simulation(a_workflow(main, a_container("c"))).run()

    assert run.phase == "Succeeded"
    assert sorted(run.order[:2]) == ["w[0].a", "w[0].b"]
    assert run.order[2] == "w[1].d"
    root, first, second = run.node(""), run.node("[0]"), run.node("[1]")
    assert (root["type"], root["children"], first["type"]) == ("Steps", [first["id"]], "StepGroup")
    assert all(second["id"] in run.node(f"[0].{name}")["children"] for name in "ab")
    assert root["outboundNodes"] == [run.node("[1].d")["id"]]


def test_the_result_of_a_script_is_its_standard_output() -> None:
    main = steps(
        "main", [a_task("gen")], [a_task("use", "echo", arguments=arguments(x="{{steps.gen.outputs.result}}"))]
    )

    run = Simulation(a_workflow(main, SCRIPT, ECHO), by_task(gen=End(result="7\n"))).run()

    assert run.command_of("[1].use")[-1] == "7"
    assert run.node("[0].gen")["outputs"]["result"] == "7"


def test_results_of_a_loop_are_a_json_list() -> None:
    main = steps(
        "main",
        [a_task("gen", withItems=[1, 2, 3])],
        [a_task("use", "echo", arguments=arguments(x="{{item}}"), withParam="{{steps.gen.outputs.result}}")],
    )

    run = Simulation(
        a_workflow(main, SCRIPT, ECHO), lambda pod: End(result=template_of(pod).partition(":")[2][:-1])
    ).run()

    assert sorted(name for name in run.phases() if name.startswith("[1].use(")) == [
        "[1].use(0:1)",
        "[1].use(1:2)",
        "[1].use(2:3)",
    ]


def test_a_failed_step_ends_the_steps_and_the_workflow() -> None:
    main = steps("main", [a_task("a", "c"), a_task("b", "c")], [a_task("d", "c")])

    run = Simulation(a_workflow(main, a_container("c")), by_task(a=End(exit_code=3))).run()

    assert run.phase == "Failed"
    assert "[1].d" not in run.phases()
    assert run.phases()["[0]"] == "Failed"
    assert run.node("")["message"].startswith("child 'w-")


def test_a_step_that_may_fail_does_not_end_the_steps() -> None:
    main = steps("main", [a_task("a", "c", continueOn={"failed": True})], [a_task("d", "c", when="1 < 2")])

    run = Simulation(a_workflow(main, a_container("c")), by_task(a=End(exit_code=3))).run()

    assert (run.phase, run.phases()["[1].d"]) == ("Succeeded", "Succeeded")


# --- attempts


def test_a_failed_container_is_tried_again_up_to_the_limit() -> None:
    template = a_container("c", retryStrategy={"limit": "2"})

    run = Simulation(a_workflow(template), lambda pod: End(exit_code=1)).run()

    assert run.phases() == {"": "Failed", "(0)": "Failed", "(1)": "Failed", "(2)": "Failed"}
    assert (run.node("")["type"], run.node("")["message"]) == ("Retry", "No more retries left")
    assert len(run.node("")["children"]) == 3


def test_an_attempt_that_succeeds_ends_the_retries_and_hands_on_its_outputs() -> None:
    outputs = {"parameters": [{"name": "p", "valueFrom": {"path": "/p"}}]}
    make = a_container("make", "run", "{{retries}}", retryStrategy={"limit": 5}, outputs=outputs)
    use = a_task("use", "echo", dependencies=["make"], arguments=arguments(x="{{tasks.make.outputs.parameters.p}}"))
    ends = iter([End(exit_code=1), End(exit_code=1), End(parameters={"p": "third"}), End()])

    run = Simulation(a_workflow(a_dag("main", a_task("make"), use), make, ECHO), lambda pod: next(ends)).run()

    assert run.phase == "Succeeded"
    assert run.command_of("use")[-1] == "third"
    assert run.command_of("make(2)")[-1] == "2"


def test_attempts_wait_longer_and_longer() -> None:
    backoff = {"duration": "10", "factor": 2, "maxDuration": "1h"}
    run = Simulation(
        a_workflow(a_container("c", retryStrategy={"limit": 3, "backoff": backoff})), lambda pod: End(exit_code=1)
    )
    started = run.now

    run.run()

    assert run.now - started >= timedelta(seconds=10 + 20 + 40)


def test_attempts_end_when_they_take_too_long() -> None:
    backoff = {"duration": "1m", "factor": 2, "maxDuration": "2m"}

    run = Simulation(
        a_workflow(a_container("c", retryStrategy={"limit": 9, "backoff": backoff})), lambda pod: End(exit_code=1)
    ).run()

    assert run.node("")["message"] == "Max duration limit exceeded"
    assert len(run.node("")["children"]) == 2


@pytest.mark.parametrize(
    ("strategy", "attempts"),
    [
        ({"limit": 2, "retryPolicy": "OnError"}, 1),
        ({"limit": 2, "expression": "asInt(lastRetry.exitCode) == 42"}, 3),
        ({"limit": 2, "expression": "asInt(lastRetry.exitCode) != 42"}, 1),
        ({"limit": "{{workflow.parameters.n}}"}, 2),
    ],
)
def test_policy_and_expression_decide_about_another_attempt(strategy: Object, attempts: int) -> None:
    workflow = a_workflow(a_container("c", retryStrategy=strategy), arguments=arguments(n="1"))

    run = Simulation(workflow, lambda pod: End(exit_code=42)).run()

    assert len(run.node("")["children"]) == attempts


def test_a_graph_is_tried_again_as_a_whole() -> None:
    dag = a_dag("main", a_task("a", "c"), a_task("b", "c", dependencies=["a"]), retryStrategy={"limit": 1})
    ends = iter([End(), End(exit_code=1), End(), End()])

    run = Simulation(a_workflow(dag, a_container("c")), lambda pod: next(ends)).run()

    assert run.phase == "Succeeded"
    assert run.phases()["(1).b"] == "Succeeded"


# --- the end of a workflow


@pytest.mark.parametrize(("exit_code", "status"), [(0, "Succeeded"), (1, "Failed")])
def test_the_exit_handler_runs_last_and_knows_how_the_workflow_ended(exit_code: int, status: str) -> None:
    bye = a_container("bye", "echo", "{{workflow.status}}", "{{workflow.failures}}", "{{workflow.duration}}")

    run = Simulation(
        a_workflow(a_container("main"), bye, onExit="bye"),
        lambda pod: End(exit_code=0 if template_of(pod) == "onExit" else exit_code),
    ).run()

    assert run.phase == status
    assert run.command_of("onExit")[1] == status
    assert ("exit code 1" in run.command_of("onExit")[2]) == bool(exit_code)
    assert float(run.command_of("onExit")[3]) >= 0


def test_a_failed_exit_handler_fails_the_workflow() -> None:
    run = Simulation(
        a_workflow(a_container("main"), a_container("bye"), onExit="bye"), by_task(onExit=End(exit_code=1))
    ).run()

    assert run.phase == "Failed"


def test_a_terminated_workflow_ends_at_once_without_its_exit_handler() -> None:
    dag = a_dag("main", a_task("a", "c"), a_task("b", "c", dependencies=["a"]))
    run = Simulation(a_workflow(dag, a_container("c"), onExit="c"))
    run.turn()
    run.workflow["spec"]["shutdown"] = "Terminate"

    made = run.turn()

    assert (run.phase, run.phases()) == ("Failed", {"": "Failed", "a": "Failed"})
    assert list(made.deletes) == [run.pod_of("a")["metadata"]["name"]]
    assert run.status["message"] == "workflow shutdown with strategy: Terminate"


def test_a_stopped_workflow_runs_its_exit_handler() -> None:
    run = Simulation(a_workflow(a_container("main"), a_container("bye"), onExit="bye"))
    run.turn()
    run.workflow["spec"]["shutdown"] = "Stop"

    run.run()

    assert (run.phase, run.phases()["onExit"]) == ("Failed", "Succeeded")


@pytest.mark.parametrize("seconds", [0, 30])
def test_a_deadline_ends_a_workflow(seconds: int) -> None:
    run = Simulation(a_workflow(a_container("main"), activeDeadlineSeconds=seconds))
    run.turn()
    run.now += timedelta(seconds=31)

    run.turn()

    assert run.phase == "Failed"
    assert not run.pods


def test_a_step_ends_at_its_timeout() -> None:
    run = Simulation(a_workflow(a_container("main", timeout="10s")))
    made = run.turn()
    assert made.wake_at is not None
    run.now += timedelta(seconds=11)

    run.turn()

    assert (run.phase, run.status["message"]) == ("Failed", "Step exceeded its deadline")


def test_nothing_starts_while_a_workflow_is_suspended() -> None:
    run = Simulation(a_workflow(a_container("main"), suspend=True))

    assert not run.turn().creates
    run.workflow["spec"]["suspend"] = False
    assert run.run().phase == "Succeeded"


def test_a_pause_ends_after_its_duration() -> None:
    main = steps("main", [a_task("wait")], [a_task("c")])
    run = Simulation(a_workflow(main, {"name": "wait", "suspend": {"duration": "20s"}}, a_container("c")))
    started = run.now

    run.run()

    assert (run.phase, run.node("[0].wait")["type"]) == ("Succeeded", "Suspend")
    assert run.now - started >= timedelta(seconds=20)


def test_a_user_ends_a_pause_and_supplies_values() -> None:
    wait = {
        "name": "wait",
        "suspend": {},
        "outputs": {
            "parameters": [
                {"name": "answer", "globalName": "given", "valueFrom": {"supplied": {}}},
                {"name": "other", "valueFrom": {"supplied": {}, "default": "no"}},
            ]
        },
    }
    use = a_task(
        "use",
        "echo",
        arguments=arguments(x="{{steps.wait.outputs.parameters.answer}} {{steps.wait.outputs.parameters.other}}"),
    )
    run = Simulation(a_workflow(steps("main", [a_task("wait")], [use]), wait, ECHO))
    run.turn()
    assert run.turn().wake_at is None
    node = run.node("[0].wait")
    assert node["phase"] == "Running"

    node["phase"] = "Succeeded"
    node["outputs"]["parameters"][0]["value"] = "yes"
    run.run()

    assert run.command_of("[1].use")[-1] == "yes no"
    assert run.status["outputs"]["parameters"] == [{"name": "given", "value": "yes"}]


@pytest.mark.parametrize(
    ("strategy", "left"),
    [("OnPodCompletion", 0), ("OnPodSuccess", 1), ("OnWorkflowCompletion", 0), ("OnWorkflowSuccess", 2)],
)
def test_pods_are_removed_when_the_workflow_says_so(strategy: str, left: int) -> None:
    main = steps("main", [a_task("a", "c")], [a_task("b", "c")])
    run = Simulation(
        a_workflow(main, a_container("c"), podGC={"strategy": strategy}), by_task(b=End(exit_code=1))
    ).run()

    run.turn()

    assert len(run.pods) == left


def test_only_pods_with_the_labels_of_the_policy_are_removed() -> None:
    main = steps("main", [a_task("a", "c"), a_task("b", "d")])
    policy = {"strategy": "OnPodCompletion", "labelSelector": {"matchLabels": {"keep": "no"}}}
    run = Simulation(
        a_workflow(main, a_container("c", metadata={"labels": {"keep": "no"}}), a_container("d"), podGC=policy)
    ).run()

    run.turn()

    assert [run.manifests[name]["metadata"]["labels"].get("keep") for name in run.pods] == [None]


def test_a_budget_protects_the_pods_of_a_workflow_while_it_runs() -> None:
    run = Simulation(a_workflow(a_container("c"), podDisruptionBudget={"minAvailable": 1}))

    (budget,) = run.turn().objects
    run.run()
    after = run.turn()

    assert (budget["kind"], budget["metadata"]["name"]) == ("PodDisruptionBudget", "w")
    assert budget["spec"] == {"minAvailable": 1, "selector": {"matchLabels": {"workflows.argoproj.io/workflow": "w"}}}
    assert (after.objects, after.budget_deletes) == ((), ["w"])


def test_metadata_of_the_spec_is_that_of_the_workflow() -> None:
    given = {"labels": {"team": "a", "workflows.argoproj.io/phase": "mine"}, "annotations": {"note": "b"}}
    run = Simulation(a_workflow(a_container("c"), workflowMetadata=given))

    made = run.turn()

    assert made.labels == {"team": "a", "workflows.argoproj.io/phase": "Running"}
    assert made.annotations == {"note": "b"}


def test_a_finished_workflow_expires() -> None:
    run = Simulation(a_workflow(a_container("c"), ttlStrategy={"secondsAfterSuccess": 60})).run()

    assert not run.turn().is_expired
    assert run.last is not None
    assert run.last.wake_at is not None
    run.now += timedelta(seconds=61)
    assert run.turn().is_expired


def test_a_retry_keeps_what_has_succeeded_and_runs_the_rest_again() -> None:
    dag = a_dag("main", a_task("a", "c"), a_task("b", "c", dependencies=["a"]), a_task("d", "c", dependencies=["b"]))
    run = Simulation(
        a_workflow(dag, a_container("c"), a_container("bye"), onExit="bye"), by_task(b=End(exit_code=1))
    ).run()
    assert run.phases() == {"": "Failed", "a": "Succeeded", "b": "Failed", "d": "Omitted", "onExit": "Succeeded"}

    run.behaviour = by_task()
    run.workflow["metadata"]["annotations"] = {"pipelines.windlass.dev/retries": "1"}
    run.run()

    assert run.phase == "Succeeded"
    assert run.order == ["w.a", "w.b", "w.onExit", "w.b", "w.d", "w.onExit"]


def test_a_retry_is_noted_only_once_the_workflow_is_over() -> None:
    run = Simulation(a_workflow(a_container("c")))
    run.turn()
    run.workflow["metadata"]["annotations"] = {"pipelines.windlass.dev/retries": "1"}

    assert not run.turn().deletes


def test_a_pod_that_vanishes_while_it_runs_is_an_error() -> None:
    run = Simulation(a_workflow(a_container("c")))
    run.turn()
    (name,) = run.pods
    run.pods[name] = type(run.pods[name])(name=name, phase="Running")
    run.turn()
    run.pods.clear()

    run.turn()

    assert (run.phase, run.status["message"]) == ("Error", "pod deleted")


# --- templates of other objects


def test_templates_of_a_workflow_template_are_called_and_call_each_other() -> None:
    library = {"templates": [steps("outer", [a_task("inner", "own")]), a_container("own", "from-library")]}
    reference = {"name": "lib", "template": "outer"}
    dag = a_dag("main", a_task("x", templateRef=reference), a_task("y", "own"))

    run = Simulation(a_workflow(dag, a_container("own", "local")), templates={("lib", False): library}).run()

    assert run.phase == "Succeeded"
    assert run.command_of("x[0].inner") == ["from-library"]
    assert run.command_of("y") == ["local"]


def test_a_workflow_of_a_template_reference_takes_its_own_arguments() -> None:
    template = a_workflow(ECHO, arguments=arguments(x="default", y="1"))["spec"]
    workflow = a_workflow(ECHO)
    workflow["spec"] = {"workflowTemplateRef": {"name": "t", "clusterScope": True}, "arguments": arguments(x="mine")}

    run = Simulation(workflow, templates={("t", True): template}).run()

    assert run.command_of("") == ["echo", "mine"]


def test_a_missing_workflow_template_is_an_error_that_names_it() -> None:
    workflow = a_workflow(ECHO)
    workflow["spec"] = {"workflowTemplateRef": {"name": "t"}}

    run = Simulation(workflow).run()

    assert (run.phase, run.status["message"]) == ("Error", "the WorkflowTemplate 't' does not exist")


END = End(parameters={"p": "v"}, artifacts=("a",))


def test_an_output_with_a_global_name_is_known_to_the_whole_workflow() -> None:
    outputs = {
        "parameters": [{"name": "p", "valueFrom": {"path": "/p"}, "globalName": "best"}],
        "artifacts": [{"name": "a", "path": "/a", "globalName": "file", "archive": {"none": {}}}],
    }
    inner = steps("inner", [a_task("make")])
    use = a_task("use", "echo", arguments=arguments(x="{{workflow.outputs.parameters.best}}"))
    main = steps("main", [a_task("inner")], [use])
    make = a_container("make", "run", outputs=outputs)

    run = Simulation(a_workflow(main, inner, make, ECHO), by_task(make=END)).run()

    assert run.command_of("[1].use")[-1] == "v", run.phases()
    (file,) = run.status["outputs"]["artifacts"]
    assert run.status["outputs"]["parameters"] == [{"name": "best", "value": "v"}]
    assert (file["name"], file["archive"], file.keys()) == ("file", {"none": {}}, {"name", "s3", "archive"})


def test_a_template_may_be_written_in_place() -> None:
    inline = {"container": {"image": "i", "command": ["echo", "{{inputs.parameters.x}}"]}, "inputs": inputs("x")}
    task = {"name": "a", "inline": inline, "arguments": arguments(x="in place")}
    defaults = {"nodeSelector": {"disk": "ssd"}}

    run = Simulation(a_workflow(a_dag("main", task), templateDefaults=defaults)).run()

    assert run.command_of("a") == ["echo", "in place"]
    assert run.pod_of("a")["spec"]["nodeSelector"] == {"disk": "ssd"}


def test_a_workflow_keeps_to_the_templates_with_which_it_started() -> None:
    library = {("lib", False): {"templates": [a_container("own", "first")]}}
    call: Object = {"templateRef": {"name": "lib", "template": "own"}}
    main = steps("main", [a_task("a", **call)], [a_task("b", **call)])
    run = Simulation(a_workflow(main), templates=dict(library))
    run.turn()

    run.templates.clear()
    run.run()

    assert run.phase == "Succeeded"
    assert run.command_of("[1].b") == ["first"]


@pytest.mark.parametrize("is_cluster", [False, True])
def test_a_tag_may_name_the_workflow_template_of_a_step(is_cluster: bool) -> None:
    """One that only a tag names is looked up when the step starts, and kept for later turns."""
    inner: Object = {"templateRef": {"name": "more", "template": "c", "clusterScope": is_cluster}}
    library = {"templates": [steps("run", [a_task("x", **inner)])]}
    reference = {"name": "{{workflow.parameters.lib}}", "template": "run", "clusterScope": is_cluster}
    main = steps("main", [a_task("first", "c"), a_task("a", templateRef=reference)], [a_task("last", "c")])
    unmentioned = {("lib", is_cluster): library, ("more", is_cluster): {"templates": [a_container("c")]}}

    run = Simulation(a_workflow(main, a_container("c"), arguments=arguments(lib="lib")), unmentioned=unmentioned)
    run.turn()
    run.unmentioned = {}
    run.run()

    assert (run.phase, run.phases()["[0].a[0].x"]) == ("Succeeded", "Succeeded")
    scope = "cluster" if is_cluster else "namespaced"
    assert set(run.status["storedWorkflowTemplateSpecs"]) == {f"{scope}/lib", f"{scope}/more"}


def test_a_tag_that_names_no_workflow_template_is_an_error() -> None:
    main = steps("main", [a_task("a", templateRef={"name": "{{workflow.parameters.lib}}", "template": "run"})])

    run = Simulation(a_workflow(main, arguments=arguments(lib="none"))).run()

    assert run.phase == "Error"
    assert run.node("[0].a")["message"] == "the WorkflowTemplate 'none' does not exist"
