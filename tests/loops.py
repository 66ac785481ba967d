"""Event loops of tests: how they end without leaving a connection to somebody else's test.

A transport that is still open when its loop closes is found by the garbage collector later, in whichever test runs
then, and its warning is told of that one.
"""

import asyncio
from typing import Any

TURNS = 10
"""More than asyncio needs to begin or to end a connection."""


async def turns() -> None:
    """Let what is under way on this loop come to its next state."""
    for _ in range(TURNS):
        await asyncio.sleep(0)


async def end_connections() -> None:
    """End whatever is connected on this loop."""
    await turns()
    loop: Any = asyncio.get_running_loop()
    for transport in list(loop._transports.values()):  # asyncio has no other way to ask
        transport.abort()
    await turns()


def close(loop: asyncio.AbstractEventLoop) -> None:
    """Close a loop that nobody runs any more."""
    loop.run_until_complete(end_connections())
    loop.close()
