"""The standard gRPC health check (`grpc.health.v1.Health/Check`) over a connection that is given."""

import asyncio
import socket
from typing import Any

import h2.config
import h2.connection
import h2.events
import h2.exceptions

STATUSES = ("UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN")
NOT_IMPLEMENTED = "error: this server does not implement the grpc health protocol (grpc.health.v1.Health)"


async def health(connection: socket.socket, service: str) -> str | None:
    """None where the service serves, else why not, in kubelet's words."""
    reader, writer = await asyncio.open_connection(sock=connection)
    try:
        return await _check(reader, writer, service)
    except h2.exceptions.ProtocolError as error:
        return f"error: health rpc probe failed: {error}"
    finally:
        writer.close()


async def _check(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, service: str) -> str | None:
    session: Any = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
    session.initiate_connection()
    stream = session.get_next_available_stream_id()
    session.send_headers(
        stream,
        [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", "/grpc.health.v1.Health/Check"),
            (":authority", "localhost"),
            ("content-type", "application/grpc"),
            ("te", "trailers"),
        ],
    )
    session.send_data(stream, _message(service), end_stream=True)
    body, told = b"", {}
    while True:
        writer.write(session.data_to_send())
        received = await reader.read(65536)
        if not received:
            return "error: health rpc probe failed: connection closed"
        for event in session.receive_data(received):
            if isinstance(event, h2.events.DataReceived):
                body += event.data or b""
            elif isinstance(event, h2.events.ResponseReceived | h2.events.TrailersReceived):
                told |= dict(event.headers or ())
            elif isinstance(event, h2.events.StreamEnded):
                return _verdict(body, told)
            elif isinstance(event, h2.events.StreamReset | h2.events.ConnectionTerminated):
                return "error: health rpc probe failed: stream ended"


def _message(service: str) -> bytes:
    """A gRPC frame with a HealthCheckRequest: its field 1 is the service's name."""
    name = service.encode()
    encoded = b"\x0a" + bytes([len(name)]) + name if name else b""
    return b"\x00" + len(encoded).to_bytes(4, "big") + encoded


def _verdict(body: bytes, told: dict[str, str]) -> str | None:
    code = told.get("grpc-status", "0")
    if code == "12":
        return NOT_IMPLEMENTED
    if code != "0":
        return f"error: health rpc probe failed: {told.get('grpc-message', f'code {code}')}"
    status = body[6] if len(body) >= 7 and body[5] == 0x08 else 0
    word = STATUSES[status] if status < len(STATUSES) else str(status)
    return None if word == "SERVING" else f'service unhealthy (responded with "{word}")'
