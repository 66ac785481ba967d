"""Requests and responses of the kubelet API, on aiohttp.web: how parameters are parsed and errors are written."""

from aiohttp import web

from windlass.kube.errors import ApiError
from windlass.kube.json import encode

MAX_LINE = 1 << 20
"""Bytes of a request line, which holds the command of an exec: Go's limit for the whole head."""


def first(request: web.Request, *names: str) -> str:
    """Return the first value of a query parameter by any of its names."""
    return next(iter(all_values(request, *names)), "")


def all_values(request: web.Request, *names: str) -> list[str]:
    return [value for name, value in request.query.items() if name in names]


def flag(request: web.Request, *names: str) -> bool:
    """Parse a boolean as Kubernetes does: true unless it says no, also `?follow` alone, and Python's `True`."""
    values = all_values(request, *names)
    return bool(values) and values[0].lower() not in ("0", "f", "false")


def listed(request: web.Request, header: str) -> list[str]:
    """Return the values of a header, which may be repeated or separated by commas."""
    values = ",".join(request.headers.getall(header, ()))
    return [part.strip() for part in values.split(",") if part.strip()]


def json(value: object, code: int = 200) -> web.Response:
    return web.Response(body=encode(value), status=code, content_type="application/json")


def text(message: str, code: int = 200, content_type: str = "text/plain; charset=utf-8") -> web.Response:
    return web.Response(body=message.encode(), status=code, headers={"Content-Type": content_type})


def status(error: ApiError) -> web.Response:
    """Return a Status, which every client can parse; it is passed on unchanged."""
    return json(error.status(), error.code)
