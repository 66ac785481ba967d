# pyright: strict
"""Unpacks the layers of an image into a folder, which nobody else can reach before it is complete.

Names and links of an image cannot lead outside the folder: paths are resolved as if the folder were the root. Files
keep their owner, as far as containers here have that user. Write permissions are dropped, since images are read-only.
"""

import os
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import IO

from windlass.formats.bounded_archives import BoundedTarInfo
from windlass.node.ids import ID_COUNT, host_id
from windlass.node.images.image import PullFailed
from windlass.node.oci.compression import opened
from windlass.node.oci.tar_entries import Entry, entry_of, inner_parts
from windlass.node.volumes.removal import remove_tree

MAX_LINKS = 40  # the kernel's
MAX_ENTRIES = 1_000_000
CHUNK = 1 << 20
NOBODY = 65534


class Stopped(Exception):
    """The unpacking was asked to stop."""


class Unpacking:
    """Unpacks layers, the lowest first, then `finish`. At most `max_bytes` are written."""

    def __init__(self, root: Path, *, max_bytes: int, stop: Event | None = None) -> None:
        self._root, self._max_bytes, self._stop = root, max_bytes, stop or Event()
        self._is_root_user = os.geteuid() == 0
        self._folders: dict[Path, Entry] = {}
        """Permissions of folders, which are set last: the unpacking user must write into them."""
        self._made: set[Path] = set()
        """Paths of the current layer and the folders above them, which its own whiteouts do not hide."""
        self._entries = 0
        self.size = 0
        root.mkdir(mode=0o755)
        self._folders[root] = Entry("folder", ())

    def layer(self, blob: Path) -> None:
        """Raises PullFailed, OSError and Stopped."""
        self._made.clear()
        with opened(blob) as plain:
            try:
                with tarfile.open(fileobj=plain, mode="r|", tarinfo=BoundedTarInfo) as tar:
                    while (member := tar.next()) is not None:
                        self._take(tar, member)
                        vars(tar)["members"].clear()  # which tarfile's documentation has users do, and stubs lack
            except tarfile.TarError as error:
                raise PullFailed(f"the layer {blob.name} is not a tar archive that can be unpacked: {error}") from error

    def _take(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            raise PullFailed(f"it has more than {MAX_ENTRIES} files")
        if self._stop.is_set():
            raise Stopped
        entry = entry_of(member)
        if entry is None:
            return
        match entry.action:
            case "remove":
                self._hide(entry.parts)
            case "empty":
                self._hide_contents(entry.parts)
            case "folder":
                self._folder(entry)
            case "file":
                content = tar.extractfile(member)
                assert content is not None  # it is a regular file
                self._place(entry, lambda path: self._file(path, content))
            case "link":
                self._place(entry, lambda path: path.symlink_to(entry.target))
            case "hard link":
                self._hard_link(entry)

    def _place(self, entry: Entry, make: Callable[[Path], None]) -> None:
        """Make a path in place of what lower layers have there."""
        path = self._path(entry.parts)
        self._forget(path)
        make(path)
        self._keep(path)
        self._own(path, entry)
        if entry.action == "file":
            path.chmod(self._mode(entry.mode))
        os.utime(path, (entry.mtime, entry.mtime), follow_symlinks=False)

    def _file(self, path: Path, content: IO[bytes]) -> None:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
            while chunk := content.read(CHUNK):
                self.size += len(chunk)
                if self.size > self._max_bytes:
                    raise PullFailed(f"its files exceed {self._max_bytes} bytes, which is all that the disk has left")
                if self._stop.is_set():
                    raise Stopped
                file.write(chunk)

    def _folder(self, entry: Entry) -> None:
        path = self._path(entry.parts) if entry.parts else self._root
        if path.is_symlink() or not path.is_dir():
            self._forget(path)
            path.mkdir(mode=0o700)
        self._keep(path)
        self._folders[path] = entry

    def _hard_link(self, entry: Entry) -> None:
        source, path = self._path(inner_parts(entry.target)), self._path(entry.parts)
        if source.is_symlink() or not source.is_file():
            raise PullFailed(f"a layer has a hard link to {entry.target[:200]!r}, which is not a file of the image")
        if source != path:
            self._forget(path)
            path.hardlink_to(source)
        self._keep(path)

    def _hide(self, parts: tuple[str, ...]) -> None:
        path = self._path(parts) if parts else self._root
        if path in self._made or path == self._root:
            self._hide_contents(parts)
        else:
            self._forget(path)

    def _hide_contents(self, parts: tuple[str, ...]) -> None:
        """Remove what lower layers have in a folder, and keep what this layer has put there already."""
        top = self._path(parts) if parts else self._root
        if top.is_symlink() or not top.is_dir():
            return
        for path in sorted(top.rglob("*"), reverse=True):
            if path not in self._made:
                self._forget(path)

    def _keep(self, path: Path) -> None:
        while path not in self._made and path != self._root:
            self._made.add(path)
            path = path.parent

    def _forget(self, path: Path) -> None:
        """Remove a path of the image, if it exists."""
        if path.is_symlink() or path.exists():
            remove_tree(path)
            for folder in [each for each in self._folders if each.is_relative_to(path)]:
                del self._folders[folder]

    def _path(self, parts: tuple[str, ...]) -> Path:
        """Return the place of an entry: its folder without links, made if it is missing, and its own name."""
        resolved, todo, links = list[str](), list(reversed(parts[:-1])), 0
        while todo:
            part = todo.pop()
            if part == "..":
                del resolved[-1:]  # above the root there is only the root
                continue
            path = self._root.joinpath(*resolved, part)
            if path.is_symlink():
                links += 1
                target = str(path.readlink())
                resolved = [] if target.startswith("/") else resolved
                todo += [step for step in reversed(target.split("/")) if step not in ("", ".")]
            elif path.is_dir():
                resolved.append(part)
            else:
                self._make_missing(path)
                resolved.append(part)
            if links > MAX_LINKS:
                raise PullFailed(f"a layer has the entry {'/'.join(parts)[:200]!r} behind too many links")
        return self._root.joinpath(*resolved, parts[-1])

    def _make_missing(self, path: Path) -> None:
        if path.exists():
            raise PullFailed(f"a layer has an entry in {path.relative_to(self._root)}, which is not a folder")
        path.mkdir(mode=0o700)
        self._folders[path] = Entry("folder", ())

    def finish(self) -> None:
        """Set the permissions of folders, the inner ones first."""
        for path, entry in sorted(self._folders.items(), reverse=True):
            self._own(path, entry)
            os.utime(path, (entry.mtime, entry.mtime))
            path.chmod(self._mode(entry.mode))

    def _own(self, path: Path, entry: Entry) -> None:
        if self._is_root_user:
            uid, gid = (host_id(each if each < ID_COUNT else NOBODY, root=True) for each in (entry.uid, entry.gid))
            os.chown(path, uid, gid, follow_symlinks=False)

    def _mode(self, mode: int) -> int:
        """Drop write permissions. Where owners cannot be kept, all users of a container may read what one may."""
        if not self._is_root_user:
            mode |= 0o444 | (0o111 if mode & 0o111 else 0)
        return stat.S_IMODE(mode) & 0o555
