"""Reads artifacts for people: a file as it is, a folder as a tar archive."""

import asyncio
import os
import stat
import tarfile
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.apps.pipelines.artifacts.uris import claim_path
from windlass.formats.volume_files import open_file, open_folder

CHUNK = 256 << 10
IN_MEMORY = 8 << 20
"""Bytes of an archive that are not put on disk."""


class ContentTooLarge(ValueError):
    """There is more content than the caller can take in one piece."""


@dataclass(frozen=True)
class Content:
    """An artifact's content, which must be read to its end or closed."""

    kind: Literal["file", "folder"]
    size: int
    file: IO[bytes]

    async def read(self, limit: int) -> bytes:
        return await asyncio.to_thread(self.file.read, limit)

    async def whole(self, limit: int) -> bytes:
        """All of it; nothing is left to be read. Raises ContentTooLarge."""
        try:
            if self.size > limit:
                raise ContentTooLarge(f"the artifact has more than {limit >> 20} MiB")
            return await self.read(limit)
        finally:
            self.close()

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            while chunk := await self.read(CHUNK):
                yield chunk
        finally:
            self.close()

    def close(self) -> None:
        self.file.close()


class ClaimReader:
    """Artifacts in the claims of their namespaces."""

    def __init__(self, folders: ClaimFolders) -> None:
        self._folders = folders

    async def open(self, namespace: str, uri: str) -> Content | None:
        path = claim_path(uri)
        if path is None:
            return None
        try:
            root = await self._folders.folder(namespace)
        except NoFolder:
            return None
        return await asyncio.to_thread(_open, root, path)

    async def open_path(self, namespace: str, path: str, claim: str) -> Content | None:
        """A file or folder of any claim; None if there is none."""
        try:
            root = await self._folders.folder(namespace, claim)
        except NoFolder:
            return None
        return await asyncio.to_thread(_open, root, path)

    async def read(self, namespace: str, uri: str, *, limit: int) -> bytes | None:
        """At most `limit` bytes of the content; None if there is none."""
        content = await self.open(namespace, uri)
        if content is None:
            return None
        try:
            return await content.read(limit)
        finally:
            content.close()


def _open(root: Path, path: str) -> Content | None:
    descriptor = open_file(root, path)
    if descriptor is not None:
        return Content("file", os.fstat(descriptor).st_size, os.fdopen(descriptor, "rb"))
    folder = open_folder(root, path)
    if folder is None:
        return None
    try:
        archive = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - its reader closes it
        _pack(folder, archive)
    finally:
        os.close(folder)
    size = archive.tell()
    archive.seek(0)
    return Content("folder", size, archive)


def _pack(folder: int, archive: IO[bytes]) -> None:
    """Regular files below a folder; links and devices are left out."""
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for path, names, files, at in os.fwalk(".", dir_fd=folder, follow_symlinks=False):
            names.sort()
            for name in sorted(files):
                try:
                    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
                except OSError:
                    continue
                with os.fdopen(descriptor, "rb") as file:
                    status = os.fstat(descriptor)
                    if not stat.S_ISREG(status.st_mode):
                        continue
                    entry = tarfile.TarInfo(os.path.normpath(f"{path}/{name}"))
                    entry.size, entry.mtime, entry.mode = status.st_size, int(status.st_mtime), 0o644
                    tar.addfile(entry, file)
