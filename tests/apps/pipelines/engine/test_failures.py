"""What a failure means for the tasks around it, exit tasks, and the state of the run."""

from typing import Any

import pytest

from tests.apps.pipelines.engine.world import Behaviour, Failure, World, constant, failing, run
from tests.apps.pipelines.specs import (
    PLAIN,
    TEXT,
    container,
    dag,
    exit_task,
    given,
    loop,
    out,
    pipeline,
    status_of,
    task,
)
from windlass.apps.pipelines.engine import events
from windlass.apps.pipelines.engine.states import INTERNAL, INVALID_ARGUMENT
from windlass.apps.pipelines.model import RunState, TaskState, TaskType

Json = dict[str, Any]
FINAL = container(inputs={"status": "TASK_FINAL_STATUS"})
FAIL = failing(Failure())
STRATEGY = "ALL_UPSTREAM_TASKS_COMPLETED"


def guarded(body: dict[str, Json], **components: Any) -> Json:
    """An exit handler around tasks, and an exit task that sees its status."""
    return pipeline(
        dag(
            {
                "exit-handler-1": task("exit-handler-1"),
                "final": exit_task("final", "exit-handler-1", status=status_of("exit-handler-1")),
            }
        ),
        exit_handler_1=dag(body),
        final=FINAL,
        plain=PLAIN,
        text=TEXT,
        **components,
    )


def test_a_failed_task_fails_its_dag_and_the_run() -> None:
    spec = pipeline(dag({"inner": task("inner")}), inner=dag({"a": task("plain")}), plain=PLAIN)

    world = run(spec, {"a": FAIL})

    assert world.states == [RunState.RUNNING, RunState.FAILED]
    assert world.paths(TaskState.FAILED) == {"root", "inner", "inner.a"}
    assert world.run.error is not None
    assert world.run.error.code == INTERNAL
    assert world.run.error.message == "inner.a: The container failed with exit code 1"


def test_after_a_failure_no_new_task_of_the_dag_starts_and_running_ones_finish() -> None:
    spec = pipeline(
        dag(
            {
                "a": task("plain"),
                "b": task("plain"),
                "after-a": task("plain", after=("a",)),
                "after-b": task("plain", after=("b",)),
            }
        ),
        plain=PLAIN,
    )

    world = run(spec, {"a": FAIL})

    assert world.started == ["root.a", "root.b"]
    assert world.shown() == {
        "root": "FAILED", "a": "FAILED", "b": "COMPLETE", "after-a": "CANCELED", "after-b": "CANCELED",
    }  # fmt: skip


def test_without_fail_fast_only_what_depends_on_the_failure_is_skipped() -> None:
    spec = pipeline(
        dag(
            {
                "a": task("plain"),
                "b": task("plain"),
                "after-a": task("plain", after=("a",)),
                "after-b": task("plain", after=("b",)),
            }
        ),
        plain=PLAIN,
    )

    world = run(spec, {"a": FAIL}, run_fields={"is_fail_fast": False})

    assert world.run.state is RunState.FAILED
    assert world.task("after-a").state is TaskState.CANCELED
    assert world.task("after-b").state is TaskState.COMPLETE


def test_an_exit_task_sees_the_failure_and_its_error_and_the_run_fails() -> None:
    world = run(guarded({"a": task("plain"), "b": task("plain", after=("a",))}), {"a": FAIL})

    assert world.run.state is RunState.FAILED
    assert world.task("final").state is TaskState.COMPLETE
    assert world.task("exit-handler-1").type is TaskType.EXIT_HANDLER
    assert world.task("final").inputs.parameters["status"] == {
        "state": "FAILED",
        "pipelineJobResourceName": "example-abcde",
        "pipelineTaskName": "exit-handler-1",
        "error": {"code": INTERNAL, "message": "a: The container failed with exit code 1"},
    }


def test_an_exit_task_sees_that_a_body_with_a_loop_is_complete() -> None:
    body = {"a": task("plain"), "each": loop("each", [1, 2])}

    world = run(guarded(body, each=dag({"b": task("plain")}, inputs={"item": "STRING"})))

    assert world.run.state is RunState.SUCCEEDED
    status = world.task("final").inputs.parameters["status"]
    assert (status["state"], status["error"]) == ("COMPLETE", {})
    assert world.started[-1] == "root.final"


@pytest.mark.parametrize(
    ("condition", "state"),
    [("inputs.parameter_values['msg'] == 'y'", "CANCELED"), ("inputs.parameter_values['msg'] == 'x'", "COMPLETE")],
)
def test_an_exit_task_sees_a_task_that_was_not_triggered(condition: str, state: str) -> None:
    spec = pipeline(
        dag({"a": task("text", condition=condition, msg="x"), "final": exit_task("final", "a", status=status_of("a"))}),
        text=TEXT,
        final=FINAL,
    )

    world = run(spec, {"a": constant("x")})

    assert world.run.state is RunState.SUCCEEDED
    assert world.task("final").inputs.parameters["status"]["state"] == state


def test_an_exit_task_waits_for_what_still_runs_in_the_failed_body() -> None:
    world = World(guarded({"a": task("plain"), "b": task("plain")}), behaviours={"a": FAIL})
    world.turn()
    world.end_pod("root.exit-handler-1.a-0")

    assert list(world.pods) == ["root.exit-handler-1.b-0"]

    world.end_pod("root.exit-handler-1.b-0")

    assert list(world.pods) == ["root.final-0"]


def test_a_failing_exit_task_fails_the_run() -> None:
    assert run(guarded({"a": task("plain")}), {"final": FAIL}).run.state is RunState.FAILED


def test_a_task_that_ignores_failures_runs_with_its_default_and_so_does_what_follows_it() -> None:
    optional = {"parameterType": "STRING", "isOptional": True}
    spec = pipeline(
        dag(
            {
                "a": task("text", msg="x"),
                "ignoring": task("opt", strategy=STRATEGY, msg=out("a")),
                "next": task("text", msg=out("ignoring")),
                "other": task("text", msg=out("a")),
                "both": task("plain", after=("next", "other")),
            }
        ),
        text=TEXT,
        plain=PLAIN,
        opt=container(inputs={"msg": optional}, outputs={"Output": "STRING"}),
    )

    world = run(spec, {"a": FAIL, "ignoring": constant("i"), "next": constant("n")})

    assert world.run.state is RunState.FAILED
    assert world.task("ignoring").inputs.parameters == {}
    assert world.task("next").inputs.parameters == {"msg": "i"}
    assert world.paths(TaskState.CANCELED) == {"other", "both"}


def test_a_task_that_ignores_failures_needs_a_value_for_a_required_input() -> None:
    spec = pipeline(
        dag({"a": task("text", msg="x"), "ignoring": task("text", strategy=STRATEGY, msg=out("a"))}), text=TEXT
    )

    world = run(spec, {"a": FAIL})

    assert world.started == ["root.a"]
    error = world.task("ignoring").error
    assert error is not None
    assert (error.code, error.message) == (INVALID_ARGUMENT, "input msg: task a has no output Output")


def test_a_failed_iteration_stops_the_loop_from_starting_others() -> None:
    spec = pipeline(
        dag({"each": loop("each", [0, 1, 2, 3, 4], limit=2)}),
        each=dag({"a": task("a", n=given("item"))}, inputs={"item": "NUMBER_INTEGER"}),
        a=container(inputs={"n": "NUMBER_INTEGER"}),
    )
    behaviours: dict[str, Behaviour] = {"a": lambda inputs: Failure() if inputs["n"] == 1 else {}}

    stopped = World(spec, behaviours=behaviours).run_to_end(choose=lambda names: names[-1])
    complete = run(spec, behaviours, run_fields={"is_fail_fast": False})

    assert stopped.started == ["root.each.0.a", "root.each.1.a"]
    assert len(complete.started) == 5
    assert stopped.run.state is complete.run.state is RunState.FAILED
    assert stopped.run.error is not None
    assert stopped.run.error.message == "each.1.a: The container failed with exit code 1"
    assert complete.outputs("each") == {}


def test_the_first_failure_is_the_error_of_the_run() -> None:
    spec = pipeline(dag({"a": task("plain"), "b": task("plain")}), plain=PLAIN)
    world = World(spec, behaviours={"a": failing(Failure("first")), "b": failing(Failure("second"))})
    world.turn()
    world.end_pod("root.b-0")
    world.now += 1
    world.end_pod("root.a-0")

    assert world.run.error is not None
    assert world.run.error.message == "b: second"


def test_an_output_that_the_container_did_not_write_fails_the_task() -> None:
    world = run(pipeline(dag({"a": task("text", msg="x")}), text=TEXT), {"a": lambda _: {}})

    assert world.run.error is not None
    assert world.run.error.message == "a: output parameter Output was not written by the container"


def test_a_run_whose_specification_is_broken_fails_with_the_reason() -> None:
    world = World(pipeline(dag({"a": task("none")})))
    world.turn()
    world.turn()

    assert world.states == [RunState.FAILED]
    assert world.run.error is not None
    assert "comp-none" in world.run.error.message
    assert world.engine.outstanding() == []


@pytest.mark.parametrize("parameters", [{}, {"p": None}, {"p": 3}])
def test_a_run_without_its_parameters_fails_where_they_are_needed(parameters: Json) -> None:
    spec = pipeline(
        dag({"a": task("number", n=given("p"))}, inputs={"p": "LIST"}), number=container(inputs={"n": "LIST"})
    )

    world = World(spec, parameters=parameters).run_to_end()

    assert world.run.state is RunState.FAILED
    assert world.started == []


def test_events_for_unknown_tasks_are_ignored() -> None:
    world = World(pipeline(dag({"a": task("plain")}), plain=PLAIN))
    world.turn()

    turn = world.engine.turn([events.PodFailed(task_id="other", message="x"), events.PodStarted(task_id="other")], 1.0)

    assert (turn.effects, turn.tasks, turn.run_state) == ([], [], None)
