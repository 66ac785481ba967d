"""What admission fills into a queue, what is wrong with one, and which may not be deleted."""

from typing import Any

import pytest

from windlass.apps.volcano.queue_defaults import HIERARCHY, HIERARCHY_WEIGHTS, with_defaults
from windlass.apps.volcano.queue_validation import deletion_problem, queue_problem

from .builders import a_queue, queues

FIELD = "requestBody.metadata.annotations: Invalid value"
SPEC = "requestBody.spec"


def guaranteed(**resources: str) -> Any:
    return {"resource": resources}


def path(hierarchy: str, weights: str) -> Any:
    return {HIERARCHY: hierarchy, HIERARCHY_WEIGHTS: weights}


def problem(queue: Any, *others: Any, old: Any = None) -> str:
    return queue_problem(queue, old, queues(*others))


def test_a_queue_has_weight_one_and_may_be_reclaimed_from() -> None:
    assert with_defaults({"metadata": {}})["spec"] == {"weight": 1, "reclaimable": True}
    assert with_defaults({"metadata": {}, "spec": {"weight": 3, "reclaimable": False}})["spec"] == {
        "weight": 3,
        "reclaimable": False,
    }


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (path("sci/dev", "2/3"), path("root/sci/dev", "1/2/3")),
        (path("root/sci", "1/2"), path("root/sci", "1/2")),
        (path("rooted/sci", "1/2"), path("root/rooted/sci", "1/1/2")),
        (path("", ""), path("", "")),
        ({HIERARCHY: "sci"}, {HIERARCHY: "sci"}),
    ],
)
def test_a_path_begins_at_the_root(given: Any, made: Any) -> None:
    assert with_defaults({"metadata": {"annotations": given}})["metadata"]["annotations"] == made


@pytest.mark.parametrize("spec", [5, [], "x"])
def test_what_has_the_wrong_shape_is_left_for_the_schema_to_refuse(spec: Any) -> None:
    assert with_defaults({"metadata": {}, "spec": spec})["spec"] == spec


@pytest.mark.parametrize(
    "queue",
    [
        a_queue("a"),
        a_queue("a", guarantee=guaranteed(cpu="1"), deserved={"cpu": "1000m"}, capability={"cpu": 1, "memory": "1Gi"}),
        a_queue("a", deserved={"nvidia.com/gpu": 4}),
        a_queue("a", parent="root", deserved={"cpu": 4}),
        a_queue("a", annotations=path("root/a/b", "1/2/0.5")),
    ],
)
def test_a_good_queue_has_no_problem(queue: Any) -> None:
    assert problem(queue, a_queue("other", annotations=path("root/ab", "1/2"))) == ""


@pytest.mark.parametrize(
    ("queue", "told"),
    [
        (a_queue("a", guarantee=guaranteed(cpu="2"), deserved={"cpu": "1"}),
         f'{SPEC}.deserved.cpu: Invalid value: "1": deserved[cpu]=1 must be >= guarantee[cpu]=2'),
        (a_queue("a", guarantee=guaranteed(cpu="2")),
         f'{SPEC}.deserved.cpu: Invalid value: "<nil>": deserved[cpu] must be >= guarantee[cpu]=2'),
        (a_queue("a", guarantee=guaranteed(cpu="2"), deserved={"cpu": "2"}, capability={"cpu": "1"}),
         f'[{SPEC}.guarantee.resource.cpu: Invalid value: "2": guarantee[cpu]=2 must be <= capability[cpu]=1,'
         f' {SPEC}.deserved.cpu: Invalid value: "2": deserved[cpu]=2 must be <= capability[cpu]=1]'),
        (a_queue("a", deserved={"memory": "2Gi"}, capability={"memory": "1Gi"}),
         f'{SPEC}.deserved.memory: Invalid value: "2Gi": deserved[memory]=2Gi must be <= capability[memory]=1Gi'),
        (a_queue("a", capability={"cpu": "-1"}),
         f'{SPEC}.capability.cpu: Invalid value: "-1": must be greater than or equal to 0'),
        (a_queue("a", capability={"cpu": "1e99999999999"}),
         f'{SPEC}.capability.cpu: Invalid value: "1e99999999999": unable to parse quantity\'s suffix'),
        (a_queue("a", capability={"nvidia.com/gpu": "500m"}),
         f'{SPEC}.capability.nvidia.com/gpu: Invalid value: "500m": must be an integer'),
        (a_queue("a", annotations=path("root/a", "1")),
         f'{FIELD}: "root/a": {HIERARCHY} must have the same length with {HIERARCHY_WEIGHTS}'),
        (a_queue("a", annotations={HIERARCHY_WEIGHTS: "1/2"}),
         f'{FIELD}: "": {HIERARCHY} must have the same length with {HIERARCHY_WEIGHTS}'),
        (a_queue("a", annotations=path("root/a", "1/x")),
         f'{FIELD}: "1/x": x in the 1/x is invalid number: strconv.ParseFloat: parsing "x": invalid syntax'),
        (a_queue("a", annotations=path("root/a", "1/0")), f'{FIELD}: "1/0": 0 in the 1/0 must be larger than 0'),
        (a_queue("a", annotations=path("root/a", "1/nan")),
         f'{FIELD}: "1/nan": nan in the 1/nan must be larger than 0'),
        (a_queue("a", annotations=path("root/deep", "1/2")),
         f'{FIELD}: "root/deep": root/deep is not allowed to be in the sub path of root/deep/er of queue other'),
    ],
)  # fmt: skip
def test_a_fault_is_told_in_upstreams_words(queue: Any, told: str) -> None:
    assert problem(queue, a_queue("other", annotations=path("root/deep/er", "1/2/3"))) == told


def test_several_faults_are_told_in_brackets() -> None:
    found = problem(a_queue("a", guarantee=guaranteed(cpu="2", memory="1Gi")))

    assert found.startswith(f"[{SPEC}.deserved.cpu: ")
    assert found.endswith("guarantee[memory]=1Gi]")


CHAIN = [a_queue("q1"), *(a_queue(f"q{n}", parent=f"q{n - 1}") for n in range(2, 6))]
BUSY = a_queue("busy", status={"state": "Open", "allocated": {"pods": "3", "cpu": "1"}})


@pytest.mark.parametrize(
    ("queue", "told"),
    [
        (a_queue("a", parent="q4"), ""),
        (a_queue("a", parent="a"), "queue a cannot use itself as parent"),
        (a_queue("a", parent="q5"), "queue a exceeds the maximum allowed depth of 5"),
        (a_queue("a", parent="nope"),
         'failed to get parent queue nope of queue a: queue.scheduling.volcano.sh "nope" not found'),
        (a_queue("a", parent="busy"),
         "queue busy cannot be the parent queue of queue a because it has allocated Pods: 3"),
    ],
)  # fmt: skip
def test_a_parent_is_there_and_free_and_not_too_deep(queue: Any, told: str) -> None:
    assert problem(queue, *CHAIN, BUSY) == told


def test_a_busy_parent_that_has_children_already_may_have_more() -> None:
    assert problem(a_queue("a", parent="busy"), BUSY, a_queue("b", parent="busy")) == ""


def test_a_queue_cannot_be_moved_below_itself() -> None:
    old = a_queue("q1")

    found = problem(a_queue("q1", parent="q3"), *CHAIN, old=old)

    assert found == "queue q1 cannot use q3 as parent, which is below it"


PARENT = a_queue(
    "p", capability={"cpu": "10"}, deserved={"cpu": "8", "memory": "16Gi"}, guarantee=guaranteed(cpu="4", memory="8Gi")
)
CHILD = a_queue("c", parent="p", deserved={"cpu": "5"}, guarantee=guaranteed(cpu="3"))


@pytest.mark.parametrize(
    ("queue", "told"),
    [
        (a_queue("a", parent="p", deserved={"cpu": "3"}, guarantee=guaranteed(cpu="1")), ""),
        (a_queue("a", parent="c", capability={"cpu": "20"}),
         "queue a capability[cpu]=20 exceeds its ancestor's capability=10"),
        (a_queue("a", parent="p", deserved={"cpu": "2"}, guarantee=guaranteed(cpu="2")),
         "parent queue p validation failed: sum of children's guarantee (cpu 5000.00, memory 0.00)"
         " exceeds parent's guarantee limit (cpu 4000.00, memory 8589934592.00)"),
        (a_queue("a", parent="p", deserved={"cpu": "4"}),
         "parent queue p validation failed: sum of children's deserved (cpu 9000.00, memory 0.00)"
         " exceeds parent's deserved limit (cpu 8000.00, memory 17179869184.00)"),
        (a_queue("a", parent="p", deserved={"nvidia.com/gpu": 1}),
         "parent queue p validation failed: sum of children's deserved (cpu 5000.00, memory 0.00, nvidia.com/gpu"
         " 1000.00) exceeds parent's deserved limit (cpu 8000.00, memory 17179869184.00)"),
    ],
)  # fmt: skip
def test_children_fit_into_their_parent(queue: Any, told: str) -> None:
    assert problem(queue, PARENT, CHILD) == told


@pytest.mark.parametrize(
    ("parent", "told"),
    [
        (a_queue("p", deserved={"cpu": "5"}, guarantee=guaranteed(cpu="3")), ""),
        (a_queue("p", deserved={"cpu": "4"}, guarantee=guaranteed(cpu="3")),
         "queue p validation failed: sum of children's deserved (cpu 5000.00, memory 0.00)"
         " exceeds parent's deserved limit (cpu 4000.00, memory 0.00)"),
        (a_queue("p", deserved={"cpu": "5"}, guarantee=guaranteed(cpu="3"), capability={"cpu": "6", "memory": "1Gi"}),
         "queue p capability[memory]=1Gi is smaller than its descendants' max capability=2Gi"),
    ],
)  # fmt: skip
def test_a_parent_stays_large_enough_for_its_children(parent: Any, told: str) -> None:
    grandchild = a_queue("g", parent="c", capability={"memory": "2Gi"})

    assert problem(parent, PARENT, CHILD, grandchild, old=PARENT) == told


def test_a_queue_whose_spec_stays_is_not_looked_at() -> None:
    bad = a_queue("a", parent="a")

    assert problem({**bad, "status": {"state": "Closing"}}, old=bad) == ""


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("free", ""),
        ("default", "`default` queue can not be deleted"),
        ("root", "`root` queue can not be deleted"),
        ("p", "queue p can not be deleted because it has 2 child queues: a, b"),
    ],
)
def test_the_queues_that_others_need_stay(name: str, told: str) -> None:
    known = queues(a_queue("free"), a_queue("p"), a_queue("b", parent="p"), a_queue("a", parent="p"))

    assert deletion_problem(name, known) == told
