"""Redirects of the gateway itself."""

from urllib.parse import quote

from aiohttp import web

_KEPT = "!#$%&'()*+,/:;=?@[]~"


def redirect(location: str, status: int = 302, **headers: str) -> web.Response:
    """A redirect that no cache keeps. `headers`: further ones, with `_` for `-`."""
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return web.Response(status=status, headers={"Location": header_text(location), "Cache-Control": "no-store", **more})


def header_text(location: str) -> str:
    """A URL as a header may have it: anything but printable ASCII is percent-encoded. Pure.

    A line break would begin another header, and aiohttp breaks off the connection instead of sending one.
    """
    return quote(location, safe=_KEPT, errors="surrogateescape")
