"""When the past is forgotten, and by whom."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from tests.apiserver.store.builders import pod, put
from windlass.apiserver.store import Compacted, StorageFailed, Store
from windlass.apiserver.store.compaction import Clock, keep_compacting


def test_a_revision_is_old_enough_once_it_has_been_the_newest_for_the_promised_time() -> None:
    clock = Clock(timedelta(minutes=5), 100, now=0)
    clock.mark(200, now=60)

    assert clock.old_enough(now=299) == 0
    assert clock.old_enough(now=300) == 100
    clock.mark(300, now=300)
    assert clock.old_enough(now=360) == 200
    assert clock.old_enough(now=360) == 0


async def test_a_store_that_was_started_forgets_by_itself(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.db", history=timedelta(0))
    store.start()
    await put(store, pod("a"))
    newest = await put(store, pod("a"))
    async with asyncio.timeout(60):
        while store.compacted < newest.rev:
            await asyncio.sleep(0.01)

    with pytest.raises(Compacted):
        store.rows_at("pods", None, newest.rev - 1)
    await store.close()


async def test_a_failed_turn_is_followed_by_another() -> None:
    class Failing:
        revision = 5
        turns = 0

        async def compact(self, revision: int | None = None) -> None:
            self.turns += 1
            raise StorageFailed(Path("state.db"), "disk I/O error")

    store = Failing()
    task = asyncio.create_task(keep_compacting(store, Clock(timedelta(0), 1), timedelta(0)))
    async with asyncio.timeout(60):
        while store.turns < 3:
            await asyncio.sleep(0)
    task.cancel()
