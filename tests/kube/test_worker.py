"""The loop that runs controllers, by itself: it shares the process with others."""

import asyncio
import logging
import time
from collections.abc import Callable
from datetime import timedelta

import pytest

from windlass.kube import errors
from windlass.kube.meta import Key
from windlass.kube.metrics import Metrics
from windlass.kube.queue import Queue
from windlass.kube.worker import MAX_REFUSAL_DELAY_SECONDS, TURN_SECONDS, work

WEB = Key("shop", "web")


async def test_a_long_line_of_keys_that_need_nothing_does_not_keep_others_waiting() -> None:
    keys, done = 50, 0
    queue: Queue[int] = Queue()
    for key in range(keys):
        queue.add(key)

    async def look(_: int) -> timedelta | None:
        nonlocal done
        until = time.perf_counter() + TURN_SECONDS / 4
        while time.perf_counter() < until:
            pass
        done += 1
        return None

    working = asyncio.create_task(work("looks", queue, look, Metrics()))
    await asyncio.sleep(0)  # its first turn
    after_a_turn = done
    while done < keys:
        await asyncio.sleep(0)
    queue.shut_down()
    await working

    assert after_a_turn < keys


async def attempts(error: Callable[[int], Exception], count: int) -> Queue[Key]:
    """Let the work on one key fail `count` times."""
    queue: Queue[Key] = Queue(first_delay=1e-6)
    queue.add(WEB)
    made, enough = 0, asyncio.Event()

    async def fail(_: Key) -> timedelta | None:
        nonlocal made
        made += 1
        if made == count:
            enough.set()
            queue.shut_down()
        raise error(made)

    await work("crew", queue, fail, Metrics())
    await enough.wait()
    return queue


async def test_a_refusal_that_repeats_is_logged_once_and_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        await attempts(lambda n: errors.Forbidden(f'pods "web-{n}" is forbidden:\nspec.a: bad\nspec.b: bad'), 8)

    [line] = [record.getMessage() for record in caplog.records]
    assert "controller=crew key=shop/web attempt=1" in line
    assert line.endswith('error=Forbidden: pods "web-1" is forbidden:; spec.a: bad; spec.b: bad')


async def test_another_refusal_of_the_same_object_is_logged_too(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        await attempts(lambda n: errors.Forbidden("no room" if n < 4 else "no queue"), 8)

    assert [record.getMessage().split(": ")[-1] for record in caplog.records] == ["no room", "no queue"]


async def test_a_refused_key_waits_ever_longer_and_five_minutes_at_most() -> None:
    queue: Queue[Key] = Queue()
    delays = [queue.retry(WEB, longest=MAX_REFUSAL_DELAY_SECONDS) for _ in range(20)]

    assert delays[:3] == [0.005, 0.01, 0.02]
    assert delays[15:] == [0.005 * 2**15, 300, 300, 300, 300]
    queue.forget(WEB)
    assert queue.retry(WEB, longest=MAX_REFUSAL_DELAY_SECONDS) == 0.005
    queue.shut_down()
