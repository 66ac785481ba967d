"""Messages between agent, zygote and supervisors: one JSON object per line on a unix socket, with descriptors."""

import array
import json
import os
import socket
from typing import Any

Message = dict[str, Any]

_MAX_DESCRIPTORS = 16
_CHUNK = 1 << 16


def encode(message: Message) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


class Received:
    """Reassembles messages. Descriptors sent with a message's first bytes are available when it is complete."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.descriptors: list[int] = []

    def read(self, connection: socket.socket) -> list[Message] | None:
        """Return the complete messages; None when the other side is gone. Raises BlockingIOError."""
        try:
            data, ancillary, _flags, _address = connection.recvmsg(_CHUNK, socket.CMSG_SPACE(4 * _MAX_DESCRIPTORS))
        except (ConnectionError, TimeoutError):
            return None
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                numbers = array.array("i")
                numbers.frombytes(payload[: len(payload) - len(payload) % 4])
                for number in numbers:
                    os.set_inheritable(number, False)
                self.descriptors += numbers
        if not data:
            return None
        self._buffer += data
        if b"\n" not in data:
            return []
        *lines, rest = self._buffer.split(b"\n")
        self._buffer = bytearray(rest)
        return [json.loads(line) for line in lines]

    def take(self, count: int) -> list[int]:
        taken, self.descriptors = self.descriptors[:count], self.descriptors[count:]
        return taken


def ancillary(descriptors: list[int] | tuple[int, ...]) -> list[tuple[int, int, Any]]:
    return [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []


def send(connection: socket.socket, message: Message, descriptors: list[int] | tuple[int, ...] = ()) -> None:
    """Send all of it, waiting if necessary (for a socket that blocks or has a timeout)."""
    data = encode(message)
    sent = connection.sendmsg([data], ancillary(descriptors))
    if sent < len(data):
        connection.sendall(data[sent:])
