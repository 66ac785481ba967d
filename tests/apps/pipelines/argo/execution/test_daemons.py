"""Daemons: ready pods on which later steps depend, stopped with the steps or the graph that started them."""

from dataclasses import replace

from tests.apps.pipelines.argo.simulation import End, Simulation
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, arguments, inputs, steps
from windlass.kube.json import Object

SERVER = a_container("server", "serve", daemon=True)
ECHO = a_container("echo", "echo", "{{inputs.parameters.x}}", inputs=inputs("x"))


def make_ready(run: Simulation) -> str:
    """The only pod becomes ready."""
    (pod,) = run.active_pods()
    run.pods[pod] = replace(run.pods[pod], phase="Running", is_ready=True, ip="10.0.0.7")
    return pod


def started(*templates: Object) -> tuple[Simulation, str]:
    run = Simulation(a_workflow(*templates))
    run.turn()
    pod = make_ready(run)
    run.turn()
    return run, pod


def test_steps_continue_once_the_daemon_is_ready_and_stop_it_at_their_end() -> None:
    main = steps("main", [a_task("d", "server")], [a_task("e", "echo", arguments=arguments(x="{{steps.d.ip}}"))])
    run, daemon = started(main, SERVER, ECHO)

    assert run.command_of("[1].e") == ["echo", "10.0.0.7"]
    assert (run.node("[0].d")["phase"], run.node("[0].d")["daemoned"]) == ("Running", True)

    run.end_pod(next(pod for pod in run.active_pods() if pod != daemon))
    run.turn()

    assert run.phase == "Succeeded"
    assert daemon not in run.pods
    assert run.node("[0].d")["phase"] == "Succeeded"
    assert "daemoned" not in run.node("[0].d")


def test_a_daemon_that_is_not_ready_is_waited_for() -> None:
    main = a_dag("main", a_task("d", "server"), a_task("e", "echo", dependencies=["d"], arguments=arguments(x="1")))
    run = Simulation(a_workflow(main, SERVER, ECHO))
    run.turn()
    (pod,) = run.active_pods()
    run.pods[pod] = replace(run.pods[pod], phase="Running")
    run.turn()

    assert run.order == ["w.d"]


def test_tasks_may_depend_on_a_daemon_with_attempts() -> None:
    server = a_container("server", "serve", daemon=True, retryStrategy={"limit": 1})
    main = a_dag(
        "main",
        a_task("d", "server"),
        a_task("e", "echo", depends="d.Daemoned", arguments=arguments(x="{{tasks.d.ip}}")),
    )
    run, daemon = started(main, server, ECHO)

    assert run.command_of("e") == ["echo", "10.0.0.7"]

    run.end_pod(next(pod for pod in run.active_pods() if pod != daemon))
    run.turn()

    assert (run.phase, run.node("d")["phase"], run.node("d(0)")["phase"]) == ("Succeeded",) * 3
    assert daemon not in run.pods


def test_a_daemon_that_fails_is_shown_and_the_steps_that_use_it_decide() -> None:
    main = steps("main", [a_task("d", "server")], [a_task("e", "echo", arguments=arguments(x="1"))])
    run, daemon = started(main, SERVER, ECHO)
    run.behaviour = lambda pod: End(exit_code=int(pod["metadata"]["name"] == daemon))

    run.end_pod(daemon)

    assert run.run().phase == "Succeeded"
    assert run.node("[0].d")["phase"] == "Failed"


def test_a_stopped_workflow_stops_its_daemons() -> None:
    main = steps("main", [a_task("d", "server")], [a_task("e", "echo", arguments=arguments(x="1"))])
    run, _ = started(main, SERVER, ECHO)
    run.workflow["spec"]["shutdown"] = "Terminate"

    assert run.run().phase == "Failed"
    assert run.pods == {}
