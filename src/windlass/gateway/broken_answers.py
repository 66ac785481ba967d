"""Answers whose source fails after a part of them was sent: an ordinary event, such as a restart of the source.

No other answer can follow, so the connection ends: by that clients know that the rest is missing.
"""

from aiohttp import web

from windlass.kube.handover import HandedOver


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
