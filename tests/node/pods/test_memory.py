"""Troubles that come again."""

import time

from windlass.node.pods.memory import again


def test_each_time_it_is_waited_twice_as_long_up_to_the_longest() -> None:
    trouble, waits = None, list[int]()
    for _ in range(6):
        trouble = again(trouble, "ErrImagePull", "no", first=10, longest=100, about="a:1")
        waits.append(round(trouble.retry_at - time.time()))

    assert waits == [10, 20, 40, 80, 100, 100]
    assert trouble is not None
    assert (trouble.times, trouble.reason, trouble.message, trouble.about) == (6, "ErrImagePull", "no", "a:1")


def test_another_trouble_begins_anew() -> None:
    trouble = again(again(None, "FailedMount", "x"), "FailedMount", "y")

    assert (trouble.times, trouble.message) == (2, "y")
    assert again(trouble, "FailedCreatePodSandBox", "x").times == 1
    assert again(trouble, "FailedMount", "x", about="b").times == 1
