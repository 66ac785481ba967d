"""A ring of preallocated blocks beside the data file, in which a small batch is durable after one system call.

A commit of SQLite writes two to five whole pages and takes locks; here a batch is one record, and the file never grows,
so the kernel has only the data itself to sync. Records are copied to SQLite later, many at once, and their blocks are
reused. It follows:

- SQLite has every commit up to some revision, the journal has those after it. A start reads both.
- A record carries the journal's id, which SQLite's `meta` knows as well, a checksum, and the revision of the commit
  before it. Only records that continue SQLite's newest revision without a gap count, so leftovers of blocks that
  were used before, halves of a record and the journal of another data file are never taken for a commit.
- The file is written with O_DSYNC: `write` returns once the record would survive the power failing.
"""

import mmap
import os
import shutil
import struct
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from windlass.apiserver.store.commit import Entry
from windlass.apiserver.store.file import sync_directory

BLOCK = 4096  # what O_DIRECT needs offsets, sizes and addresses to be multiples of
BLOCKS = 2048
LARGEST_RECORD = 64 * BLOCK
FREE_SPACE_FACTOR = 16  # no journal on a disk with less than this many times its size to spare

_HEADER = struct.Struct("<QQQII")  # the journal's id, revision before, last revision, length of what follows, checksum
_CHECKED = struct.Struct("<QQQI")  # what the checksum covers of the header

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Entry]).decode


def journal_path(store: Path) -> Path:
    """The path of the journal. Not `-journal`: SQLite would roll that back."""
    return store.with_name(store.name + ".journal")


class Record(NamedTuple):
    """The position of a prepared batch in the file, in bytes."""

    offset: int
    length: int


class Journal:
    """The ring, open for appending. Created by `create`; all but `write` belongs to the event loop."""

    def __init__(self, descriptor: int, identity: int, blocks: int) -> None:
        self.identity = identity
        """The id that SQLite has to store before the first record is appended."""
        self._file = descriptor
        self._blocks = blocks
        self._free = blocks
        self._next = 0
        self._records: deque[tuple[int, int]] = deque()  # last revision and blocks of each, oldest first
        self._buffer = mmap.mmap(-1, LARGEST_RECORD)  # page-aligned, as O_DIRECT needs it
        self._view = memoryview(self._buffer)

    @property
    def used(self) -> float:
        """The fraction of the ring that holds records that SQLite does not have yet."""
        return 1 - self._free / self._blocks

    def prepare(self, entries: list[Entry], after: int) -> "Record | None":
        """Reserve a place for the batch, which follows the commit of revision `after`; None if it does not fit.

        The batch must be written before the next one is prepared.
        """
        payload = _encode(entries)
        size = _HEADER.size + len(payload)
        needed = -(-size // BLOCK)
        wrapped = self._next + needed > self._blocks
        # A record never wraps: the blocks at the end that are too few for it are skipped, and freed with it.
        taken = needed + (self._blocks - self._next if wrapped else 0)
        if size > LARGEST_RECORD or taken > self._free:
            return None
        start = 0 if wrapped else self._next
        last = entries[-1][0]
        self._buffer[:size] = _header(self.identity, after, last, payload) + payload
        self._next = start + needed
        self._free -= taken
        self._records.append((last, taken))
        return Record(start * BLOCK, needed * BLOCK)

    def write(self, record: "Record") -> None:
        """Make the prepared batch durable; on any thread.

        Raises OSError if the disk refuses. Whether the record is on disk is unknown then.
        """
        with self._view[: record.length] as content:  # released, or the error's traceback would hold the buffer
            written = os.pwrite(self._file, content, record.offset)
        if written != record.length:
            raise OSError("the journal was written only in part")

    def release(self, revision: int) -> None:
        """Reuse the blocks of all commits up to `revision`, which SQLite has."""
        while self._records and self._records[0][0] <= revision:
            self._free += self._records.popleft()[1]

    def close(self) -> None:
        os.close(self._file)
        self._view.release()
        self._buffer.close()


def create(store: Path, blocks: int = BLOCKS) -> Journal | None:
    """Create an empty journal with a new id, in the existing file or in a new one.

    None if the disk has little space or does not support it. A new file is written once over its whole length.
    """
    path, size = journal_path(store), blocks * BLOCK
    try:
        if not path.exists() or path.stat().st_size != size:
            if shutil.disk_usage(path.parent).free < size * FREE_SPACE_FACTOR:
                return None
            _allocate(path, size)
        return Journal(_open(path), int.from_bytes(os.urandom(7)) + 1, blocks)
    except OSError:
        return None


def _allocate(path: Path, size: int) -> None:
    """Write the whole file: the first write to a block that is only reserved changes file system metadata."""
    piece = bytes(256 * BLOCK)
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:  # noqa: PTH123 - of an fd
        for start in range(0, size, len(piece)):
            file.write(piece[: size - start])
        file.flush()
        os.fsync(file.fileno())
    sync_directory(path.parent)


def _open(path: Path) -> int:
    """Open the file, bypassing the page cache where supported (a quarter faster), and synced at every write."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_DSYNC | os.O_DIRECT)
        try:
            with mmap.mmap(-1, BLOCK) as probe:
                os.preadv(descriptor, [probe], 0)
            return descriptor
        except OSError:
            os.close(descriptor)
    return os.open(path, os.O_RDWR | os.O_DSYNC)


def read(store: Path) -> bytes:
    """Read the journal's file; empty if there is none."""
    try:
        return journal_path(store).read_bytes()
    except FileNotFoundError:
        return b""


def entries_after(content: bytes, identity: int, revision: int) -> list[Entry]:
    """Return the changes of all commits after `revision` in the journal's file, in order."""
    found: list[Entry] = []
    for after, last, payload in sorted(_records(content, identity, revision)):
        if after != revision:
            break
        found += _decode(payload)
        revision = last
    return found


def _records(content: bytes, identity: int, newer_than: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield previous revision, last revision and content of each complete record, in the order of the ring's blocks."""
    for start in range(0, len(content) - _HEADER.size + 1 if identity else 0, BLOCK):
        own, after, last, length, _ = _HEADER.unpack_from(content, start)
        if own == identity and last > newer_than:
            payload = content[start + _HEADER.size : start + _HEADER.size + length]
            if content[start : start + _HEADER.size] == _header(identity, after, last, payload):
                yield after, last, payload


def _header(identity: int, after: int, last: int, payload: bytes) -> bytes:
    checked = _CHECKED.pack(identity, after, last, len(payload))
    return _HEADER.pack(identity, after, last, len(payload), zlib.crc32(payload, zlib.crc32(checked)))
