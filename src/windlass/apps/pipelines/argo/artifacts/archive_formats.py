"""How a store would pack an output artifact: as tar and gzip unless `archive` says otherwise. Pure.

The claim of an embedded Windlass keeps files as they are, under the name that the packed object would have; the API
packs them when it answers them.
"""

import gzip
import io
import tarfile
import zipfile
from posixpath import basename

from windlass.apps.pipelines.artifacts.stores.store_locations import DEFAULT_LEVEL, ArchiveFormat
from windlass.kube.json import Object, dig_object

LOG_ARTIFACT, LOG_KEY = "main-logs", "main.log"
"""The artifact with what a container has printed."""
GZIP_MAGIC, ZIP_MAGIC = b"\x1f\x8b", b"PK"
_EPOCH = (1980, 1, 1, 0, 0, 0)


def archive_format(artifact: Object) -> ArchiveFormat:
    archive = dig_object(artifact, "archive")
    if archive.get("none") is not None:
        return "none"
    return "zip" if archive.get("zip") is not None else "tgz"


def stored_name(artifact: Object) -> str:
    """The last part of the artifact's key; that of a log is a name of Argo's."""
    if artifact["name"] == LOG_ARTIFACT:
        return LOG_KEY
    format = archive_format(artifact)
    return str(artifact["name"]) if format == "none" else f"{artifact['name']}.{format}"


def packed(artifact: Object, content: bytes, *, is_folder: bool) -> bytes:
    """The object that Argo would have stored. The content of a folder is given as a tar."""
    name, format = basename(str(artifact.get("path") or "")) or str(artifact["name"]), archive_format(artifact)
    if format == "none":
        return content
    files = _folder_files(name, content) if is_folder else [(name, content)]
    return _zipped(files) if format == "zip" else _tarred(files)


def packed_object(key: str, content: bytes, *, is_folder: bool) -> bytes:
    """As `packed`, of an artifact of which only the key is known; what is packed already stays as it is."""
    name, _, suffix = basename(key).rpartition(".")
    magic = {"tgz": GZIP_MAGIC, "zip": ZIP_MAGIC}.get(suffix)
    if magic is None or content.startswith(magic):
        return content
    archive: Object = {"zip": {}} if suffix == "zip" else {"tar": {}}
    return packed({"name": name, "archive": archive}, content, is_folder=is_folder)


def _folder_files(name: str, content: bytes) -> list[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        members = [(member.name, archive.extractfile(member)) for member in archive if member.isreg()]
        return [(f"{name}/{path}", file.read()) for path, file in members if file is not None]


def _tarred(files: list[tuple[str, bytes]]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in files:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(made.getvalue(), DEFAULT_LEVEL, mtime=0)


def _zipped(files: list[tuple[str, bytes]]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()
