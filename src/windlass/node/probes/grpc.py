"""The standard gRPC health check (`grpc.health.v1.Health/Check`) over a given connection."""

import asyncio
import socket
from typing import Any
from urllib.parse import unquote

import h2.config
import h2.connection
import h2.events
import h2.exceptions

from windlass.node.probes.http import errno_text

STATUSES = ("UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN")
NOT_IMPLEMENTED = "error: this server does not implement the grpc health protocol (grpc.health.v1.Health)"
FAILED = "error: health rpc probe failed"
UNIMPLEMENTED = 12
CODES = [
    "OK",
    "Canceled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
]


async def health(connection: socket.socket, service: str, authority: str, user_agent: str) -> str | None:
    """Return None if the service is serving, else kubelet's message."""
    reader, writer = await asyncio.open_connection(sock=connection)
    try:
        return await _check(reader, writer, service, authority, user_agent)
    except h2.exceptions.ProtocolError as error:
        return _rpc_error("Unavailable", f"connection error: {error}")
    except OSError as error:
        return _rpc_error("Unavailable", f"error reading from server: {errno_text(error)}")
    finally:
        writer.close()


async def _check(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, service: str, authority: str, user_agent: str
) -> str | None:
    session: Any = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
    session.initiate_connection()
    stream = session.get_next_available_stream_id()
    session.send_headers(stream, _headers(authority, user_agent))
    session.send_data(stream, _message(service), end_stream=True)
    body, headers = b"", dict[str, str]()
    while True:
        writer.write(session.data_to_send())
        received = await reader.read(65536)
        if not received:
            return _rpc_error("Unavailable", "error reading from server: EOF")
        for event in session.receive_data(received):
            if isinstance(event, h2.events.DataReceived):
                body += event.data or b""
            elif isinstance(event, h2.events.ResponseReceived | h2.events.TrailersReceived):
                headers.update((str(name), str(value)) for name, value in event.headers or ())
            elif isinstance(event, h2.events.StreamEnded):
                return _verdict(body, headers)
            elif isinstance(event, h2.events.StreamReset | h2.events.ConnectionTerminated):
                return _rpc_error("Unavailable", f"the stream was ended with error code {event.error_code}")


def _headers(authority: str, user_agent: str) -> list[tuple[str, str]]:
    return [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/grpc.health.v1.Health/Check"),
        (":authority", authority),
        ("content-type", "application/grpc"),
        ("user-agent", user_agent),
        ("te", "trailers"),
    ]


def _message(service: str) -> bytes:
    """Encode a gRPC frame with a HealthCheckRequest: its field 1 is the service's name."""
    name = service.encode()
    encoded = b"\x0a" + _varint(len(name)) + name if name else b""
    return b"\x00" + len(encoded).to_bytes(4, "big") + encoded


def _varint(number: int) -> bytes:
    """Encode seven bits per byte, the lowest first; all but the last have the high bit set."""
    pieces = bytearray()
    while number > 0x7F:
        pieces.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*pieces, number])


def _verdict(body: bytes, headers: dict[str, str]) -> str | None:
    if headers.get(":status", "200") != "200":
        return _rpc_error("Unknown", f"unexpected HTTP status code received from server: {headers[':status']}")
    code, message = headers.get("grpc-status", ""), unquote(headers.get("grpc-message", ""))
    number = int(code) if code.isdecimal() else CODES.index("Internal")
    if number == UNIMPLEMENTED:
        return f"{NOT_IMPLEMENTED}: {message}"
    if number:
        word = CODES[number] if number < len(CODES) else f"Code({number})"
        return _rpc_error(word, message if code else "server closed the stream without sending trailers")
    status = body[6] if len(body) >= 7 and body[5] == 0x08 else 0
    word = STATUSES[status] if status < len(STATUSES) else str(status)
    return None if word == "SERVING" else f'service unhealthy (responded with "{word}")'


def _rpc_error(code: str, message: str) -> str:
    return f"{FAILED}: rpc error: code = {code} desc = {message}"
