"""SPDY/3.1 frames, without I/O: bytes to frames and frames to bytes.

Both ends keep a compression state for headers, so one `Codec` serves one connection and frames must be encoded in the
order in which they are sent. Frame types that remotecommand and port-forward never use are skipped.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

_WORDS = """
    options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age
    allow authorization cache-control connection content-base content-encoding content-language content-length
    content-location content-md5 content-range content-type date etag expect expires from host if-match
    if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma
    proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade
    user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie
    keep-alive origin
"""
_REST = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden"
    "404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable"
    "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT"
    "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,"
    "publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)
DICTIONARY = b"".join(struct.pack(">I", len(w)) + w.replace("_", " ").encode() for w in _WORDS.split()) + _REST.encode()
"""The initial dictionary of header compression, as the specification lists it."""

FIN = 0x01
MAX_FRAME = 2**24 - 1
MAX_HEADERS = 1 << 20
PROTOCOL_ERROR, INVALID_STREAM, REFUSED_STREAM, CANCEL, INTERNAL_ERROR = 1, 2, 3, 5, 6
_SYN_STREAM, _SYN_REPLY, _RST_STREAM, _SETTINGS, _PING, _GOAWAY, _HEADERS, _WINDOW_UPDATE = 1, 2, 3, 4, 6, 7, 8, 9
_VERSION = 3
_INITIAL_WINDOW = 7


class BadFrame(Exception):
    """The peer does not speak SPDY/3.1; the connection is unusable."""


@dataclass(frozen=True)
class SynStream:
    stream: int
    headers: dict[str, str]
    fin: bool = False


@dataclass(frozen=True)
class SynReply:
    stream: int
    headers: dict[str, str] = field(default_factory=dict[str, str])
    fin: bool = False


@dataclass(frozen=True)
class Headers:
    stream: int
    headers: dict[str, str]
    fin: bool = False


@dataclass(frozen=True)
class Data:
    stream: int
    data: bytes
    fin: bool = False


@dataclass(frozen=True)
class Reset:
    stream: int
    status: int


@dataclass(frozen=True)
class Ping:
    id: int


@dataclass(frozen=True)
class GoAway:
    last_stream: int
    status: int = 0


@dataclass(frozen=True)
class WindowUpdate:
    """`stream` 0 is the connection's own window."""

    stream: int
    delta: int


@dataclass(frozen=True)
class InitialWindow:
    """A SETTINGS frame's initial window size; its other settings are ignored."""

    size: int


Frame = SynStream | SynReply | Headers | Data | Reset | Ping | GoAway | WindowUpdate | InitialWindow


class Codec:
    """Encodes and decodes one connection's frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._inflate = zlib.decompressobj(zdict=DICTIONARY)
        self._deflate = zlib.compressobj(zdict=DICTIONARY)

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Return the complete frames. Raises BadFrame."""
        self._buffer += data
        while len(self._buffer) >= 8:
            length = int.from_bytes(self._buffer[5:8], "big")
            if len(self._buffer) < 8 + length:
                return
            head, body = bytes(self._buffer[:8]), bytes(self._buffer[8 : 8 + length])
            del self._buffer[: 8 + length]
            frame = self._decode(head, body)
            if frame is not None:
                yield frame

    def _decode(self, head: bytes, body: bytes) -> Frame | None:
        first, flags = int.from_bytes(head[:4], "big"), head[4]
        if not first & 0x8000_0000:
            return Data(first, body, bool(flags & FIN))
        version, kind = first >> 16 & 0x7FFF, first & 0xFFFF
        if version != _VERSION:
            raise BadFrame(f"SPDY version {version} is not 3")
        try:
            return self._decode_control(kind, flags, body)
        except struct.error as error:
            raise BadFrame(f"a frame of type {kind} is too short") from error

    def _decode_control(self, kind: int, flags: int, body: bytes) -> Frame | None:
        fin = bool(flags & FIN)
        match kind:
            case 1:
                return SynStream(_id(body), self._headers(body[10:]), fin)
            case 2:
                return SynReply(_id(body), self._headers(body[4:]), fin)
            case 8:
                return Headers(_id(body), self._headers(body[4:]), fin)
            case 3:
                return Reset(_id(body), struct.unpack_from(">I", body, 4)[0])
            case 4:
                return _initial_window(body)
            case 6:
                return Ping(struct.unpack_from(">I", body)[0])
            case 7:
                return GoAway(_id(body), struct.unpack_from(">I", body, 4)[0])
            case 9:
                return WindowUpdate(_id(body), struct.unpack_from(">I", body, 4)[0] & 0x7FFF_FFFF)
            case _:
                return None

    def _headers(self, block: bytes) -> dict[str, str]:
        try:
            plain = self._inflate.decompress(block, MAX_HEADERS)
        except zlib.error as error:
            raise BadFrame(f"headers cannot be read: {error}") from error
        if self._inflate.unconsumed_tail:
            raise BadFrame("headers are too long")
        (count,), at = struct.unpack_from(">I", plain), 4
        found: dict[str, str] = {}
        for _ in range(count):
            name, at = _text(plain, at)
            value, at = _text(plain, at)
            found[name.lower()] = value
        return found

    def encode(self, frame: Frame) -> bytes:
        match frame:
            case Data(stream, data, fin):
                return struct.pack(">IB", stream, FIN if fin else 0) + len(data).to_bytes(3, "big") + data
            case SynStream(stream, headers, fin):
                return _control(_SYN_STREAM, struct.pack(">IIH", stream, 0, 0) + self._block(headers), fin)
            case SynReply(stream, headers, fin):
                return _control(_SYN_REPLY, struct.pack(">I", stream) + self._block(headers), fin)
            case Headers(stream, headers, fin):
                return _control(_HEADERS, struct.pack(">I", stream) + self._block(headers), fin)
            case Reset(stream, status):
                return _control(_RST_STREAM, struct.pack(">II", stream, status))
            case Ping(id):
                return _control(_PING, struct.pack(">I", id))
            case GoAway(stream, status):
                return _control(_GOAWAY, struct.pack(">II", stream, status))
            case WindowUpdate(stream, delta):
                return _control(_WINDOW_UPDATE, struct.pack(">II", stream, delta))
            case InitialWindow(size):
                return _control(_SETTINGS, struct.pack(">III", 1, _INITIAL_WINDOW, size))

    def _block(self, headers: dict[str, str]) -> bytes:
        plain = [struct.pack(">I", len(headers))]
        for pair in headers.items():
            plain += [struct.pack(">I", len(text.encode())) + text.encode() for text in pair]
        return self._deflate.compress(b"".join(plain)) + self._deflate.flush(zlib.Z_SYNC_FLUSH)


def _id(body: bytes) -> int:
    return struct.unpack_from(">I", body)[0] & 0x7FFF_FFFF


def _text(plain: bytes, at: int) -> tuple[str, int]:
    (length,) = struct.unpack_from(">I", plain, at)
    end = at + 4 + length
    if end > len(plain):
        raise BadFrame("a header is cut off")
    return plain[at + 4 : end].decode("utf-8", "replace"), end


def _initial_window(body: bytes) -> InitialWindow | None:
    (count,) = struct.unpack_from(">I", body)
    for number in range(min(count, len(body) // 8)):
        key, value = struct.unpack_from(">II", body, 4 + 8 * number)
        if key & 0xFF_FFFF == _INITIAL_WINDOW:
            return InitialWindow(value & 0x7FFF_FFFF)
    return None


def _control(kind: int, body: bytes, fin: bool = False) -> bytes:
    return struct.pack(">HHB", 0x8000 | _VERSION, kind, FIN if fin else 0) + len(body).to_bytes(3, "big") + body
