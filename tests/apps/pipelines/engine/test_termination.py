"""Ending a run."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.apps.pipelines.engine.world import Failure, World, constant, failing
from tests.apps.pipelines.specs import PLAIN, TEXT, cached, dag, exit_task, loop, out, pipeline, retried, task
from windlass.apps.pipelines.engine import effects, events
from windlass.apps.pipelines.engine.states import CANCELLED
from windlass.apps.pipelines.model import RunState, TaskState

RESTARTS = pytest.mark.parametrize("restarts", [False, True])
SPEC = pipeline(
    dag(
        {
            "a": task("plain"),
            "b": task("text", msg="x"),
            "c": task("text", msg=out("b")),
            "each": loop("each", [1, 2, 3], limit=1),
            "waiting": retried(task("plain"), 3, "100s"),
            "final": exit_task("plain", "a"),
        }
    ),
    each=dag({"d": task("plain"), "e": task("plain", after=("d",))}, inputs={"item": "STRING"}),
    plain=PLAIN,
    text=TEXT,
)


def a_world(restarts: bool = False, **fields: Any) -> World:
    """`a`, `b` and the first iteration run; `waiting` waits for its next attempt."""
    world = World(SPEC, behaviours={"waiting": failing(Failure()), "b": constant("b")}, restarts=restarts, **fields)
    world.turn()
    world.end_pod("root.waiting-0")
    return world


@RESTARTS
def test_running_pods_are_stopped_and_nothing_new_starts(restarts: bool) -> None:
    world = a_world(restarts)
    before = list(world.started)

    world.turn(events.Terminated())

    assert world.pods == {}
    assert world.started == before
    assert world.run.state is RunState.FAILED
    assert world.run.error is not None
    assert (world.run.error.code, world.run.error.message) == (CANCELLED, "The run was terminated.")
    assert all(task.state.is_final for task in world.tasks.values())
    assert world.paths(TaskState.FAILED) == {"root", "a", "b", "each", "each.0", "each.0.d", "waiting"}
    assert world.paths(TaskState.CANCELED) == {"c", "each.0.e", "final"}
    assert world.wake_at is None


def test_the_run_is_canceling_until_its_pods_are_gone() -> None:
    world = a_world()

    turn = world.engine.turn([events.Terminated(message="The deadline passed.")], world.now)
    world.save(turn)

    assert {effect.pod_name for effect in turn.effects if isinstance(effect, effects.StopPod)} == set(world.pods)
    assert world.run.state is RunState.CANCELING
    assert world.engine.turn([events.Terminated()], world.now).effects == []

    for effect in turn.effects:
        answer = world.carry_out(effect)
        assert answer is not None
        world.turn(answer)
    assert world.run.state is RunState.FAILED
    assert world.run.error is not None
    assert world.run.error.message == "The deadline passed."


def test_a_restarted_engine_of_a_canceling_run_stops_its_pods() -> None:
    world = a_world()
    world.run = replace(world.run, state=RunState.CANCELING)
    world.engine = world._engine()  # pyright: ignore[reportPrivateUsage] - the world's own restart

    world.turn()

    assert (world.pods, world.run.state) == ({}, RunState.FAILED)


def test_a_restarted_engine_learns_the_reason_for_ending_again() -> None:
    world = a_world()
    world.run = replace(world.run, state=RunState.CANCELING)
    world.engine = world._engine()  # pyright: ignore[reportPrivateUsage] - the world's own restart

    world.turn(events.Terminated(message="The deadline passed."))

    assert world.run.error is not None
    assert world.run.error.message == "The deadline passed."


def test_a_run_that_is_ended_before_it_starts_has_no_tasks() -> None:
    world = World(SPEC)

    world.turn(events.Terminated())

    assert (world.run.state, world.tasks) == (RunState.FAILED, {})


def test_a_pod_that_is_created_meanwhile_is_stopped() -> None:
    world = World(pipeline(dag({"a": task("plain")}), plain=PLAIN))
    started = world.engine.turn([events.Advance()], world.now)
    world.save(started)
    assert [type(effect) for effect in started.effects] == [effects.StartPod]

    world.save(world.engine.turn([events.Terminated()], world.now))
    assert world.run.state is RunState.CANCELING
    answer = world.carry_out(started.effects[0])
    assert answer is not None
    world.turn(answer)

    assert (world.pods, world.run.state) == ({}, RunState.FAILED)
    assert world.issued == ["start root.a-0", "stop root.a-0"]


def test_a_pod_of_a_task_that_has_ended_is_stopped() -> None:
    world = World(pipeline(dag({"a": task("plain")}), plain=PLAIN)).run_to_end()

    turn = world.engine.turn(
        [events.PodCreated(task_id=world.task("a").task_id, pod_name="late", pod_uid="u")], world.now
    )

    assert turn.effects == [effects.StopPod(task_id=world.task("a").task_id, pod_name="late")]


def test_a_task_whose_cache_is_asked_for_is_ended_at_once() -> None:
    world = World(pipeline(dag({"a": cached(task("plain"))}), plain=PLAIN))
    started = world.engine.turn([events.Advance()], world.now)
    world.save(started)

    world.turn(events.Terminated())
    assert world.run.state is RunState.FAILED
    answer = world.carry_out(started.effects[0])
    assert answer is not None
    world.turn(answer)

    assert world.pods == {}


def test_what_a_pod_still_completed_is_kept_and_the_run_fails() -> None:
    world = World(pipeline(dag({"a": task("plain")}), plain=PLAIN))
    world.turn()
    world.save(world.engine.turn([events.Terminated()], world.now))

    world.end_pod("root.a-0")

    assert world.run.state is RunState.FAILED
    assert world.shown() == {"root": "FAILED", "a": "COMPLETE"}


@RESTARTS
def test_an_ended_run_can_be_retried(restarts: bool) -> None:
    world = a_world(restarts)
    world.turn(events.Terminated())
    world.behaviours["waiting"] = failing({})
    world.behaviours["c"] = constant("c")

    world.engine = world._engine()  # pyright: ignore[reportPrivateUsage] - the world's own restart
    world.turn(events.Retried())
    world.run_to_end()

    assert world.run.state is RunState.SUCCEEDED
    assert world.paths(TaskState.CANCELED) == set()


def test_ending_a_finished_run_changes_nothing() -> None:
    world = World(pipeline(dag({"a": task("plain")}), plain=PLAIN)).run_to_end()

    world.turn(events.Terminated())

    assert world.run.state is RunState.SUCCEEDED
