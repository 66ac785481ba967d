"""WebSocket frames of a server (RFC 6455), without I/O, and the handshake's response."""

import base64
import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
MAX_MESSAGE = 16 << 20
_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class BadFrame(Exception):
    """Invalid or oversized data; `code` is that of the closing frame."""

    def __init__(self, message: str, code: int = 1002) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Message:
    """A complete message: TEXT, BINARY, CLOSE, PING or PONG."""

    opcode: int
    data: bytes


def accept_key(key: str) -> str:
    return base64.b64encode(hashlib.sha1(key.encode() + _MAGIC).digest()).decode()


def encode(opcode: int, data: bytes) -> bytes:
    """Encode one unmasked frame, as servers send them."""
    length = len(data)
    if length < 126:
        head = bytes((0x80 | opcode, length))
    elif length < 1 << 16:
        head = struct.pack(">BBH", 0x80 | opcode, 126, length)
    else:
        head = struct.pack(">BBQ", 0x80 | opcode, 127, length)
    return head + data


def masked(data: bytes, mask: bytes) -> bytes:
    """Mask or unmask: the operation is its own inverse."""
    length = len(data)
    repeated = (mask * (length // 4 + 1))[:length]
    return (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(length, "big")


class Decoder:
    """Decodes a client's frames into messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._parts: list[bytes] = []
        self._opcode = 0
        self._held = 0

    def feed(self, data: bytes) -> Iterator[Message]:
        """Return the complete messages. Raises BadFrame."""
        self._buffer += data
        while (found := self._frame()) is not None:
            message = self._joined(*found)
            if message is not None:
                yield message

    def _frame(self) -> tuple[int, bytes] | None:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        if buffer[0] & 0x70 or not buffer[1] & 0x80:
            raise BadFrame("reserved bits are set, or a client's frame is not masked")
        length, at = buffer[1] & 0x7F, 2
        if length >= 126:
            size = 2 if length == 126 else 8
            if len(buffer) < 2 + size:
                return None
            length, at = int.from_bytes(buffer[2 : 2 + size], "big"), 2 + size
        if length + self._held > MAX_MESSAGE:
            raise BadFrame("message too big", 1009)
        if len(buffer) < at + 4 + length:
            return None
        first, mask = buffer[0], bytes(buffer[at : at + 4])
        payload = masked(bytes(buffer[at + 4 : at + 4 + length]), mask)
        del buffer[: at + 4 + length]
        return first, payload

    def _joined(self, first: int, payload: bytes) -> Message | None:
        final, opcode = bool(first & 0x80), first & 0x0F
        if opcode >= CLOSE:
            if not final or len(payload) > 125:
                raise BadFrame("a control frame must be whole and short")
            return Message(opcode, payload)
        if (opcode == CONTINUATION) != bool(self._opcode):
            raise BadFrame("a message's frames are out of order")
        self._opcode = self._opcode or opcode
        self._parts.append(payload)
        self._held += len(payload)
        if not final:
            return None
        message = Message(self._opcode, b"".join(self._parts))
        self._parts, self._opcode, self._held = [], 0, 0
        return message
