"""What decisions read of a stream's headers, and the headers for the backend."""

import asyncio

from multidict import CIMultiDict

from windlass.gateway.proxy.forward import Target
from windlass.gateway.proxy.headers import forwarded_headers
from windlass.gateway.proxy.http2.connection import Headers
from windlass.gateway.proxy.paths import normalise
from windlass.gateway.request import Http2Request

GRPC = "application/grpc"
_NOT_PASSED = frozenset({"host"})  # :authority says it


def request_of(headers: Headers, transport: asyncio.Transport | None) -> Http2Request:
    """Raises BadPath."""
    pseudo: dict[str, str] = {}
    regular: CIMultiDict[str] = CIMultiDict()
    for raw_name, raw_value in headers:
        name, value = _text(raw_name), _text(raw_value)
        if name.startswith(":"):
            pseudo[name] = value
        else:
            regular.add(name, value)
    raw_path, host = pseudo.get(":path", ""), pseudo.get(":authority") or regular.get("host", "")
    regular["Host"] = host
    return Http2Request(
        method=pseudo.get(":method", ""),
        path=normalise(raw_path.partition("?")[0]),
        raw_path=raw_path,
        host=host,
        headers=regular,
        transport=transport,
    )


def is_grpc(headers: Headers) -> bool:
    return any(name == b"content-type" and value.startswith(GRPC.encode()) for name, value in headers)


def backend_headers(request: Http2Request, target: Target) -> list[tuple[bytes, bytes]]:
    """The request's headers for the backend, without what concerns this connection or an identity."""
    kept = forwarded_headers(
        request.headers.items(),
        connection=request.headers.get("connection", ""),
        replaced=target.dropped_headers.union((name.lower() for name, _ in target.set_headers), _NOT_PASSED),
        hidden_cookies=target.hidden_cookies,
    )
    pairs = [
        (":method", request.method),
        (":scheme", "http"),
        (":authority", request.host),
        (":path", f"{target.path}{target.query}"),
        *kept,
        *target.set_headers,
    ]
    if request.headers.get("te", "").lower() == "trailers":  # gRPC servers refuse requests without
        pairs.append(("te", "trailers"))
    return [(_bytes(name.lower()), _bytes(value)) for name, value in pairs]


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _bytes(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")
