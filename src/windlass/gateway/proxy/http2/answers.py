"""Refusals over HTTP/2: gRPC clients get gRPC's status, others a response with a text. Pure."""

from typing import TYPE_CHECKING
from urllib.parse import quote

from windlass.gateway.proxy.headers import takes_session

if TYPE_CHECKING:
    from windlass.gateway.proxy.http2.connection import Headers

PERMISSION_DENIED = 7
UNKNOWN = 2
_GRPC_CODES = {400: 13, 401: 16, 403: PERMISSION_DENIED, 404: 12, 429: 14, 502: 14, 503: 14, 504: 4, 505: 12}
"""By gRPC's own table of HTTP statuses; 504 is the route's timeout, a deadline."""


def refusal(status: int, message: str, *, as_grpc: bool) -> "tuple[Headers, bytes]":
    """Headers and body. For gRPC the headers are the whole answer."""
    text = message.strip()
    if as_grpc:
        without_status = text.removeprefix(f"{status}: ")
        return (
            [
                (b":status", b"200"),
                (b"content-type", b"application/grpc"),
                *grpc_status(_GRPC_CODES.get(status, UNKNOWN), without_status),
            ],
            b"",
        )
    body = f"{text}\n".encode()
    headers = [
        (b":status", str(status).encode()),
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
    ]
    return headers, body


def passed_response(headers: "Headers", hidden_cookies: frozenset[str]) -> "Headers":
    """The headers of a backend's response without those that would end or exchange the browser's session."""
    return [pair for pair in headers if not takes_session(*pair, hidden_cookies)]


def grpc_status(code: int, message: str) -> list[tuple[bytes, bytes]]:
    """The trailers that end a call."""
    return [
        (b"grpc-status", str(code).encode()),
        (b"grpc-message", quote(message, safe=" !\"#$&'()*+,/:;<=>?@").encode()),
    ]
