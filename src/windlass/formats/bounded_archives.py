"""Archives that strangers made, read with bounded memory: what headers and directories may ask for is limited.

The content of entries is read in pieces by the caller, who counts its bytes.
"""

import os
import tarfile
import zipfile
from pathlib import Path
from typing import IO

MAX_HEADER = 1 << 20
"""Bytes of an extended header of tar, which tarfile reads at once."""
MAX_DIRECTORY = 32 << 20
"""Bytes of the directory of a zip archive, which zipfile reads at once; an entry takes at least 46."""
RESERVED_SHARE, MAX_RESERVED = 20, 1 << 30
"""A twentieth of the disk, but at most 1 GiB, is left to others."""
_EXTENDED = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
_END, _END_SIZE, _MAX_COMMENT = b"PK\x05\x06", 22, 0xFFFF
_ZIP64_LOCATOR_SIZE, _ZIP64 = 20, b"PK\x06\x07"


class BoundedTarInfo(tarfile.TarInfo):
    """Refuses headers that do not fit into memory, with ReadError: pass it to `tarfile.open` as `tarinfo`.

    Maps of sparse files are such headers too, of a length that only their end shows.
    """

    def _proc_member(self, tarfile: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in _EXTENDED and self.size > MAX_HEADER:
            raise too_large(f"an extended header of {self.size} bytes")
        if self.type == b"S":
            raise too_large("a sparse file in GNU tar's own format")
        return super()._proc_member(tarfile)  # type: ignore[misc] # documented in tarfile.py as the method to override

    def _proc_gnusparse_10(self, *_: object) -> None:
        raise too_large("a sparse file with its map in the content")


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
