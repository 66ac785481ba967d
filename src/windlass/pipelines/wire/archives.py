"""The pipeline's text in an uploaded file: as it is, or in a zip or tar.gz, bounded against bombs."""

import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator

from windlass.pipelines.wire.errors import InvalidArgument

MAX_TEXT = 32 << 20
MAX_MEMBERS = 1000
PREFERRED = "pipeline.yaml"
YAML_ENDINGS = (".yaml", ".yml", ".json")


def pipeline_text(content: bytes, file_name: str = "") -> bytes:
    """The text of the pipeline. What the file is shows in its content, not in its name. Raises InvalidArgument."""
    try:
        if content.startswith(b"\x1f\x8b"):
            return chosen_text(tar_members(content))
        if content.startswith(b"PK\x03\x04"):
            return chosen_text(zip_members(content))
    except (OSError, EOFError, zlib.error, tarfile.TarError, zipfile.BadZipFile, RuntimeError, ValueError) as error:
        raise InvalidArgument(f"the archive {file_name[:100]!r} cannot be read: {error}") from error
    if not content.strip():
        raise InvalidArgument("the uploaded file is empty")
    return content


def chosen_text(members: Iterator[tuple[str, bytes]]) -> bytes:
    """`pipeline.yaml`, or else the first file, which must be YAML."""
    first: tuple[str, bytes] | None = None
    for name, text in members:
        if name.rpartition("/")[2] == PREFERRED:
            return text
        first = first or (name, text)
    if first is None:
        raise InvalidArgument("the archive has no file")
    if not first[0].lower().endswith(YAML_ENDINGS):
        raise InvalidArgument(f"the archive has no {PREFERRED}, and its first file {first[0][:100]!r} is not YAML")
    return first[1]


def tar_members(content: bytes) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=BoundedGzip(content), mode="r:") as archive:
        for count, member in enumerate(archive):
            if count >= MAX_MEMBERS:
                raise InvalidArgument(f"the archive has more than {MAX_MEMBERS} members")
            file = archive.extractfile(member) if member.isreg() else None
            if file is not None:
                yield member.name, file.read(MAX_TEXT)


class BoundedGzip(io.BytesIO):
    """The content of a gzip file, unpacked up to the limit. Raises InvalidArgument beyond it."""

    def __init__(self, content: bytes) -> None:
        unpacking = zlib.decompressobj(wbits=31)
        unpacked = unpacking.decompress(content, MAX_TEXT + 1)
        if len(unpacked) > MAX_TEXT:
            raise InvalidArgument(f"the archive unpacks to more than {MAX_TEXT >> 20} MiB")
        super().__init__(unpacked)


def zip_members(content: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.infolist()
        if len(names) > MAX_MEMBERS:
            raise InvalidArgument(f"the archive has more than {MAX_MEMBERS} members")
        for info in names:
            if info.is_dir():
                continue
            with archive.open(info) as file:
                text = file.read(MAX_TEXT + 1)
            if len(text) > MAX_TEXT:
                raise InvalidArgument(f"the archive unpacks to more than {MAX_TEXT >> 20} MiB")
            yield info.filename, text
