"""Mutexes and semaphores: never more holders than the limit, everything ends, and a restart loses nothing."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps.pipelines.argo.simulation import End, Simulation
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, arguments, inputs, steps
from windlass.apps.pipelines.argo.locks import Holder, Lock, LockTable, held_locks, lock_status
from windlass.kube.json import Object
from windlass.kube.meta import Key

LIMITS = {"metadata": {"name": "limits"}, "data": {"two": "2", "none": "0", "odd": "x"}}
MUTEX: Object = {"mutexes": [{"name": "m"}]}
TWO: Object = {"semaphores": [{"configMapKeyRef": {"name": "limits", "key": "two"}}]}


def named(name: str, *templates: Object, **spec: Any) -> Object:
    return a_workflow(*templates, name=name, **spec)


def together(table: LockTable, *workflows: Object) -> list[Simulation]:
    return [Simulation(workflow, locks=table, config_maps={"limits": LIMITS}) for workflow in workflows]


def test_a_workflow_waits_for_the_mutex_that_another_holds() -> None:
    first, second = together(LockTable(), *(named(name, synchronization=MUTEX) for name in "ab"))
    first.turn()
    second.turn()

    assert first.status["synchronization"] == {"mutex": {"holding": [{"mutex": "default/Mutex/m", "holder": ""}]}}
    assert (second.phase, second.pods) == ("Pending", {})
    assert second.status["message"] == "Waiting for default/Mutex/m"
    assert second.status["synchronization"]["mutex"]["waiting"][0]["mutex"] == "default/Mutex/m"

    first.run()
    second.run()
    assert (first.phase, second.phase) == ("Succeeded", "Succeeded")
    assert "synchronization" not in first.status
    assert "synchronization" not in second.status


def test_items_of_a_loop_hold_a_semaphore_two_at_a_time() -> None:
    main = a_dag("main", a_task("each", "c", withSequence={"count": 5}))
    (run,) = together(LockTable(), a_workflow(main, a_container("c", synchronization=TWO)))

    run.run()

    assert (run.phase, run.max_active, len(run.order)) == ("Succeeded", 2, 5)


def test_a_lock_may_be_named_by_a_parameter() -> None:
    locked = a_container("c", inputs=inputs("x"), synchronization={"mutexes": [{"name": "m-{{inputs.parameters.x}}"}]})
    main = a_dag("main", a_task("each", "c", arguments=arguments(x="{{item}}"), withItems=["p", "p", "q"]))
    (run,) = together(LockTable(), a_workflow(main, locked))
    run.turn()
    run.turn()

    assert run.order == ["w.each(0:p)", "w.each(2:q)"]
    assert run.run().phase == "Succeeded"


@pytest.mark.parametrize(
    ("key", "problem"), [("missing", "has no key 'missing'"), ("odd", "odd is 'x', and not a number")]
)
def test_a_semaphore_without_a_limit_is_an_error(key: str, problem: str) -> None:
    lock: Object = {"semaphores": [{"configMapKeyRef": {"name": "limits", "key": key}}]}
    whole, node = together(
        LockTable(), named("a", synchronization=lock), named("b", a_container("c", synchronization=lock))
    )
    whole.turn()
    node.turn()

    assert (whole.phase, node.phase) == ("Error", "Error")
    assert problem in whole.status["message"]
    assert problem in node.status["message"]


def test_attempts_keep_the_lock_of_their_node() -> None:
    flaky = a_container("c", retryStrategy={"limit": 2}, synchronization=MUTEX)
    first, second = together(LockTable(), named("a", flaky), named("b", a_container("c", synchronization=MUTEX)))
    first.behaviour = lambda pod: End(exit_code=int(len(first.order) < 3))
    first.turn()
    for _ in range(2):
        first.end_pod(first.active_pods()[0])
        first.turn()
        second.turn()
        assert second.order == []

    assert (first.run().phase, second.run().phase) == ("Succeeded", "Succeeded")


def test_a_stopped_workflow_stops_waiting() -> None:
    table = LockTable()
    first, second, third = together(table, *(named(name, synchronization=MUTEX) for name in "abc"))
    for run in (first, second, third):
        run.turn()
    second.workflow["spec"]["shutdown"] = "Stop"
    second.turn()
    first.run()

    assert second.phase == "Failed"
    assert third.run().phase == "Succeeded"


def test_a_higher_priority_is_served_first() -> None:
    table = LockTable()
    first, low = together(table, *(named(name, synchronization=MUTEX) for name in "ab"))
    (high,) = together(table, named("c", synchronization=MUTEX, priority=5))
    for run in (first, low, high):
        run.turn()
    first.run()
    low.turn()

    assert low.phase == "Pending"
    assert high.run().phase == "Succeeded"
    assert low.run().phase == "Succeeded"


# --- random Workflows

LOCKS = st.sampled_from([None, MUTEX, TWO, {**MUTEX, **TWO}, {"mutexes": [{"name": "n"}, {"name": "m"}]}])


@st.composite
def workflows(draw: st.DrawFn) -> list[Object]:
    made: list[Object] = []
    for number in range(draw(st.integers(1, 4))):
        templates = [a_container(f"c{index}") for index in range(3)]
        for template in templates:
            if lock := draw(LOCKS):
                template["synchronization"] = lock
            if draw(st.booleans()):
                template["retryStrategy"] = {"limit": 1}
        tasks = [a_task(f"t{index}", f"c{draw(st.integers(0, 2))}") for index in range(draw(st.integers(1, 4)))]
        main = a_dag("main", *tasks) if draw(st.booleans()) else steps("main", *[[task] for task in tasks])
        more: Object = {"parallelism": 1} if draw(st.booleans()) else {}
        # Locks of the whole are others than those of its parts: one inside the other would wait for itself.
        if draw(st.booleans()):
            more["synchronization"] = {"mutexes": [{"name": "whole"}]}
        made.append(named(f"w{number}", main, *templates, **more))
    return made


def holders(runs: list[Simulation]) -> Counter[str]:
    return Counter(
        {
            name: sum(len(held_locks(run.workflow.get("status", {})).get(name, ())) for run in runs)
            for name in ("default/Mutex/m", "default/Mutex/n", "default/Mutex/whole", "default/ConfigMap/limits/two")
        }
    )


def is_over(run: Simulation) -> bool:
    return run.workflow.get("status", {}).get("phase") in ("Succeeded", "Failed", "Error")


@settings(max_examples=80, deadline=None)
@given(workflows(), st.integers(0, 2**16), st.booleans())
def test_random_workflows_share_their_locks_and_all_end(made: list[Object], seed: int, restarts: bool) -> None:
    random = Random(seed)
    runs = together(LockTable(), *made)
    for run in runs:
        run.behaviour = lambda pod: End(exit_code=int(random.random() < 0.2))
    for _ in range(600):
        if restarts and random.random() < 0.2:  # the table is built again from what the statuses say
            table = LockTable()
            for run in runs:
                table.load(run.workflow)
                run.locks = table
        run = random.choice(runs)
        run.turn()
        found = holders(runs)
        assert found["default/ConfigMap/limits/two"] <= 2
        assert all(count <= 1 for name, count in found.items() if "Mutex" in name)
        if (active := run.active_pods()) and random.random() < 0.7:
            run.end_pod(random.choice(active))
        if all(is_over(each) for each in runs):
            break
    assert all(is_over(run) for run in runs)
    assert not any(holders(runs).values())


OPERATIONS = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(["acquire", "settle"]), st.integers(1, 3)), max_size=40
)


@given(OPERATIONS)
def test_the_table_never_grants_more_than_the_limit(operations: list[tuple[int, str, int]]) -> None:
    table = LockTable()
    for number, verb, limit in operations:
        holder = Holder((0, str(number)), Key("ns", f"w{number}"))
        if verb == "acquire":
            before = len(table.held.get("l", set()) - {holder})
            is_held = holder in table.held.get("l", set())
            if table.acquire(holder, [Lock("l", limit)]):
                assert is_held or before < limit
        else:
            table.settle(holder.workflow, {}, ())
            assert holder not in table.held.get("l", set())
            assert holder not in table.waiting


def test_the_status_has_what_the_table_is_built_from() -> None:
    held = {"ns/Mutex/m": {"a"}, "ns/ConfigMap/c/k": {"a", "b"}}

    status = {"synchronization": lock_status(held, {})}

    assert held_locks(status) == held
