"""Messages and trailers as gRPC and gRPC-web frame them: a byte of flags, four of the length, the content. Pure."""

import base64
import binascii

from windlass.apps.pipelines.wire.errors import InvalidArgument, Unimplemented
from windlass.gateway.proxy.http2.answers import grpc_status

METADATA_SERVICE = "ml_metadata.MetadataStoreService"
WEB, WEB_TEXT = "application/grpc-web", "application/grpc-web-text"
MAX_MESSAGE = 4 << 20
"""Bytes of a request; gRPC's own default."""
_HEADER = 5
_COMPRESSED, _TRAILERS = 0x01, 0x80


def framed(message: bytes, flags: int = 0) -> bytes:
    return bytes([flags]) + len(message).to_bytes(4) + message


def only_message(body: bytes) -> bytes:
    """The message of a body that has one. Raises InvalidArgument, and Unimplemented for a compressed one."""
    if len(body) < _HEADER or len(body) != _HEADER + int.from_bytes(body[1:_HEADER]):
        raise InvalidArgument("the body is not one gRPC message")
    if body[0] & _COMPRESSED:
        raise Unimplemented("send messages without compression")
    return body[_HEADER:]


def take_message(received: bytearray) -> bytes | None:
    """Take the first message out of what has arrived; None while it is not complete. Raises Unimplemented."""
    size = _HEADER + int.from_bytes(received[1:_HEADER]) if len(received) >= _HEADER else _HEADER
    if len(received) < size:
        return None
    frame = bytes(received[:size])
    del received[:size]
    return only_message(frame)


def web_body(message: bytes) -> bytes:
    """The body of a successful gRPC-web answer: the message, and the trailers as a last frame."""
    trailers = b"".join(name + b":" + value + b"\r\n" for name, value in grpc_status(0, ""))
    return framed(message) + framed(trailers, _TRAILERS)


def is_web(content_type: str) -> bool:
    return content_type.lower().startswith(WEB)


def is_text(content_type: str) -> bool:
    """Whether bodies are base64, which XMLHttpRequest can read while they arrive."""
    return content_type.lower().startswith(WEB_TEXT)


def of_text(body: bytes) -> bytes:
    """The bytes of a body in base64, which may consist of several padded parts. Raises InvalidArgument."""
    quads = b"".join(body.split())
    try:
        # A part may end in padding; what follows it is another part, which starts at a quad of its own.
        ends = [at + 4 for at in range(0, len(quads), 4) if quads[at : at + 4].endswith(b"=")]
        starts = [0, *ends]
        parts = [quads[start:end] for start, end in zip(starts, [*ends, len(quads)], strict=True)]
        return b"".join(base64.b64decode(part, validate=True) for part in parts)
    except binascii.Error as error:
        raise InvalidArgument("the body is not base64") from error
