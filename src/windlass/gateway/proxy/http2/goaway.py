"""Take GOAWAY frames out of what a peer sends.

A server that stops or limits the age of connections announces it by GOAWAY and finishes the streams in progress. h2
takes the frame for the end of the connection and refuses everything after it.
"""

_HEADER_BYTES = 9
_TYPE, _GOAWAY = 3, 7


class GoAwayFilter:
    def __init__(self, preface_bytes: int = 0) -> None:
        self.last_stream: int | None = None
        """The last stream that the peer will answer; None while it has announced nothing."""
        self._header = b""
        self._left = preface_bytes
        self._is_goaway = False
        self._payload = b""

    def feed(self, data: bytes) -> bytes:
        """What h2 is to read."""
        kept: list[bytes] = []
        position = 0
        while position < len(data):
            if self._left:
                part = data[position : position + self._left]
                self._left -= len(part)
                position += len(part)
                self._take(part, kept)
            else:
                part = data[position : position + _HEADER_BYTES - len(self._header)]
                self._header += part
                position += len(part)
                if len(self._header) == _HEADER_BYTES:
                    self._begin(kept)
        return kept[0] if len(kept) == 1 else b"".join(kept)

    def _begin(self, kept: list[bytes]) -> None:
        header, self._header = self._header, b""
        self._left = int.from_bytes(header[:_TYPE])
        self._is_goaway = header[_TYPE] == _GOAWAY and self._left <= 1 << 14
        if not self._is_goaway:
            kept.append(header)

    def _take(self, part: bytes, kept: list[bytes]) -> None:
        if not self._is_goaway:
            kept.append(part)
            return
        self._payload += part
        if not self._left:
            self.last_stream = int.from_bytes(self._payload[:4]) & 0x7FFF_FFFF
            self._payload, self._is_goaway = b"", False
