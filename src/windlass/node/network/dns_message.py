"""DNS messages as bytes (RFC 1035, 2782, 6891): parses questions and encodes answers.

Implemented here because it is small: one question comes in, a few types of records go out, and queries for other zones
are forwarded unchanged.
"""

import socket
import struct
from typing import NamedTuple

A, CNAME, SOA, PTR, TXT, AAAA, SRV, OPT, ANY = 1, 5, 6, 12, 16, 28, 33, 41, 255
NO_ERROR, FORMAT_ERROR, SERVER_FAILURE, NO_SUCH_NAME, NOT_IMPLEMENTED, REFUSED = 0, 1, 2, 3, 4, 5
_INTERNET = 1
_SOA_TIMES = struct.pack(">4I", 1, 7200, 1800, 86400)
_PLAIN_SIZE, _LARGEST_SIZE = 512, 4096


class BadMessage(ValueError):
    """These bytes are not a valid question."""


class Question(NamedTuple):
    id: int
    name: str
    """Lower case, without the final dot."""
    type: int
    raw: bytes
    """Name, type and class as received: the answer repeats them in the same letter case."""
    recursive: bool = True
    size: int = _PLAIN_SIZE
    extended: bool = False


class Record(NamedTuple):
    name: str
    type: int
    ttl: int
    data: bytes


def name_bytes(name: str) -> bytes:
    labels = [label.encode() for label in name.rstrip(".").split(".") if label]
    if any(len(label) > 63 for label in labels):
        raise BadMessage(f"a part of {name!r} is too long")
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def address_record(name: str, address: str, ttl: int) -> Record:
    return Record(name, A, ttl, socket.inet_aton(address))


def srv_record(name: str, port: int, target: str, ttl: int, weight: int = 100) -> Record:
    return Record(name, SRV, ttl, struct.pack(">HHH", 0, weight, port) + name_bytes(target))


def name_record(name: str, kind: int, target: str, ttl: int) -> Record:
    """Return a CNAME or PTR record."""
    return Record(name, kind, ttl, name_bytes(target))


def soa_record(zone: str, ttl: int) -> Record:
    data = name_bytes(f"ns.dns.{zone}") + name_bytes(f"hostmaster.{zone}") + _SOA_TIMES + struct.pack(">I", ttl)
    return Record(zone, SOA, ttl, data)


def parse(message: bytes) -> Question:
    """Parse a query. Raises `BadMessage`."""
    try:
        number, flags, questions, _, _, additional = struct.unpack_from(">6H", message)
        if flags & 0x8000 or questions != 1 or flags >> 11 & 0xF:
            raise BadMessage("not a plain query with one question")
        labels: list[str] = []
        offset = 12
        while length := message[offset]:
            if length > 63:
                raise BadMessage("a compressed name in a question")
            labels.append(message[offset + 1 : offset + 1 + length].decode("ascii", "replace").lower())
            offset += 1 + length
        offset += 1
        kind, _ = struct.unpack_from(">HH", message, offset)
        offset += 4
        raw = message[12:offset]
        size, extended = _PLAIN_SIZE, False
        if additional and message[offset : offset + 3] == b"\0" + struct.pack(">H", OPT):
            size, extended = min(max(struct.unpack_from(">H", message, offset + 3)[0], 512), _LARGEST_SIZE), True
    except (struct.error, IndexError) as error:
        raise BadMessage("cut short") from error
    return Question(number, ".".join(labels), kind, raw, bool(flags & 0x100), size, extended)


def answer(
    question: Question,
    records: list[Record],
    code: int = NO_ERROR,
    *,
    authority: Record | None = None,
    additional: list[Record] | None = None,
    limit: int = 65535,
) -> bytes:
    """Encode an answer of at most `limit` bytes; a longer one is marked truncated, and the client retries over TCP."""
    opt = b"\0" + struct.pack(">HHIH", OPT, _LARGEST_SIZE, 0, 0) if question.extended else b""
    body = b"".join(_record(each) for each in records)
    extra = [_record(each) for each in additional or []]
    tail = _record(authority) if authority else b""
    if 12 + len(question.raw) + len(body) + len(tail) + sum(map(len, extra)) + len(opt) > limit:
        extra = []
    cut = 12 + len(question.raw) + len(body) + len(tail) + len(opt) > limit
    if cut:
        records, body, tail = [], b"", b""
    flags = 0x8000 | 0x0400 | (0x0200 if cut else 0) | (0x0100 if question.recursive else 0) | 0x0080 | code
    counts = (1, len(records), 1 if tail else 0, len(extra) + (1 if opt else 0))
    return struct.pack(">6H", question.id, flags, *counts) + question.raw + body + tail + b"".join(extra) + opt


def _record(record: Record) -> bytes:
    head = struct.pack(">HHIH", record.type, _INTERNET, record.ttl, len(record.data))
    return name_bytes(record.name) + head + record.data


def addresses_in(message: bytes, name: str) -> list[Record]:
    """Return the A records for `name` in another server's answer; none if it cannot be parsed."""
    found: list[Record] = []
    try:
        _, _, questions, answers, _, _ = struct.unpack_from(">6H", message)
        offset = 12
        for _ in range(questions):
            offset = _after_name(message, offset) + 4
        for _ in range(answers):
            offset = _after_name(message, offset)
            kind, _, ttl, length = struct.unpack_from(">HHIH", message, offset)
            if kind == A and length == 4:
                found.append(Record(name, A, ttl, message[offset + 10 : offset + 14]))
            offset += 10 + length
    except (struct.error, IndexError):
        return []
    return found


def _after_name(message: bytes, offset: int) -> int:
    while length := message[offset]:
        if length >= 0xC0:
            return offset + 2
        offset += 1 + length
    return offset + 1
