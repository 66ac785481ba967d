"""Random graphs and steps: order is respected, everything ends, and a restart at any point changes nothing."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps.pipelines.argo.simulation import End, Simulation, template_of
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, steps
from windlass.kube.json import Object

FINAL = {"Succeeded", "Failed", "Error", "Skipped", "Omitted"}


@st.composite
def dags(draw: st.DrawFn) -> tuple[Object, dict[str, list[str]]]:
    """A graph in which each task depends on some of those before it."""
    needs: dict[str, list[str]] = {}
    tasks: list[Object] = []
    for number in range(draw(st.integers(1, 8))):
        name = f"t{number}"
        needs[name] = draw(st.lists(st.sampled_from(list(needs)), unique=True, max_size=3)) if needs else []
        fields: Object = {"dependencies": needs[name]} if needs[name] else {}
        shape = draw(st.sampled_from(["plain", "plain", "loop", "steps", "retry", "when", "continue"]))
        match shape:
            case "loop":
                fields["withSequence"] = {"count": draw(st.integers(0, 3))}
            case "when":
                fields["when"] = draw(st.sampled_from(["1 == 1", "1 == 2"]))
            case "continue":
                fields["continueOn"] = {"failed": True}
            case _:
                pass
        template = {"steps": "nested", "retry": "retried"}.get(shape, "c")
        tasks.append(a_task(name, template, **fields))
    dag = a_dag("main", *tasks)
    dag["dag"]["failFast"] = draw(st.booleans())
    return dag, needs


def workflow_of(dag: Object, parallelism: int) -> Object:
    nested = steps("nested", [a_task("x", "c"), a_task("y", "c")], [a_task("z", "c")])
    retried = a_container("retried", retryStrategy={"limit": 1})
    more: Object = {"parallelism": parallelism} if parallelism else {}
    return a_workflow(dag, nested, retried, a_container("c"), a_container("bye"), onExit="bye", **more)


def some_fail(failing: set[str]) -> "object":
    def end(pod: Object) -> End:
        return End(exit_code=int(template_of(pod) in failing))

    return end


@settings(max_examples=150, deadline=None)
@given(dags(), st.integers(0, 3), st.integers(0, 2**16), st.sets(st.sampled_from(["t0", "t2", "z", "t1(0)"])))
def test_a_graph_ends_in_order_whatever_fails(
    drawn: tuple[Object, dict[str, list[str]]], parallelism: int, seed: int, failing: set[str]
) -> None:
    dag, needs = drawn

    run = Simulation(workflow_of(dag, parallelism), some_fail(failing), random=Random(seed)).run()  # type: ignore[arg-type]

    phases = run.phases()
    assert all(phase in FINAL for phase in phases.values())
    assert not parallelism or run.max_active <= parallelism
    assert len(run.order) == len(set(run.order))
    started = {name.removeprefix("w.").partition(".")[0].partition("[")[0].partition("(")[0] for name in run.order}
    for task in started & set(needs):
        for need in needs[task]:
            assert phases[need] in FINAL
            firsts = [at for at, name in enumerate(run.order) if name.startswith(f"w.{task}")]
            lasts = [at for at, name in enumerate(run.order) if name.startswith((f"w.{need}(", f"w.{need}["))]
            assert not lasts or max(lasts) < min(firsts)
    assert run.order[-1] == "w.onExit"


@settings(max_examples=100, deadline=None)
@given(dags(), st.lists(st.integers(0, 2**16), min_size=2, max_size=2), st.sets(st.sampled_from(["t0", "t2", "z"])))
def test_the_order_in_which_pods_end_does_not_decide_what_runs(
    drawn: tuple[Object, dict[str, list[str]]], seeds: list[int], failing: set[str]
) -> None:
    dag, _ = drawn
    one, other = (
        Simulation(workflow_of(dag, 0), some_fail(failing), random=Random(seed)).run()  # type: ignore[arg-type]
        for seed in seeds
    )

    assert (one.phase, one.phases()) == (other.phase, other.phases())


@settings(max_examples=60, deadline=None)
@given(dags(), st.integers(0, 2**16), st.sets(st.sampled_from(["t0", "z"])))
def test_turns_in_between_change_nothing(
    drawn: tuple[Object, dict[str, list[str]]], seed: int, failing: set[str]
) -> None:
    """A turn is made from the stored object: repeating it is what a restart does."""
    dag, _ = drawn
    run = Simulation(workflow_of(dag, 0), some_fail(failing), random=Random(seed))  # type: ignore[arg-type]
    for _ in range(200):
        made = run.turn()
        again = run.turn()
        assert again.status == made.status
        if made.status["phase"] in FINAL:
            break
        active = run.active_pods()
        if active:
            run.end_pod(run.random.choice(active))
    assert run.phase in FINAL
