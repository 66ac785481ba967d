"""Random pipelines: order, completeness, and the same outcome whenever the process restarts."""

from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.apps.pipelines.engine.world import Failure, World
from tests.apps.pipelines.specs import container, dag, exit_task, loop, out, pipeline, retried, task
from windlass.apps.pipelines.engine import events
from windlass.apps.pipelines.ir.dependencies import dependencies
from windlass.apps.pipelines.ir.reading import read_spec
from windlass.apps.pipelines.model import RunState, TaskState

Json = dict[str, Any]
LEAF = container(
    inputs={"x": {"parameterType": "STRING", "isOptional": True}, "i": {"parameterType": "STRING", "isOptional": True}},
    outputs={"Output": "STRING"},
)
STRATEGY = "ALL_UPSTREAM_TASKS_COMPLETED"
SETTINGS = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def pipelines(draw: st.DrawFn) -> Json:
    """A DAG with up to six tasks, of which some are DAGs or loops with tasks in them."""
    components: Json = {"leaf": LEAF}

    def tasks(depth: int) -> Json:
        built: Json = {}
        for number in range(draw(st.integers(0 if depth else 1, 6 if depth == 0 else 3))):
            name = f"t{number}"
            before = draw(st.sets(st.sampled_from(sorted(built)), max_size=2)) if built else set[str]()
            kind = draw(st.sampled_from(["leaf", "leaf", "leaf", "dag", "loop"] if depth < 2 else ["leaf"]))
            built[name] = one(kind, depth, tuple(sorted(before)), built)
        return built

    def one(kind: str, depth: int, before: tuple[str, ...], built: Json) -> Json:
        if kind == "leaf":
            spec = a_leaf(before, built)
        else:
            key = f"comp{len(components)}"
            components[key] = {}
            inner = tasks(depth + 1)
            leaves = [name for name, spec in inner.items() if spec["componentRef"]["name"] == "comp-leaf"]
            outputs = {"Output": (leaves[-1], "Output")} if leaves else {}
            components[key] = dag(
                inner, inputs={"item": {"parameterType": "STRING", "isOptional": True}}, outputs=outputs
            )
            spec = (
                task(key, after=before)
                if kind == "dag"
                else loop(key, list(range(draw(st.integers(0, 3)))), limit=draw(st.integers(0, 2)))
                | {"dependentTasks": list(before)}
            )
        if draw(st.integers(0, 3)) == 0:
            spec = retried(spec, draw(st.integers(1, 2)), draw(st.sampled_from(["0s", "3s"])))
        if draw(st.integers(0, 5)) == 0:
            spec = spec | {"triggerPolicy": {"strategy": STRATEGY}}
        return spec

    def a_leaf(before: tuple[str, ...], built: Json) -> Json:
        readable = [name for name in before if built[name]["componentRef"]["name"] == "comp-leaf"]
        inputs: Json = {"x": out(readable[0])} if readable and draw(st.booleans()) else {}
        condition = draw(st.sampled_from(["", "", "", "", "1 == 2", "inputs.parameter_values['x'] == '1'"]))
        return task("leaf", after=before, condition=condition, **inputs)

    root = dag(tasks(0))
    last = sorted(root["dag"]["tasks"])[-1]
    if draw(st.booleans()):
        root["dag"]["tasks"]["final"] = exit_task("leaf", last)
    return pipeline(root, **components)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Json, dict[str, Any], bool]:
    """A pipeline, how its pods behave by path and attempt, and whether it fails fast."""
    spec = draw(pipelines())
    seed = draw(st.integers(0, 2**16))
    rate = draw(st.sampled_from([0, 3, 6]))
    return spec, {"seed": seed, "rate": rate}, draw(st.booleans())


class RandomWorld(World):
    """Pods fail by a rule that does not depend on the order of things."""

    seed = 0
    rate = 0

    def end_pod(self, name: str) -> None:
        number = sum(ord(char) * (index + 7) for index, char in enumerate(name)) + self.seed
        has_failed = self.rate > 0 and number % 10 < self.rate
        self.behaviours[self.tasks[self.pods[name]].name] = lambda _: (
            Failure() if has_failed else {"Output": str(number % 2)}
        )
        super().end_pod(name)


def a_world(drawn: tuple[Json, dict[str, Any], bool], *, restarts: bool = False) -> RandomWorld:
    spec, rule, is_fail_fast = drawn
    world = RandomWorld(spec, restarts=restarts, run_fields={"is_fail_fast": is_fail_fast})
    world.seed, world.rate = rule["seed"], rule["rate"]
    return world


def outcome(world: World) -> Any:
    """All that users see, but for times."""
    return world.run.state, {
        task.path: (task.state, task.outputs.parameters, task.inputs.parameters, task.attempt, task.iteration_count)
        for task in world.tasks.values()
    }


def upstream_of(world: World, path: str) -> list[str]:
    """Paths of the tasks that one depends on, from the specification alone."""
    spec = read_spec(world.spec)
    component, at, left = spec.root, "root", path.split(".")[1:]
    while True:
        assert component.dag is not None
        name = left.pop(0)
        if not left:
            return [f"{at}.{other}" for other in dependencies(component.dag, spec, {})[name]]
        at, entry = f"{at}.{name}", component.dag.tasks[name]
        component = spec.components[entry.component_ref.name]
        if entry.is_loop:
            at = f"{at}.{left.pop(0)}"


@SETTINGS
@given(worlds(), st.randoms(use_true_random=False))
def test_no_pod_starts_before_its_dependencies_are_final_and_all_tasks_end(drawn: Any, random: Any) -> None:
    world = a_world(drawn)
    world.turn()
    checked = 0
    while world.run.state is RunState.RUNNING:
        by_path = {task.path: task for task in world.tasks.values()}
        for path in world.started[checked:]:
            assert all(by_path[other].state.is_final for other in upstream_of(world, path)), path
        checked = len(world.started)
        if world.pods:
            world.end_pod(random.choice(list(world.pods)))
        else:
            assert world.wake_at is not None, f"stuck: {world.shown()}"
            world.now = world.wake_at
            world.turn()

    assert all(task.state.is_final for task in world.tasks.values()), world.shown()
    assert world.pods == {}
    has_failed = any(task.state is TaskState.FAILED for task in world.tasks.values())
    assert world.run.state is (RunState.FAILED if has_failed else RunState.SUCCEEDED)
    assert len(set(world.issued)) == len(world.issued), "an effect was issued twice"


@SETTINGS
@given(worlds())
def test_an_engine_that_is_made_again_between_all_turns_decides_the_same(drawn: Any) -> None:
    steady = a_world(drawn).run_to_end(choose=min)

    restarted = a_world(drawn, restarts=True).run_to_end(choose=min)

    assert outcome(restarted) == outcome(steady)
    assert sorted(restarted.issued) == sorted(steady.issued)


@SETTINGS
@given(worlds(), st.integers(0, 2**16))
def test_effects_whose_answers_were_lost_are_repeated_and_nothing_changes(drawn: Any, seed: int) -> None:
    random = Random(seed)
    steady = a_world(drawn).run_to_end(choose=min)

    crashing = a_world(drawn)
    crashing.crashes = lambda: random.random() < 0.3
    crashing.run_to_end(choose=min)

    assert outcome(crashing) == outcome(steady)
    assert sorted(crashing.started) == sorted(steady.started), "a pod ran twice"


@SETTINGS
@given(worlds(), st.integers(0, 12), st.booleans())
def test_a_run_can_be_ended_at_any_time_and_then_retried(drawn: Any, steps: int, restarts: bool) -> None:
    world = a_world(drawn, restarts=restarts)
    world.turn()
    for _ in range(steps):
        if world.pods:
            world.end_pod(next(iter(world.pods)))
    before = list(world.started)
    was_running = world.run.state is RunState.RUNNING

    world.turn(events.Terminated())

    assert world.run.state in (RunState.SUCCEEDED, RunState.FAILED)
    assert was_running is False or world.run.state is RunState.FAILED
    assert world.pods == {}
    assert world.started == before
    assert all(task.state.is_final for task in world.tasks.values()), world.shown()

    world.rate = 0
    kept = {task.path for task in world.tasks.values() if task.state is TaskState.COMPLETE and task.pod_name}
    world.engine = world._engine()  # pyright: ignore[reportPrivateUsage] - the world's own restart
    world.turn(events.Retried())
    world.run_to_end()

    assert world.run.state is RunState.SUCCEEDED, world.run.error
    assert all(task.state.is_final for task in world.tasks.values()), world.shown()
    # Only a task that depends on something which did not succeed runs twice after it succeeded.
    for path in kept & set(world.started[len(before) :]):
        assert any(ancestor != path for ancestor in world.started[len(before) :]), path
    starts = [effect for effect in world.issued if effect.startswith("start")]
    assert len(set(starts)) == len(starts), "a pod was started twice"
