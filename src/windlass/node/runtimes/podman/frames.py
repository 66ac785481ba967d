"""The engine's multiplexing of two streams over one connection: frames of a type, a length and bytes. Pure."""

import struct

STREAMS = {0: "stdout", 1: "stdout", 2: "stderr"}


class Frames:
    """Reassembles frames."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, data: bytes) -> list[tuple[str, bytes]]:
        self._waiting += data
        found: list[tuple[str, bytes]] = []
        while len(self._waiting) >= 8:
            kind, size = struct.unpack(">BxxxI", self._waiting[:8])
            if len(self._waiting) < 8 + size:
                break
            found.append((STREAMS.get(kind, "stdout"), bytes(self._waiting[8 : 8 + size])))
            del self._waiting[: 8 + size]
        return found
