"""Gives free memory back to the system.

Reading everything at a start, and each burst of work, leaves holes in the heap that the allocator keeps for later: a
tenth of the memory of a manager with thousands of pods. glibc gives them back when asked; elsewhere nothing happens.
"""

import asyncio
import ctypes
from collections.abc import Callable

START_SECONDS = 5.0  # after which a start is over, with most of what it left
TRIM_SECONDS = 30.0


def give_back() -> None:
    trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


async def give_back_now_and_then(release: Callable[[], None] = lambda: None) -> None:
    """`release` drops what can be made again, each time before."""
    await asyncio.sleep(START_SECONDS)
    while True:
        release()
        give_back()
        await asyncio.sleep(TRIM_SECONDS)
