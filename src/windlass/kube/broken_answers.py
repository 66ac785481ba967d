"""Answers whose source fails after a part of them was sent: an ordinary event, such as a restart of the source.

No other answer can follow, so the connection ends: by that clients know that the rest is missing.
"""

import logging

from aiohttp import web
from aiohttp.typedefs import Handler

from windlass.kube.handover import HandedOver

log = logging.getLogger(__name__)


class BrokenAnswer(Exception):
    """The source of an answer has failed in the middle of it; the message says why."""


def end_connection(request: web.Request) -> web.StreamResponse:
    """End the client's connection at once; what a handler returns then."""
    if request.transport is not None:
        request.transport.abort()
    return HandedOver()


def has_left(request: web.Request) -> bool:
    """Whether the client has closed its connection."""
    return request.transport is None or request.transport.is_closing()


@web.middleware
async def end_broken_answers(request: web.Request, handler: Handler) -> web.StreamResponse:
    """End the connection of an answer that breaks off, with a line in the log."""
    try:
        return await handler(request)
    except BrokenAnswer as error:
        log.info("answer broken off method=%s path=%s error=%s", request.method, request.path, error)
        return end_connection(request)
