"""Troubles that come next_failure."""

import time

from windlass.node.pods.state import next_failure


def test_each_time_it_is_waited_twice_as_long_up_to_the_longest() -> None:
    failure, waits = None, list[int]()
    for _ in range(6):
        failure = next_failure(failure, "ErrImagePull", "no", first_delay=10, max_delay=100, image="a:1")
        waits.append(round(failure.retry_at - time.time()))

    assert waits == [10, 20, 40, 80, 100, 100]
    assert failure is not None
    assert (failure.times, failure.reason, failure.message, failure.image) == (6, "ErrImagePull", "no", "a:1")


def test_another_trouble_begins_anew() -> None:
    failure = next_failure(next_failure(None, "FailedMount", "x"), "FailedMount", "y")

    assert (failure.times, failure.message) == (2, "y")
    assert next_failure(failure, "FailedCreatePodSandBox", "x").times == 1
    assert next_failure(failure, "FailedMount", "x", image="b").times == 1
