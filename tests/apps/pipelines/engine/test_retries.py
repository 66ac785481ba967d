"""Attempts by `retryPolicy`, and the retry of a whole run."""

from typing import Any

import pytest

from tests.apps.pipelines.engine.world import Failure, World, constant, failing
from tests.apps.pipelines.specs import (
    PLAIN,
    TEXT,
    cached,
    container,
    dag,
    exit_task,
    given,
    loop,
    out,
    pipeline,
    retried,
    status_of,
    task,
)
from windlass.apps.pipelines.engine import events
from windlass.apps.pipelines.engine.retries import MAX_WAIT_SECONDS, next_attempt_at
from windlass.apps.pipelines.executor.task_outputs import ContainerOutputs
from windlass.apps.pipelines.ir.spec import RetryPolicy
from windlass.apps.pipelines.model import RunState, TaskState

Json = dict[str, Any]
RESTARTS = pytest.mark.parametrize("restarts", [False, True])


@pytest.mark.parametrize(
    ("policy", "failures", "at"),
    [
        (RetryPolicy(), 1, None),
        (RetryPolicy(max_retry_count=2), 1, 100.0),
        (RetryPolicy(max_retry_count=2), 2, 100.0),
        (RetryPolicy(max_retry_count=2), 3, None),
        (RetryPolicy(max_retry_count=9, backoff_duration="1s"), 1, 101.0),
        (RetryPolicy(max_retry_count=9, backoff_duration="1s"), 3, 104.0),
        (RetryPolicy(max_retry_count=9, backoff_duration="1.5s", backoff_factor=3.0), 2, 104.5),
        (RetryPolicy(max_retry_count=9, backoff_duration="10s", backoff_max_duration="60s"), 1, 110.0),
        (RetryPolicy(max_retry_count=9, backoff_duration="20s", backoff_max_duration="60s"), 1, None),
        (RetryPolicy(max_retry_count=9999, backoff_duration="1s"), 5000, 100.0 + MAX_WAIT_SECONDS),
        (RetryPolicy(max_retry_count=9999), 5000, 100.0),
    ],
)
def test_the_back_off_grows_and_ends(policy: RetryPolicy, failures: int, at: float | None) -> None:
    assert next_attempt_at(policy, failures, first_start=50.0, now=100.0) == at


@RESTARTS
def test_a_task_that_fails_twice_runs_in_three_pods_with_waits_between_them(restarts: bool) -> None:
    spec = pipeline(dag({"a": retried(task("plain"), 3, "1s"), "b": task("plain", after=("a",))}), plain=PLAIN)
    world = World(spec, behaviours={"a": failing(Failure(), Failure(), {})}, restarts=restarts).run_to_end()

    done = world.task("a")
    assert world.run.state is RunState.SUCCEEDED
    assert world.started == ["root.a", "root.a", "root.a", "root.b"]
    assert world.now == 1003.0
    assert (done.failed_pods, done.pod_name, done.attempt) == (["root.a-0", "root.a-1"], "root.a-2", 2)
    assert done.error is None
    assert done.started_at == 1000.0
    assert [state for _, state in done.state_history] == [
        "PENDING", "RUNNING", "PENDING", "RUNNING", "PENDING", "RUNNING", "COMPLETE",
    ]  # fmt: skip


def test_the_index_of_the_attempt_is_known_to_its_pod() -> None:
    world = World(
        pipeline(dag({"a": retried(task("plain"), 1)}), plain=PLAIN), behaviours={"a": failing(Failure(), {})}
    )
    world.turn()
    world.end_pod("root.a-0")

    assert world.engine.context(world.task("a").task_id).retry_index == 1


def test_a_task_fails_when_its_attempts_are_used_up() -> None:
    world = World(
        pipeline(dag({"a": retried(task("plain"), 2)}), plain=PLAIN), behaviours={"a": failing(Failure("no"))}
    )
    world.run_to_end()

    assert world.run.state is RunState.FAILED
    assert len(world.started) == 3
    assert world.task("a").failed_pods == ["root.a-0", "root.a-1"]


def test_a_pod_in_which_no_container_ran_is_not_tried_again() -> None:
    behaviours = {"a": failing(Failure("no such image", exit_code=None))}

    world = World(pipeline(dag({"a": retried(task("plain"), 2)}), plain=PLAIN), behaviours=behaviours).run_to_end()

    assert world.started == ["root.a"]


def test_missing_outputs_are_tried_again() -> None:
    spec = pipeline(dag({"a": retried(task("text", msg="x"), 2)}), text=TEXT)

    world = World(spec, behaviours={"a": failing({}, {"Output": "x"})}).run_to_end()

    assert world.run.state is RunState.SUCCEEDED
    assert len(world.started) == 2


def test_a_sibling_that_waits_for_its_next_attempt_may_finish_in_a_failing_dag() -> None:
    spec = pipeline(dag({"a": retried(task("plain"), 1, "5s"), "b": task("plain")}), plain=PLAIN)

    world = World(spec, behaviours={"a": failing(Failure(), {}), "b": failing(Failure())}).run_to_end()

    assert world.shown() == {"root": "FAILED", "a": "COMPLETE", "b": "FAILED"}


@pytest.mark.parametrize("has_failed", [True, False])
def test_the_event_of_an_earlier_pod_is_ignored(has_failed: bool) -> None:
    spec = pipeline(dag({"a": retried(task("plain"), 1)}), plain=PLAIN)
    world = World(spec, behaviours={"a": failing(Failure(), {})})
    world.turn()
    world.end_pod("root.a-0")
    task_id = world.task("a").task_id

    if has_failed:
        world.turn(events.PodFailed(task_id=task_id, message="again", exit_code=1, pod_name="root.a-0"))
    else:
        world.turn(events.PodSucceeded(task_id=task_id, outputs=ContainerOutputs(), pod_name="root.a-0"))

    assert world.task("a").state is TaskState.RUNNING
    assert world.run_to_end().run.state is RunState.SUCCEEDED


@RESTARTS
def test_a_dag_with_a_retry_policy_runs_again_as_a_whole(restarts: bool) -> None:
    spec = pipeline(
        dag({"inner": retried(task("inner"), 2, "10s"), "after": task("text", msg=out("inner", "x"))}),
        inner=dag(
            {
                "a": task("text", msg="x"),
                "each": loop("each", "items", items=out("a")),
                "b": task("plain", after=("each",)),
            },
            outputs={"x": ("a", "Output")},
        ),
        each=dag({"c": task("text", msg=given("item"))}, inputs={"items": "STRING", "item": "STRING"}),
        plain=PLAIN,
        text=TEXT,
    )
    behaviours = {
        "a": failing({"Output": "[1,2,3]"}, {"Output": "[1]"}),
        "b": failing(Failure(), {}),
        "c": constant("c"),
        "after": constant("d"),
    }

    world = World(spec, behaviours=behaviours, restarts=restarts).run_to_end()

    assert world.run.state is RunState.SUCCEEDED
    assert world.now == 1010.0
    assert world.started.count("root.inner.a") == world.started.count("root.inner.b") == 2
    assert world.started.count("root.inner.each.0.c") == 2
    assert world.started.count("root.inner.each.2.c") == 1
    assert world.task("inner.each.2").state is world.task("inner.each.2.c").state is TaskState.CANCELED
    assert world.task("inner").attempt == 1
    assert world.task("after").inputs.parameters == {"msg": "[1]"}


def test_a_dag_fails_when_its_attempts_are_used_up() -> None:
    spec = pipeline(dag({"inner": retried(task("inner"), 1)}), inner=dag({"a": task("plain")}), plain=PLAIN)

    world = World(spec, behaviours={"a": failing(Failure())}).run_to_end()

    assert world.run.state is RunState.FAILED
    assert world.started == ["root.inner.a", "root.inner.a"]


# --- a user's retry


def retry(world: World) -> World:
    """As the manager does: the run is loaded again, and its engine gets the event."""
    world.engine = world._engine()  # pyright: ignore[reportPrivateUsage] - the world's own restart
    world.turn(events.Retried())
    return world.run_to_end()


def failing_run(restarts: bool) -> World:
    spec = pipeline(
        dag(
            {
                "exit-handler-1": task("exit-handler-1"),
                "final": exit_task("final", "exit-handler-1", status=status_of("exit-handler-1")),
                "after": task("plain", after=("exit-handler-1",)),
            }
        ),
        exit_handler_1=dag(
            {
                "a": cached(task("text", msg="x")),
                "whole": task("whole"),
                "b": task("text", msg=out("a")),
                "c": task("text", msg=out("b")),
                "each": loop("each", [1, 2, 3], limit=1),
            }
        ),
        whole=dag({"skipped": task("text", msg="x", condition="inputs.parameter_values['msg'] == 'y'")}),
        each=dag(
            {"first": task("plain"), "second": task("second", after=("first",), n=given("item"))},
            inputs={"item": "NUMBER_INTEGER"},
        ),
        second=container(inputs={"n": "NUMBER_INTEGER"}),
        text=TEXT,
        plain=PLAIN,
        final=container(inputs={"status": "TASK_FINAL_STATUS"}),
    )
    broken = [2]
    behaviours: Json = {
        "a": constant("a"),
        "b": failing(Failure(), {"Output": "b"}),
        "c": constant("c"),
        "second": lambda inputs: Failure() if inputs["n"] in broken and broken.pop() else {},
    }
    return World(spec, behaviours=behaviours, restarts=restarts).run_to_end()


@RESTARTS
def test_a_retry_keeps_what_succeeded_and_runs_the_rest_and_exit_tasks(restarts: bool) -> None:
    world = failing_run(restarts)
    assert world.run.state is RunState.FAILED
    before = list(world.started)
    assert {"root.final", "root.exit-handler-1.a", "root.exit-handler-1.b"} <= set(before)

    retry(world)

    assert world.run.state is RunState.SUCCEEDED
    again = world.started[len(before) :]
    assert sorted(again) == [
        "root.after",
        "root.exit-handler-1.b",
        "root.exit-handler-1.c",
        "root.exit-handler-1.each.1.second",
        "root.exit-handler-1.each.2.first",
        "root.exit-handler-1.each.2.second",
        "root.final",
    ]
    assert world.task("final").inputs.parameters["status"]["state"] == "COMPLETE"
    assert world.task("exit-handler-1.b").pod_name == "root.exit-handler-1.b-1"
    assert world.task("exit-handler-1.whole.skipped").state is TaskState.CANCELED
    assert [state for _, state in world.task("exit-handler-1.whole").state_history][-1] == "COMPLETE"
    assert {"stop root.exit-handler-1.b-0"} <= set(world.issued)
    assert world.states[-2:] == [RunState.RUNNING, RunState.SUCCEEDED]


def test_the_attempts_of_a_policy_start_over_with_a_retry_and_pods_have_new_names() -> None:
    spec = pipeline(dag({"a": retried(task("plain"), 1)}), plain=PLAIN)
    world = World(spec, behaviours={"a": failing(Failure(), Failure(), Failure(), {})}).run_to_end()
    assert world.run.state is RunState.FAILED

    retry(world)

    assert world.run.state is RunState.SUCCEEDED
    assert world.task("a").pod_name == "root.a-3"
    assert world.task("a").failed_pods == ["root.a-2"]
    assert {"stop root.a-0", "stop root.a-1"} <= set(world.issued)


def test_a_retry_of_a_run_that_is_under_way_or_succeeded_changes_nothing() -> None:
    world = World(pipeline(dag({"a": task("plain")}), plain=PLAIN))
    world.turn()
    before = dict(world.tasks)

    world.turn(events.Retried())
    assert world.tasks == before

    world.run_to_end()
    before = dict(world.tasks)
    retry(world)

    assert world.tasks == before
    assert world.run.state is RunState.SUCCEEDED
