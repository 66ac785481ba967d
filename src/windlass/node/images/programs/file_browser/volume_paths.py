"""Opens paths of a volume that others write to, without ever leaving it.

Every step is opened relative to the previous one without following links; links are read and resolved the same way. So
neither `..`, nor a link, nor a folder that is swapped for a link meanwhile leads outside.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINKS = 40
PRIVATE = ".windlass-files"
"""The folder at the top of a volume for unfinished uploads and deleted files."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NOT_A_FOLDER = (errno.ELOOP, errno.ENOTDIR)


class Refused(Exception):
    """A request that is not carried out: an HTTP status and a sentence for the user."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


def split(path: str) -> list[str]:
    """Return the names in a request's path. Raises Refused for what is not a path beneath the volume."""
    names = [name for name in path.split("/") if name]
    if "\0" in path or any(name in (".", "..") for name in names):
        raise Refused(400, "the path is not valid")
    if names and names[0] == PRIVATE:
        raise Refused(403, f"{PRIVATE} belongs to the file browser")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise Refused(400, "the path is not valid UTF-8") from None
    return names


class Volume:
    """The folder of a volume."""

    def __init__(self, top: str) -> None:
        self._top = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    @contextmanager
    def folder(self, path: str) -> Iterator[int]:
        """Yield a descriptor of a folder."""
        opened = self._walk(split(path), is_file=False)
        try:
            yield opened
        finally:
            os.close(opened)

    @contextmanager
    def file(self, path: str) -> Iterator[int]:
        """Yield a descriptor of a regular file, open for reading."""
        opened = self._walk(split(path), is_file=True)
        try:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise Refused(400, "it is not a file")
            yield opened
        finally:
            os.close(opened)

    @contextmanager
    def parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Yield the folder of an entry and its name; the entry itself is not followed, and need not exist."""
        names = split(path)
        if not names:
            raise Refused(400, "the volume itself cannot be changed")
        opened = self._walk(names[:-1], is_file=False, make=make)
        try:
            yield opened, names[-1]
        finally:
            os.close(opened)

    @contextmanager
    def private(self, *names: str) -> Iterator[int]:
        """Yield a folder of the file browser itself, created if it is missing. Links are not followed here."""
        opened = os.dup(self._top)
        try:
            for name in (PRIVATE, *names):
                try:
                    os.mkdir(name, 0o700, dir_fd=opened)
                    own_as_folder(opened, name)
                except FileExistsError:
                    pass
                inner = os.open(name, _FOLDER, dir_fd=opened)
                os.close(opened)
                opened = inner
            yield opened
        finally:
            os.close(opened)

    def _walk(self, names: list[str], *, is_file: bool, make: bool = False) -> int:
        stack, todo, links = [os.dup(self._top)], names[::-1], 0
        try:
            while todo:
                name = todo.pop()
                if name == "..":
                    if len(stack) == 1:
                        raise Refused(403, "the path leads outside the volume")
                    os.close(stack.pop())
                    continue
                wanted = _FILE if is_file and not todo else _FOLDER
                try:
                    stack.append(_open(name, wanted, stack[-1], make=make))
                except OSError as error:
                    if error.errno not in _NOT_A_FOLDER:
                        raise
                    target = _link(name, stack[-1])
                    links += 1
                    if target.startswith("/") or links > MAX_LINKS:
                        raise Refused(403, f"{name} is a link that leads outside the volume") from None
                    todo += [part for part in reversed(target.split("/")) if part not in ("", ".")]
            return stack.pop()
        finally:
            for descriptor in stack:
                os.close(descriptor)


def _open(name: str, flags: int, folder: int, *, make: bool) -> int:
    if make:
        try:
            os.mkdir(name, 0o777, dir_fd=folder)
            own_as_folder(folder, name)
        except FileExistsError:
            pass
    return os.open(name, flags, dir_fd=folder)


def _link(name: str, folder: int) -> str:
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError:
        raise Refused(400, f"{name} is not a folder") from None


def own_as_folder(folder: int, name: str) -> None:
    """Give a new entry to the owner of its folder, so that the volume's own pods can change it."""
    info = os.fstat(folder)
    if os.geteuid() == 0:
        os.chown(name, info.st_uid, info.st_gid, dir_fd=folder, follow_symlinks=False)


def names_in(folder: int) -> list[str]:
    return os.listdir(folder)


def exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def remove_tree(folder: int, name: str) -> None:
    """Remove an entry with all that is in it; links are removed, not followed."""
    if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        os.unlink(name, dir_fd=folder)
        return
    opened = os.open(name, _FOLDER, dir_fd=folder)
    try:
        for inner in names_in(opened):
            remove_tree(opened, inner)
    finally:
        os.close(opened)
    os.rmdir(name, dir_fd=folder)


def walk_files(folder: int, prefix: str) -> Iterator[tuple[str, int]]:
    """Yield the regular files beneath a folder: a path with the prefix, and a descriptor that is open meanwhile."""
    for name in sorted(names_in(folder)):
        if not prefix and name == PRIVATE:
            continue
        path = f"{prefix}/{name}" if prefix else name
        try:
            opened = os.open(name, _FILE, dir_fd=folder)
        except OSError:  # a link, unreadable, or gone
            continue
        try:
            mode = os.fstat(opened).st_mode
            if stat.S_ISDIR(mode):
                yield from walk_files(opened, path)
            elif stat.S_ISREG(mode):
                yield path, opened
        finally:
            os.close(opened)
