"""The cost of a change while 60,000 pods wait, in lines of Python that run: they are the same on every machine."""

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from tests.scheduler.builders import a_pod
from windlass.scheduler.live.core.resting_pods import ANY_POD, Change
from windlass.scheduler.live.core.scheduling_queue import MAX_STALE, SchedulingQueue
from windlass.scheduler.model.pod_info import PodInfo

MANY = 60_000
CPU = frozenset(("resources",))


def lines_run(act: Callable[[], object]) -> int:
    """The lines of Python that run while `act` does."""
    count = 0

    def trace(_: FrameType, event: str, __: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


def a_queue(*pods: tuple[PodInfo, frozenset[str]]) -> SchedulingQueue:
    """All of them rest since time 0."""
    queue, refusals = SchedulingQueue(), {pod.uid: refused_by for pod, refused_by in pods}
    for pod, _ in pods:
        queue.add(pod, 0.0)
    while (entry := queue.pop(0.0)) is not None:
        queue.rest(entry.pod.uid, refusals[entry.pod.uid], 0.0)
    return queue


def many(count: int = MANY, *, cpu: str = "2", namespace: str = "a") -> list[PodInfo]:
    first = a_pod("first", cpu=cpu, namespace=namespace)
    return [first.like(f"p{number:05}", f"{namespace}-{cpu}-{number:05}") for number in range(count)]


def names(queue: SchedulingQueue, now: float) -> list[str]:
    def popped() -> Iterator[str]:
        while (entry := queue.pop(now)) is not None:
            yield f"{entry.pod.key}"

    return list(popped())


@pytest.fixture(scope="module")
def full() -> SchedulingQueue:
    """60,000 pods that lack cpu, which the tests leave at rest."""
    return a_queue(*((pod, CPU) for pod in many()))


@pytest.mark.parametrize("predicates", [("spread", "pod_affinity"), ("volumes",), ("reservation",)])
def test_a_change_that_helps_none_of_60_000_looks_at_none(full: SchedulingQueue, predicates: tuple[str, ...]) -> None:
    assert lines_run(lambda: full.wake(Change(frozenset(predicates)), 20.0)) < 50


def test_a_place_that_is_too_small_is_compared_once_with_60_000_that_are_alike(full: SchedulingQueue) -> None:
    asked: list[str] = []

    def fits(pod: PodInfo) -> bool:
        asked.append(pod.uid)
        return False

    assert lines_run(lambda: full.wake(Change(frozenset(("ports",)), fits), 20.0)) < 60
    assert len(asked) == 1


def test_a_flush_of_60_000_that_do_not_rest_for_long_looks_at_one(full: SchedulingQueue) -> None:
    full.wake(Change(frozenset()), 20.0)

    assert lines_run(lambda: full.flush(200.0)) < 60


def test_a_change_brings_back_the_few_that_it_may_help_among_60_000() -> None:
    few = [(a_pod(name, priority=priority), frozenset((by,))) for name, priority, by in
           (("low", 0, "volumes"), ("high", 5, "volumes"), ("near", 0, "spread"))]  # fmt: skip
    queue = a_queue(*((pod, CPU) for pod in many()), *few)

    assert lines_run(lambda: queue.wake(Change(frozenset(("volumes",))), 20.0)) < 200
    assert names(queue, 20.0) == ["default/high", "default/low"]


def test_a_free_place_brings_back_the_pods_that_fit() -> None:
    small, large = many(2, cpu="1"), many(2, cpu="3")
    queue = a_queue(*((pod, CPU) for pod in (*small, *large)))
    queue.wake(Change(frozenset(), lambda pod: pod.requests["cpu"] <= 2000), 20.0)

    assert names(queue, 20.0) == ["a/p00000", "a/p00001"]
    assert queue.wake(ANY_POD, 30.0)
    assert len(names(queue, 30.0)) == 2


def test_a_pod_that_changes_or_goes_is_no_longer_among_those_that_rest() -> None:
    first, second, third = many(3)
    queue = a_queue((first, CPU), (second, CPU), (third, CPU))
    queue.remove(second.uid)
    changed = a_pod("p00000", cpu="1", namespace="a", priority=3)
    changed.uid = first.uid
    queue.add(changed, 20.0)

    assert names(queue, 20.0) == ["a/p00000"]
    queue.wake(ANY_POD, 20.0)
    assert names(queue, 20.0) == ["a/p00002"]


def test_of_60_000_stale_pods_a_flush_brings_back_some_and_all_come_in_time() -> None:
    pods = many()
    queue = a_queue(*((pod, CPU) for pod in pods))
    queue.wake(Change(frozenset()), 20.0)
    now, seen, batches = 400.0, list[str](), list[int]()
    while len(seen) < MANY:
        queue.flush(now)
        batch = names(queue, now)
        batches.append(len(batch))
        seen += batch
        now += 30.0

    assert set(batches) == {MAX_STALE}
    assert seen == [f"{pod.key}" for pod in pods], "the one that rests longest first"


def test_a_stale_pod_of_another_namespace_does_not_wait_behind_60_000() -> None:
    (other,) = many(1, namespace="b")
    queue = a_queue(*((pod, CPU) for pod in (*many(), other)))
    queue.wake(Change(frozenset()), 20.0)
    queue.flush(400.0)

    assert "b/p00000" in names(queue, 400.0)
