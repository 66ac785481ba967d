"""The loop that runs controllers, by itself: it shares the process with others."""

import asyncio
import time
from datetime import timedelta

from windlass.kube.metrics import Metrics
from windlass.kube.queue import Queue
from windlass.kube.worker import TURN, work


async def test_a_long_line_of_keys_that_need_nothing_does_not_keep_others_waiting() -> None:
    keys, done = 50, 0
    queue: Queue[int] = Queue()
    for key in range(keys):
        queue.add(key)

    async def look(_: int) -> timedelta | None:
        nonlocal done
        until = time.perf_counter() + TURN / 4
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
