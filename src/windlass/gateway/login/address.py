"""What a request says of its client: the address of its peer, or what a proxy on this machine says of its own."""

from aiohttp import web

LOOPBACK = ("127.0.0.1", "::1")


def client_address(request: web.Request) -> str:
    return address_of(request.remote or "", request.headers.get("X-Forwarded-For", ""))


def address_of(peer: str, forwarded: str) -> str:
    """The peer; or what a proxy on this machine says of its peer."""
    return of_proxy(peer, forwarded)[:64] or peer


def of_proxy(peer: str, forwarded: str) -> str:
    """The entry of an X-Forwarded header that a proxy on this machine has added, the last; from others it is empty."""
    return forwarded.rpartition(",")[2].strip() if peer in LOOPBACK else ""
