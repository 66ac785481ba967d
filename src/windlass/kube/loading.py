"""Keeps Python's collector of cycles away from what a process loads at its start and holds until its end.

The collector walks through all objects again each time their number has grown by a quarter, and through all that are
held on later occasions. With 100,000 pods in the caches that was a fifth of a manager's start, and each full collection
afterwards stopped it for most of a second.
"""

import asyncio
import gc
import time
from collections.abc import Callable

POLL_SECONDS = 0.1  # seconds
TIMEOUT_SECONDS = 60.0  # seconds: cycles must not pile up where it never gets to the end


async def collect_when(loaded: Callable[[], bool], within: float = TIMEOUT_SECONDS) -> None:
    """No collection until `loaded`, or for so many seconds at most; then only of what has come since."""
    until = time.monotonic() + within
    gc.collect()  # the cycles that imports left: what is garbage when it is frozen stays for good
    gc.disable()
    try:
        while not loaded() and time.monotonic() < until:  # noqa: ASYNC110 - it depends on many caches, each with an event
            await asyncio.sleep(POLL_SECONDS)
        gc.freeze()
    finally:
        gc.enable()
