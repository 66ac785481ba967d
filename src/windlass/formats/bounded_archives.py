"""Archives that strangers made, read with bounded memory: what headers and directories may ask for is limited.

The content of entries is read in pieces by the caller, who counts its bytes.
"""

import io
import os
import re
import tarfile
import zipfile
from pathlib import Path
from typing import IO

MAX_HEADER = 1 << 20
"""Bytes of an extended header of tar, which tarfile reads at once."""
MAX_RECORDS = 256
"""Records of extended headers that apply to one entry, of which tarfile keeps a copy with each entry."""
MAX_CHAIN = 16
"""Extended headers in a row, over which tarfile recurses. Real archives have at most four."""
MAX_DIRECTORY = 32 << 20
"""Bytes of the directory of a zip archive, which zipfile reads at once; an entry takes at least 46."""
RESERVED_SHARE, MAX_RESERVED = 20, 1 << 30
"""A twentieth of the disk, but at most 1 GiB, is left to others."""
_WITH_RECORDS = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
_EXTENDED = (*_WITH_RECORDS, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_LENGTH = re.compile(rb"([1-9][0-9]{0,6}) ")
_DIGITS = re.compile(rb"[0-9]{65}")  # numbers have 20 at most, and tarfile searches long ones before Python 3.12.6
_END, _END_SIZE, _MAX_COMMENT = b"PK\x05\x06", 22, 0xFFFF
_ZIP64_LOCATOR_SIZE, _ZIP64 = 20, b"PK\x06\x07"


class BoundedTarInfo(tarfile.TarInfo):
    """Refuses headers that do not fit into memory, with ReadError: pass it to `tarfile.open` as `tarinfo`.

    Maps of sparse files are such headers too, of a length that only their end shows.
    """

    def _proc_member(self, tarfile: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type == b"S":
            raise too_large("a sparse file in GNU tar's own format")
        if self.type not in _EXTENDED:
            return self._member(tarfile)
        if self.size > MAX_HEADER:
            raise too_large(f"an extended header of {self.size} bytes")
        state = vars(tarfile)
        chain = state["chain"] = state.get("chain", 0) + 1
        if chain > MAX_CHAIN:
            raise too_large(f"more than {MAX_CHAIN} extended headers in a row")
        if self.type in _WITH_RECORDS:
            self._check_records(tarfile)
        member = self._member(tarfile)
        state["chain"] = 0
        return member

    def _member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        try:
            return super()._proc_member(archive)  # type: ignore[misc] # documented in tarfile.py to be overridden
        except (ValueError, LookupError, ArithmeticError) as error:
            raise tarfile.ReadError(f"a header cannot be read: {error}") from error

    def _check_records(self, archive: tarfile.TarFile) -> None:
        """Check the records before tarfile, which reads them with quadratic time and memory, and let it read again."""
        state = vars(archive)
        file: IO[bytes] = state["fileobj"]
        content = file.read(-(-self.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE)
        count = check_records(content[: self.size]) + len(state["pax_headers"])
        if count > MAX_RECORDS:
            raise too_large(f"more than {MAX_RECORDS} records in an extended header")
        state["fileobj"] = _ReadAgain(archive, file, content)

    def _proc_gnusparse_10(self, *_: object) -> None:
        raise too_large("a sparse file with its map in the content")


class _ReadAgain(io.RawIOBase):
    """In the place of an archive's file: gives what was read of it already, once."""

    def __init__(self, archive: tarfile.TarFile, file: IO[bytes], content: bytes) -> None:
        self._archive, self._file, self._content = archive, file, content

    def read(self, size: int = -1) -> bytes:
        vars(self._archive)["fileobj"] = self._file
        return self._content


def check_records(content: bytes) -> int:
    """Return the number of records of an extended header, which are `length key=value` with a line feed each.

    Raises ReadError for any other content.
    """
    count = at = 0
    while at < len(content):
        length = _LENGTH.match(content, at)
        end = at + int(length[1]) if length is not None else 0
        if length is None or content[end - 1 : end] != b"\n" or content.find(b"=", length.end() + 1, end) < 0:
            raise tarfile.ReadError("an extended header has a record that is not valid")
        at, count = end, count + 1
    if _DIGITS.search(content) is not None:
        raise too_large("an extended header with a number of more than 64 digits")
    return count


def too_large(what: str) -> tarfile.ReadError:
    return tarfile.ReadError(f"it has {what}, which is not unpacked")


def open_zip(file: IO[bytes]) -> zipfile.ZipFile:
    """Open a zip archive whose directory fits into memory. Raises BadZipFile."""
    if (size := _directory_size(file)) > MAX_DIRECTORY:
        raise zipfile.BadZipFile(f"its directory has {size} bytes, and at most {MAX_DIRECTORY} are read")
    return zipfile.ZipFile(file)


def _directory_size(file: IO[bytes]) -> int:
    """The size that the end of the archive states; 0 where there is no end, which zipfile reports."""
    length = file.seek(0, os.SEEK_END)
    start = max(0, length - _END_SIZE - _MAX_COMMENT - _ZIP64_LOCATOR_SIZE)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0:
        return 0
    if tail[at - _ZIP64_LOCATOR_SIZE : at].startswith(_ZIP64):
        return length  # the directory of the 64-bit format may be anything up to the whole file
    return int.from_bytes(tail[at + 12 : at + 16], "little")


def spare_bytes(folder: Path) -> int:
    """How many bytes of the disk may be filled with the content of archives."""
    disk = os.statvfs(folder)
    reserved = min(disk.f_blocks * disk.f_frsize // RESERVED_SHARE, MAX_RESERVED)
    return max(0, disk.f_bavail * disk.f_frsize - reserved)
