"""The collector of cycles is left out of the start, and comes back whatever happens."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import suppress

import pytest

from windlass.kube.loading import collect_when


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


async def test_nothing_is_collected_until_all_is_loaded_and_what_was_loaded_is_not_looked_at_again() -> None:
    loaded = asyncio.Event()
    running = asyncio.create_task(collect_when(loaded.is_set))
    await asyncio.sleep(0)
    assert not gc.isenabled()

    loaded.set()
    await running

    assert gc.isenabled()
    assert gc.get_freeze_count() > 0


async def test_it_does_not_wait_for_ever() -> None:
    await collect_when(lambda: False, within=0)
    assert gc.isenabled()


async def test_a_start_that_is_given_up_has_its_collector_back() -> None:
    running = asyncio.create_task(collect_when(lambda: False))
    await asyncio.sleep(0)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
