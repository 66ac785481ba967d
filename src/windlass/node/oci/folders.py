# pyright: strict
"""Images on disk: complete ones, downloads, and which credentials they were pulled with.

oci/images/<digest>/      an image; complete only with `windlass.json` in it, which is written last
oci/images/<digest>/root  its files
oci/downloads/<digest>/   verified layers of an image that is not complete, so that the next try need not fetch them
oci/references/<hash>     which image a reference was last resolved to, and who may use it without asking the registry
oci/locks/<hash>          held by the process that unpacks or removes an image
"""

import contextlib
import fcntl
import hashlib
import os
import time
from collections.abc import Collection, Generator
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from windlass.kube.json import BadJson, parse_as
from windlass.node.images.reference import Reference
from windlass.node.volumes.removal import remove_tree

R = TypeVar("R", bound=Struct)

RECORD, FILES = "windlass.json", "root"
ANONYMOUS = ""
"""The fingerprint of no credential: everyone may use the image."""


class ImageRecord(Struct, frozen=True):
    """A complete image."""

    digest: str
    folder: str
    size: int
    """Bytes of its files."""
    made_at: float

    @property
    def files(self) -> str:
        return f"{self.folder}/{FILES}"


class ReferenceRecord(Struct, frozen=True):
    reference: str
    digest: str
    fingerprints: tuple[str, ...]
    """Credentials with which a registry gave this image."""
    used_at: float


class ImageFolders:
    """`root` is the folder of images, which several data directories may share."""

    def __init__(self, root: Path) -> None:
        self.root = root / "oci"
        self._images, self._downloads = self.root / "images", self.root / "downloads"
        self._references, self._locks = self.root / "references", self.root / "locks"

    def prepare(self) -> None:
        for folder in (self._images, self._downloads, self._references, self._locks):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def image(self, digest: str) -> ImageRecord | None:
        """Return an image that is complete."""
        return _read(self._folder(digest) / RECORD, ImageRecord)

    def resolved(self, reference: Reference) -> ReferenceRecord | None:
        """Return what a reference was last resolved to, if that image is complete."""
        record = _read(self._reference_file(reference), ReferenceRecord)
        return record if record is not None and self.image(record.digest) is not None else None

    def record_use(self, reference: Reference, digest: str, fingerprint: str) -> None:
        """Record that a registry gave an image, or that a pod uses it again."""
        before = _read(self._reference_file(reference), ReferenceRecord)
        known = before.fingerprints if before is not None and before.digest == digest else ()
        fingerprints = tuple(dict.fromkeys((*known, fingerprint)))
        self._write(self._reference_file(reference), ReferenceRecord(str(reference), digest, fingerprints, time.time()))

    def downloads(self, digest: str) -> Path:
        """Return the folder for the layers of an image that is being pulled."""
        folder = self._downloads / _name(digest)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    def new(self, digest: str) -> Path:
        """Return the path for the files of an image, of which nothing exists."""
        folder = self._folder(digest)
        remove_tree(folder)
        folder.mkdir(mode=0o755, parents=True)
        return folder / FILES

    def complete(self, digest: str, size: int) -> ImageRecord:
        """Write the record, which makes an image complete, and remove its downloads."""
        folder = self._folder(digest)
        record = ImageRecord(digest, str(folder), size, time.time())
        self._write(folder / RECORD, record)
        remove_tree(self._downloads / _name(digest))
        return record

    def discard(self, digest: str) -> None:
        """Remove what an unpacking that failed has left; the downloads stay."""
        remove_tree(self._folder(digest))

    def all(self) -> list[tuple[ImageRecord, list[ReferenceRecord]]]:
        """Return the complete images with the references that were resolved to them."""
        found = (_read(path, ReferenceRecord) for path in _entries(self._references))
        references = [record for record in found if record is not None]
        images = [record for path in _entries(self._images) if (record := _read(path / RECORD, ImageRecord))]
        return [(image, [one for one in references if one.digest == image.digest]) for image in images]

    def prune(self, older_than: float, pods: Collection[Path]) -> list[ImageRecord]:
        """Remove images that no pod mounts and that were not used for so many seconds; `pods` are folders of pods."""
        mounted = {link.readlink() for folder in pods for link in folder.glob("*/volumes/*") if link.is_symlink()}
        removed: list[ImageRecord] = []
        for image, references in self.all():
            used_at = max([image.made_at, *(one.used_at for one in references)])
            if Path(image.files) in mounted or time.time() - used_at < older_than:
                continue
            with self.lock(image.digest) as held:
                if not held:
                    continue
                (Path(image.folder) / RECORD).unlink(missing_ok=True)
                remove_tree(Path(image.folder))
            for one in references:
                self._file_of(one.reference).unlink(missing_ok=True)
            removed.append(image)
        for left in _entries(self._downloads):
            if time.time() - left.stat().st_mtime >= older_than:
                remove_tree(left)
        return removed

    @contextlib.contextmanager
    def lock(self, digest: str) -> Generator[bool]:
        """Hold the lock of an image; False if another process does."""
        self._locks.mkdir(parents=True, exist_ok=True)
        fd = os.open(self._locks / _name(digest), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held = True
        except BlockingIOError:
            held = False
        try:
            yield held
        finally:
            os.close(fd)

    def _folder(self, digest: str) -> Path:
        return self._images / _name(digest)

    def _reference_file(self, reference: Reference) -> Path:
        return self._file_of(str(reference))

    def _file_of(self, reference: str) -> Path:
        return self._references / hashlib.sha256(reference.encode()).hexdigest()

    def _write(self, path: Path, record: Struct) -> None:
        partial = path.with_name(f".{path.name}.{os.getpid()}")
        with partial.open("wb") as file:
            file.write(msgspec.json.encode(record))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)


def _name(digest: str) -> str:
    return digest.replace(":", "-")


def _entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith(".")) if folder.is_dir() else []


def _read(path: Path, kind: type[R]) -> R | None:
    try:
        return parse_as(path.read_bytes(), kind)
    except (OSError, BadJson):
        return None
