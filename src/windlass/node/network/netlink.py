"""Netlink as bytes: attributes, messages, and a socket that sends many at once and reports which was refused.

Implemented here because a pod's network is some twenty messages of a few shapes: as plain bytes they cost microseconds,
and the helper stays small and quick to start. Numbers are the kernel's (linux/netlink.h).
"""

import errno
import itertools
import os
import socket
import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

NETLINK_ROUTE, NETLINK_NETFILTER = 0, 12
REQUEST, ACK, DUMP = 0x1, 0x4, 0x300
REPLACE, EXCLUSIVE, CREATE, APPEND = 0x100, 0x200, 0x400, 0x800
NESTED = 0x8000

_ERROR, _DONE = 2, 3
_SOL_NETLINK, _EXTENDED_ACK = 270, 11
_SO_SNDBUFFORCE, _SO_RCVBUFFORCE = 32, 33
_BUFFER = 32 * 2**20
_HEADER = struct.Struct("=IHHII")
_ATTRIBUTE = struct.Struct("=HH")
_HAS_EXTENDED = 0x200


class Message(NamedTuple):
    """One request: its type, its flags (REQUEST and ACK are added), and what follows the header."""

    type: int
    flags: int
    payload: bytes
    about: str = ""
    """Description for error messages."""


class Refused(OSError):
    """The kernel refused a message."""


def attribute(number: int, value: bytes) -> bytes:
    """Encode an attribute, padded to four bytes."""
    length = 4 + len(value)
    return _ATTRIBUTE.pack(length, number) + value + b"\0" * (-length % 4)


def nested(number: int, *attributes: bytes) -> bytes:
    return attribute(number | NESTED, b"".join(attributes))


def text(number: int, value: str) -> bytes:
    return attribute(number, value.encode() + b"\0")


def be32(number: int, value: int) -> bytes:
    return attribute(number, struct.pack(">I", value & 0xFFFFFFFF))


def be64(number: int, value: int) -> bytes:
    return attribute(number, struct.pack(">Q", value))


def u32(number: int, value: int) -> bytes:
    return attribute(number, struct.pack("=I", value))


def attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the attributes of a message: number (without flags) and value."""
    offset = 0
    while offset + 4 <= len(data):
        length, number = _ATTRIBUTE.unpack_from(data, offset)
        if length < 4:
            return
        yield number & 0x3FFF, data[offset + 4 : offset + length]
        offset += (length + 3) & ~3


class NetlinkSocket:
    """A socket of the network namespace in which it was created, whichever namespace its user joins later."""

    def __init__(self, protocol: int) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, protocol)
        self._socket.bind((0, 0))
        self._socket.setsockopt(_SOL_NETLINK, _EXTENDED_ACK, 1)
        for option, usual in ((_SO_SNDBUFFORCE, socket.SO_SNDBUF), (_SO_RCVBUFFORCE, socket.SO_RCVBUF)):
            try:
                self._socket.setsockopt(socket.SOL_SOCKET, option, _BUFFER)
            except PermissionError:  # needs CAP_NET_ADMIN over the machine; what everyone may have must do
                self._socket.setsockopt(socket.SOL_SOCKET, usual, _BUFFER)
        self.room = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) // 2
        self._numbers = itertools.count(1)

    def close(self) -> None:
        self._socket.close()

    def send(self, messages: Iterable[Message], *, ignore: frozenset[int] = frozenset()) -> None:
        """Send all messages at once; the kernel answers each. Raises `Refused` for the first that failed."""
        asked: dict[int, Message] = {}
        data = bytearray()
        for message in messages:
            number = next(self._numbers) & 0xFFFFFFFF
            asked[number] = message
            flags = message.flags | REQUEST | ACK
            data += _HEADER.pack(16 + len(message.payload), message.type, flags, number, 0) + message.payload
            data += b"\0" * (-len(data) % 4)
        if not asked:
            return
        self._socket.send(data)
        self._answers(asked, ignore)

    def _answers(self, asked: dict[int, Message], ignore: frozenset[int]) -> None:
        refused: Refused | None = None
        while asked:
            for kind, number, body in self._receive():
                if kind != _ERROR or number not in asked:
                    continue
                message = asked.pop(number)
                code = -struct.unpack_from("=i", body)[0]
                if code and code not in ignore and refused is None:
                    refused = Refused(code, f"{message.about or 'netlink'}: {os.strerror(code)}{_explained(body)}")
        if refused is not None:
            raise refused

    def batch(self, first: Message, messages: Iterable[Message], last: Message) -> None:
        """Run a transaction of nftables: all or nothing. The kernel answers only refused messages, and the end."""
        asked: dict[int, Message] = {}
        data, end = bytearray(), 0
        for message, flags in [(first, 0), *((m, 0) for m in messages), (last, ACK)]:
            number = next(self._numbers) & 0xFFFFFFFF
            asked[number] = message
            data += _HEADER.pack(16 + len(message.payload), message.type, message.flags | REQUEST | flags, number, 0)
            data += message.payload + b"\0" * (-len(message.payload) % 4)
            end = number
        self._socket.send(data)
        while True:
            for kind, number, body in self._receive():
                if kind != _ERROR or number not in asked:
                    continue
                code = -struct.unpack_from("=i", body)[0]
                if code:
                    self._drain()
                    raise Refused(code, f"{asked[number].about or 'nftables'}: {os.strerror(code)}{_explained(body)}")
                if number == end:
                    return

    def dump(self, message: Message) -> list[tuple[int, bytes]]:
        """Return all replies to a dump request: type and body of each message."""
        number = next(self._numbers) & 0xFFFFFFFF
        header = _HEADER.pack(16 + len(message.payload), message.type, message.flags | REQUEST | DUMP, number, 0)
        self._socket.send(header + message.payload)
        found: list[tuple[int, bytes]] = []
        while True:
            for kind, answered, body in self._receive():
                if answered != number:
                    continue
                if kind == _DONE:
                    return found
                if kind == _ERROR:
                    code = -struct.unpack_from("=i", body)[0]
                    raise Refused(code, f"{message.about}: {os.strerror(code)}")
                found.append((kind, body))

    def ask(self, message: Message) -> bytes | None:
        """Return the body of the single reply; None if the object does not exist."""
        number = next(self._numbers) & 0xFFFFFFFF
        self._socket.send(_HEADER.pack(16 + len(message.payload), message.type, REQUEST, number, 0) + message.payload)
        while True:
            for kind, answered, body in self._receive():
                if answered == number:
                    return None if kind == _ERROR else body

    def _drain(self) -> None:
        """Discard further errors of a transaction that has already failed."""
        self._socket.setblocking(False)
        try:
            while self._socket.recv(65536):
                pass
        except OSError as error:
            if error.errno != errno.EAGAIN:
                raise
        finally:
            self._socket.setblocking(True)

    def _receive(self) -> Iterator[tuple[int, int, bytes]]:
        data = self._socket.recv(1 << 18)
        offset = 0
        while offset + 16 <= len(data):
            length, kind, _, number, _ = _HEADER.unpack_from(data, offset)
            if length < 16:
                return
            yield kind, number, data[offset + 16 : offset + length]
            offset += (length + 3) & ~3


def _explained(body: bytes) -> str:
    """Return the kernel's own error message, which follows a copy of the refused message."""
    length = struct.unpack_from("=I", body, 4)[0]
    for start in (4 + ((length + 3) & ~3), 4 + 16):
        for number, value in attributes(body[start:]):
            if number == 1 and value.endswith(b"\0"):
                return f" ({value[:-1].decode(errors='replace')})"
    return ""
