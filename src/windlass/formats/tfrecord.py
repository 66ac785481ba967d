"""The framing of TFRecord files: length, masked CRC-32C of the length, data, masked CRC-32C of the data.

Files are read while they are written: a record that is not complete yet is left for the next read.
"""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

_HEADER = struct.Struct("<QI")
_CHECKSUM = struct.Struct("<I")
_MASK_DELTA = 0xA282EAD8
_POLYNOMIAL = 0x82F63B78

MAX_RECORD_BYTES = 1 << 20
"""Larger records are skipped unread: graphs, embeddings and videos, never numbers alone."""

# In pure Python a check takes a second for about 8 MB; records that hold numbers have less than a kilobyte.
_MAX_CHECKED_BYTES = 1 << 16


class DamagedFile(ValueError):
    """No record starts at this offset, so that none after it can be found either."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"the file is damaged at byte {offset}: the length of a record does not match its checksum")
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Record:
    """A complete record, and where the next one starts. `data` is None if it was too large or its checksum is wrong."""

    data: bytes | None
    next_offset: int


def records(file: BinaryIO, offset: int = 0) -> Iterator[Record]:
    """The complete records from an offset on, at which one must start. Raises `DamagedFile` where none does."""
    size = file.seek(0, os.SEEK_END)
    while offset + _HEADER.size + _CHECKSUM.size <= size:
        file.seek(offset)
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return  # the file was truncated meanwhile
        length, checksum = _HEADER.unpack(header)
        if masked_crc32c(header[:8]) != checksum:
            raise DamagedFile(offset)
        end = offset + _HEADER.size + length + _CHECKSUM.size
        if end > size:
            return
        if length > MAX_RECORD_BYTES:
            offset = end
            yield Record(None, end)
            continue
        body = file.read(length + _CHECKSUM.size)
        if len(body) < length + _CHECKSUM.size:
            return
        data = body[:length]
        matches = length > _MAX_CHECKED_BYTES or masked_crc32c(data) == _CHECKSUM.unpack(body[length:])[0]
        if not matches and end == size:
            return  # on network file systems the size may be visible before the last bytes are
        offset = end
        yield Record(data if matches else None, end)


def masked_crc32c(data: bytes) -> int:
    """The checksum of a record: a CRC of data that contains CRCs is weak, hence the mask."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF


def crc32c(data: bytes) -> int:
    """The CRC with Castagnoli's polynomial, as in iSCSI and ext4 (`zlib` has the other one)."""
    crc = 0xFFFFFFFF
    table = _TABLE
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def _crc_of_byte(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_TABLE = tuple(_crc_of_byte(byte) for byte in range(256))
