"""The address that a request comes from, also behind a proxy on this machine."""

from aiohttp import web

LOOPBACK = ("127.0.0.1", "::1")


def client_address(request: web.Request) -> str:
    return address_of(request.remote or "", request.headers.get("X-Forwarded-For", ""))


def address_of(peer: str, forwarded: str) -> str:
    """The peer; or what a proxy on this machine says of its peer, which is the last entry of X-Forwarded-For."""
    last = forwarded.rpartition(",")[2].strip()
    return last[:64] if peer in LOOPBACK and last else peer
