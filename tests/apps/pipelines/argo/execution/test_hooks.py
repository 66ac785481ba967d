"""Hooks of tasks, steps and Workflows."""

import pytest

from tests.apps.pipelines.argo.simulation import End, Simulation, by_task
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, arguments, inputs, steps

ECHO = a_container("echo", "echo", "{{inputs.parameters.x}}", inputs=inputs("x"))


def test_an_exit_hook_runs_after_its_task_and_before_what_depends_on_it() -> None:
    hook = {"template": "echo", "arguments": arguments(x="{{tasks.a.status}}")}
    dag = a_dag("main", a_task("a", "c", hooks={"exit": hook}), a_task("b", "c", dependencies=["a"]))

    run = Simulation(a_workflow(dag, a_container("c"), ECHO)).run()

    assert run.order == ["w.a", "w.a.onExit", "w.b"]
    assert run.command_of("a.onExit") == ["echo", "Succeeded"]
    assert run.node("a.onExit")["id"] in run.node("a")["children"]


def test_an_exit_hook_runs_after_a_failure_too() -> None:
    dag = a_dag("main", a_task("a", "c", onExit="bye"))

    run = Simulation(a_workflow(dag, a_container("c"), a_container("bye")), by_task(a=End(exit_code=1))).run()

    assert (run.phase, run.phases()["a.onExit"]) == ("Failed", "Succeeded")


def test_a_hook_runs_once_its_expression_holds() -> None:
    hooks = {
        "failed": {"template": "c", "expression": "tasks.a.status == 'Failed'"},
        "succeeded": {"template": "c", "expression": "tasks.a.status == 'Succeeded'"},
    }
    dag = a_dag("main", a_task("a", "c", hooks=hooks))

    run = Simulation(a_workflow(dag, a_container("c"))).run()

    assert run.order == ["w.a", "w.a.hooks.succeeded"]
    assert run.phase == "Succeeded"


def test_a_failed_hook_fails_the_graph() -> None:
    dag = a_dag("main", a_task("a", "c", onExit="bye"))

    run = Simulation(a_workflow(dag, a_container("c"), a_container("bye")), by_task(onExit=End(exit_code=1))).run()

    assert run.phase == "Failed"


def test_hooks_of_steps_run_within_their_group() -> None:
    main = steps("main", [a_task("a", "c", onExit="bye")], [a_task("b", "c")])

    run = Simulation(a_workflow(main, a_container("c"), a_container("bye"))).run()

    assert run.order == ["w[0].a", "w[0].a.onExit", "w[1].b"]


def test_the_exit_hook_of_a_workflow_is_its_exit_handler() -> None:
    hook = {"template": "echo", "arguments": arguments(x="{{workflow.status}}")}

    run = Simulation(a_workflow(a_container("c"), ECHO, hooks={"exit": hook})).run()

    assert run.command_of("onExit") == ["echo", "Succeeded"]


def test_the_exit_hook_of_a_workflow_may_have_a_condition() -> None:
    hook = {"template": "c", "expression": 'workflow.status == "Failed"'}

    run = Simulation(a_workflow(a_container("c"), hooks={"exit": hook})).run()

    assert (run.phase, run.order) == ("Succeeded", ["w"])


@pytest.mark.parametrize("shutdown", ["Stop", "Terminate"])
def test_a_stopped_workflow_does_not_wait_for_hooks(shutdown: str) -> None:
    dag = a_dag("main", a_task("a", "c", onExit="bye"))
    run = Simulation(a_workflow(dag, a_container("c"), a_container("bye")))
    run.turn()
    run.workflow["spec"]["shutdown"] = shutdown

    assert run.run().phase == "Failed"


def test_a_bad_expression_is_an_error() -> None:
    hooks = {"odd": {"template": "c", "expression": "what is this"}}
    dag = a_dag("main", a_task("a", "c", hooks=hooks))

    assert Simulation(a_workflow(dag, a_container("c"))).run().phase == "Error"


def test_hooks_of_a_workflow_run_while_it_runs_and_at_its_end() -> None:
    hooks = {
        "running": {"template": "c", "expression": "workflow.status == 'Running'"},
        "failed": {"template": "echo", "expression": "workflow.status == 'Failed'", "arguments": arguments(x="bad")},
        "succeeded": {"template": "c", "expression": "workflow.status == 'Succeeded'"},
        "exit": {"template": "echo", "arguments": arguments(x="{{workflow.status}}")},
    }
    main = a_container("main", "false")

    run = Simulation(a_workflow(main, a_container("c"), ECHO, hooks=hooks), by_task(w=End(exit_code=1))).run()

    assert sorted(run.order) == ["w", "w.hooks.failed", "w.hooks.running", "w.onExit"]
    assert run.order[-1] == "w.onExit"
    assert run.command_of("hooks.failed") == ["echo", "bad"]
    assert run.phase == "Failed"


def test_a_failed_hook_of_a_workflow_does_not_fail_it() -> None:
    hooks = {"running": {"template": "c", "expression": "workflow.status == 'Running'"}}

    run = Simulation(a_workflow(a_container("main"), a_container("c"), hooks=hooks), by_task(running=End(exit_code=1)))

    assert run.run().phase == "Succeeded"
    assert run.phases()["hooks.running"] == "Failed"


def test_a_terminated_workflow_starts_no_hooks() -> None:
    hooks = {"failed": {"template": "c", "expression": "workflow.status == 'Failed'"}}
    run = Simulation(a_workflow(a_container("main"), a_container("c"), hooks=hooks))
    run.turn()
    run.workflow["spec"]["shutdown"] = "Terminate"

    assert run.run().phase == "Failed"
    assert run.order == ["w"]
