# pyright: strict
"""Environments on disk: their locations, completeness, last use and removal.

environments/<key>/       a virtual environment; complete only with `windlass.json` in it, which is written last
environments/<key>/.used  which images used it when
pods/<digest>             the folder of pods of a data directory that uses these environments
locks/<key>               held by the process that builds or removes it, and by its uv
cache/, pythons/          uv's
"""

import contextlib
import fcntl
import hashlib
import json
import os
import platform
import shutil
import time
from collections.abc import Generator
from pathlib import Path

import msgspec
from msgspec import Struct

from windlass.apis.pod_packages import PodPackages
from windlass.kube.json import BadJson, parse_as
from windlass.node.images import writable
from windlass.node.images.catalogue import Environment
from windlass.node.images.pipconfig import PipConfig

RECORD = "windlass.json"
USED = ".used"
USE_RECORD_INTERVAL = 60.0
NO_PACKAGES = PodPackages()


class Record(Struct, frozen=True):
    """The record of a complete environment."""

    key: str
    folder: str
    interpreter: str
    version: str
    prefixes: tuple[str, ...]
    requirements: tuple[str, ...]
    packages: str = ""
    """The folder that pip installs to inside a container."""
    warnings: tuple[str, ...] = ()
    size: int = 0
    made_at: float = 0.0


def key_of(environment: Environment, config: PipConfig, added: PodPackages = NO_PACKAGES) -> str:
    """Return the key of an environment; equal for all that would be built the same way."""
    parts = [environment.python, sorted(environment.packages), platform.machine(), platform.libc_ver()[0]]
    parts += [config.key(), environment.nearest, "compiled"] if environment.packages else []
    parts += [config.key(), sorted(added.whole), sorted(added.alone)] if added else []
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Environments:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder, self._locks, self._pods = root / "environments", root / "locks", root / "pods"
        self._known: dict[str, Record] = {}
        self._noted: dict[tuple[str, str], float] = {}

    def prepare(self) -> None:
        """Create the folders, and remove the remains of interrupted builds."""
        for folder in (self.root, self.folder, self._locks):
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        for leftover in self.folder.iterdir():
            if not (leftover / RECORD).exists():
                self.remove(leftover.name)
            else:
                with contextlib.suppress(OSError):  # of another user, who shares the folder
                    writable.extend_venv(leftover)

    def add_pods_folder(self, folder: Path) -> None:
        """Record a folder of pods that may use these environments; several data directories may share them."""
        self._pods.mkdir(exist_ok=True)
        (self._pods / hashlib.sha256(str(folder).encode()).hexdigest()[:16]).write_text(str(folder))

    def pods(self) -> list[Path]:
        """Return the folders of pods that may use these environments; those of deleted data directories are dropped."""
        found: list[Path] = []
        for note in self._pods.iterdir() if self._pods.is_dir() else ():
            folder = Path(note.read_text())
            if folder.parent.is_dir():
                found.append(folder)
            else:
                note.unlink(missing_ok=True)
        return found

    def path(self, key: str) -> Path:
        return self.folder / key[:16]

    def get(self, key: str) -> Record | None:
        """Return the record; None if the environment is incomplete or its Python is gone."""
        record = self._known.get(key)
        folder = self.path(key)
        if record is None:
            record = self._known[key] = _read(folder) or Record(key, "", "", "", (), ())
        if record.folder and os.path.exists(record.folder + "/" + RECORD) and os.path.exists(record.interpreter):  # noqa: PTH110 - a hot path
            return record
        del self._known[key]
        return None

    def complete(self, record: Record) -> None:
        """Write the record, which makes the environment complete."""
        target = Path(record.folder) / RECORD
        partial = target.with_name(f".{RECORD}")
        with partial.open("wb") as file:
            file.write(msgspec.json.encode(record))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
        self._known[record.key] = record

    def all(self) -> list[Record]:
        if not self.folder.is_dir():
            return []
        return [record for folder in sorted(self.folder.iterdir()) if (record := _read(folder)) is not None]

    def record_use(self, record: Record, reference: str) -> None:
        """Record that an image used it, at most once a minute."""
        now = time.time()
        if now - self._noted.get((record.key, reference), 0.0) < USE_RECORD_INTERVAL:
            return
        self._noted[record.key, reference] = now
        path = Path(record.folder) / USED
        used = {**used_by(record), reference: now}
        partial = path.with_name(f"{USED}.{os.getpid()}")
        with contextlib.suppress(OSError):  # a full or read-only disk must not keep a pod from starting
            partial.write_text(json.dumps(used))
            partial.replace(path)

    def remove(self, name: str) -> bool:
        """Remove an environment; False if another process works on it.

        The record is removed first, so nobody uses the rest.
        """
        with self.lock(name) as held:
            if held is None:
                return False
            (self.folder / name / RECORD).unlink(missing_ok=True)
            shutil.rmtree(self.folder / name, ignore_errors=True)
        return True

    @contextlib.contextmanager
    def lock(self, key: str) -> Generator[int | None]:
        """Return a file descriptor that holds the lock, or None; processes that inherit it hold the lock too."""
        self._locks.mkdir(parents=True, exist_ok=True)
        fd = os.open(self._locks / key[:16], os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            yield None
            return
        try:
            yield fd
        finally:
            os.close(fd)


def used_by(record: Record) -> dict[str, float]:
    """Return the images that used it, and when each last did."""
    try:
        return json.loads((Path(record.folder) / USED).read_bytes())
    except (OSError, ValueError):
        return {}


def last_used(record: Record) -> float:
    return max([record.made_at, *used_by(record).values()])


def size_of(folder: Path) -> int:
    """Return the bytes of its files, shared or not."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(path, name)).st_size  # noqa: PTH118 - tens of thousands of files
    return total


def _read(folder: Path) -> Record | None:
    try:
        return parse_as((folder / RECORD).read_bytes(), Record)
    except (OSError, BadJson):
        return None
