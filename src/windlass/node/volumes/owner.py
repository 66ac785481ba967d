"""Ownership of a volume's files: a container's root and, with `fsGroup`, its group.

An ordinary user cannot give files to a container's group, so there the group's permissions are everybody's: only the
pod's containers can reach the folder.
"""

import os
import stat
from pathlib import Path

from windlass.kube.json import Object, dig
from windlass.node.ids import host_id


def has_single_id(anchor: int | None) -> bool:
    """Whether the user namespace of a process has only one id."""
    try:
        extents = Path(f"/proc/{anchor}/uid_map").read_text().splitlines() if anchor is not None else []
    except OSError:  # the process has just ended; the next one is asked again
        return False
    return len(extents) == 1 and extents[0].split()[2] == "1"


class Owner:
    """The owner of a pod's files."""

    def __init__(self, pod: Object, *, root: bool, single_id: bool = False) -> None:
        self._root = root
        self.single_id = single_id
        """Whether containers have a single user, who owns all their files."""
        group = dig(pod, "spec", "securityContext", "fsGroup")
        self.fs_group: int | None = int(group) if group is not None else None
        self._policy = dig(pod, "spec", "securityContext", "fsGroupChangePolicy")
        self.uid = host_id(0, root=root)
        self.gid = host_id(self.fs_group or 0, root=root)

    def own(self, path: int | Path, user: int = 0) -> None:
        """Give an open file, or a path without following links, to a container's user."""
        if self._root:
            uid = host_id(user, root=True)
            os.chown(path, uid, self.gid, **({} if isinstance(path, int) else {"follow_symlinks": False}))

    def file_mode(self, mode: int) -> int:
        """Add the owner's read permission for `fsGroup`."""
        return mode if self.fs_group is None else self._shared(mode | 0o440)

    def _shared(self, mode: int) -> int:
        return mode if self._root else mode | (mode >> 3 & 0o7)

    def make_folder(self, path: Path, mode: int) -> None:
        """Create a folder of the pod; an existing one stays unchanged."""
        if path.is_dir() and not path.is_symlink():
            return
        path.mkdir()
        self.own(path)
        path.chmod(mode | (stat.S_ISGID if self.fs_group is not None else 0))

    def give_group(self, top: Path) -> None:
        """Give a whole volume to `fsGroup`: its group, readable and writable, and inherited by new files."""
        if self.fs_group is None or (self._policy == "OnRootMismatch" and self._matches(top)):
            return
        for _, folders, files, at in os.fwalk(top, follow_symlinks=False):
            for name in folders + files:
                self._give(name, at)
        self._give_open(top)  # last: an interrupted walk is noticed by OnRootMismatch

    def _matches(self, top: Path) -> bool:
        info = top.stat()
        wanted = stat.S_ISGID | 0o770
        return (not self._root or info.st_gid == self.gid) and info.st_mode & wanted == wanted

    def _give(self, name: str, at: int) -> None:
        try:
            opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
        except OSError:
            return  # a link, a socket, or gone: rights are those of what it leads to
        try:
            self._give_descriptor(opened)
        finally:
            os.close(opened)

    def _give_open(self, top: Path) -> None:
        opened = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._give_descriptor(opened)
        finally:
            os.close(opened)

    def _give_descriptor(self, opened: int) -> None:
        info = os.fstat(opened)
        if not self._root and info.st_uid != os.geteuid():
            return  # made by a container's own user, who has its rights already
        mode = stat.S_IMODE(info.st_mode) | 0o660
        if stat.S_ISDIR(info.st_mode):
            mode |= 0o110 | stat.S_ISGID
        if self._root:
            os.fchown(opened, -1, self.gid)
        os.fchmod(opened, self._shared(mode))
