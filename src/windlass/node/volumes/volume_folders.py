"""Locations of volumes: a pod's folder on disk, or one in memory for what should not reach the disk."""

import hashlib
import os
import stat
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")


class VolumeFolders:
    """`data` is Windlass' data directory.

    Without a private folder in memory (`memory` is None) everything is on disk.
    """

    def __init__(self, data: Path, shared_memory: Path = SHARED_MEMORY) -> None:
        self.data = data.resolve()
        self.pods = self.data / "node" / "pods"
        self.persistent = self.data / "volumes"
        self.network = self.data / "node" / "nfs"
        """Mounts of NFS, by pod; see `nfs`."""
        name = f"windlass-{os.geteuid()}-{hashlib.sha256(os.fsencode(self.data)).hexdigest()[:12]}"
        self.memory = _own_folder(shared_memory / name)

    def on_disk(self, uid: str, volume: str) -> Path:
        return self.pods / uid / "volumes" / volume

    def in_memory(self, uid: str, volume: str) -> Path:
        return self.on_disk(uid, volume) if self.memory is None else self.memory / uid / volume

    def of_pod(self, uid: str) -> list[Path]:
        """Return all folders that contain volumes of a pod."""
        return [self.pods / uid / "volumes", *([self.memory / uid] if self.memory else [])]

    def pods_found(self) -> set[str]:
        """Return the uids of pods that have volumes here."""
        found = {folder.parent.name for folder in self.pods.glob("*/volumes")}
        found |= {folder.name for folder in self.network.glob("*")}
        return found | ({folder.name for folder in self.memory.iterdir()} if self.memory else set())


def _own_folder(path: Path) -> Path | None:
    """Return `path`, closed to others; None if it cannot be created or another user created it."""
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        info = path.lstat()
    except OSError:
        return None
    mine = stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid() and not info.st_mode & 0o077
    return path if mine else None


def make_private(folder: Path) -> None:
    """Create the folder and its missing parents, closed to others."""
    if not folder.parent.exists():
        make_private(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
