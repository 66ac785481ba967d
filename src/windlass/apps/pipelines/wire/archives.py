"""The pipeline's text in an uploaded file: as it is, or in a zip or tar.gz, bounded against bombs."""

import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterable
from typing import IO

from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.formats.bounded_archives import BoundedTarInfo, open_zip

MAX_TEXT = 32 << 20
MAX_MEMBERS = 1000
PREFERRED = "pipeline.yaml"
YAML_ENDINGS = (".yaml", ".yml", ".json")
ZIP_ENTRY = b"PK\x01\x02"
"""Begins each entry of the directory of a zip archive."""


def pipeline_text(content: bytes, file_name: str = "") -> bytes:
    """The text of the pipeline. What the file is shows in its content, not in its name. Raises InvalidArgument."""
    try:
        if content.startswith(b"\x1f\x8b"):
            return text_in_tar(content)
        if content.startswith(b"PK\x03\x04"):
            return text_in_zip(content)
    except (OSError, EOFError, zlib.error, tarfile.TarError, zipfile.BadZipFile, RuntimeError, ValueError) as error:
        raise InvalidArgument(f"the archive {file_name[:100]!r} cannot be read: {error}") from error
    if not content.strip():
        raise InvalidArgument("the uploaded file is empty")
    return content


def text_in_tar(content: bytes) -> bytes:
    with tarfile.open(fileobj=BoundedGzip(content), mode="r:", tarinfo=BoundedTarInfo) as archive:
        members: dict[str, tarfile.TarInfo] = {}
        for count, member in enumerate(archive):
            check_count(count + 1)
            if member.isreg():
                members.setdefault(member.name, member)
        file = archive.extractfile(members[chosen_name(members)])
        assert file is not None  # it is a regular file
        return bounded_text(file)


def text_in_zip(content: bytes) -> bytes:
    check_count(content.count(ZIP_ENTRY))
    with open_zip(io.BytesIO(content)) as archive:
        names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
        with archive.open(chosen_name(names)) as file:
            return bounded_text(file)


def chosen_name(names: Iterable[str]) -> str:
    """`pipeline.yaml`, or else the first file, which must be YAML. Only this one is unpacked."""
    first = ""
    for name in names:
        if name.rpartition("/")[2] == PREFERRED:
            return name
        first = first or name
    if not first:
        raise InvalidArgument("the archive has no file")
    if not first.lower().endswith(YAML_ENDINGS):
        raise InvalidArgument(f"the archive has no {PREFERRED}, and its first file {first[:100]!r} is not YAML")
    return first


def check_count(members: int) -> None:
    if members > MAX_MEMBERS:
        raise InvalidArgument(f"the archive has more than {MAX_MEMBERS} members")


def bounded_text(file: IO[bytes]) -> bytes:
    text = file.read(MAX_TEXT + 1)
    if len(text) > MAX_TEXT:
        raise too_long()
    return text


def too_long() -> InvalidArgument:
    return InvalidArgument(f"the archive unpacks to more than {MAX_TEXT >> 20} MiB")


class BoundedGzip(io.BytesIO):
    """The content of a gzip file, unpacked up to the limit. Raises InvalidArgument beyond it."""

    def __init__(self, content: bytes) -> None:
        unpacking = zlib.decompressobj(wbits=31)
        unpacked = unpacking.decompress(content, MAX_TEXT + 1)
        if len(unpacked) > MAX_TEXT:
            raise too_long()
        super().__init__(unpacked)
