"""Asks a server that may not be up yet until it answers."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from windlass.kube import errors
from windlass.kube.informer import Backoff

T = TypeVar("T")

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 5.0
NOT_UP = (errors.TooManyRequests, errors.InternalError, errors.ServiceUnavailable, errors.Timeout)
"""Answers of a server that is away or still starting; others would be the same later."""

log = logging.getLogger(__name__)


async def until_answered(
    ask: Callable[[], Awaitable[T]], stop: asyncio.Event, report: Callable[[str], None]
) -> T | None:
    """The answer to `ask`, which is repeated while the server is not up; None if `stop` is set before it is.

    `report` is called with what is wrong, and with an empty text when nothing is any more.
    """
    asking, stopped = asyncio.ensure_future(_repeat(ask, report)), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({asking, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            return None
        report("")
        return await asking
    finally:
        asking.cancel()
        stopped.cancel()


async def _repeat(ask: Callable[[], Awaitable[T]], report: Callable[[str], None]) -> T:
    backoff = Backoff(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
    while True:
        try:
            return await ask()
        except NOT_UP as error:
            seconds = backoff.pause()
            report(str(error))
            log.warning("waiting for the API server again_in=%.1fs error=%s", seconds, error)
        await asyncio.sleep(seconds)
