"""Copies a folder that containers may be writing to: never through a link, with owners, modes, times and hard links.

Every step is opened relative to its folder without following links, so a folder that a container swaps for a link
meanwhile leads nowhere. File systems that share blocks between files copy no data.

An ordinary user cannot give files to the users of containers: there this module runs as a program in the node's user
namespace.
"""

import asyncio
import errno
import fcntl
import os
import stat
import sys
from pathlib import Path

from windlass.node.ids import host_id
from windlass.node.volumes.removal import Anchor, remove

_FICLONE = 0x40049409
_PIECE = 1 << 24
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NO_CLONE = (errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOTTY, errno.ENOSYS)


async def copy(source: Path, target: Path, anchor: Anchor) -> None:
    """Copy a folder; the target has its name only when it is complete. A missing source is an empty folder.

    Raises OSError. What a failed copy has left is removed.
    """
    partial = target.with_name(f".{target.name}.partial")
    await remove(partial, anchor)
    try:
        await _copy_to(source, partial, anchor)
    except BaseException:
        await remove(partial, anchor)
        raise
    partial.rename(target)


async def _copy_to(source: Path, target: Path, anchor: Anchor) -> None:
    if await asyncio.to_thread(_make_empty_if_missing, source, target):
        return
    pid = anchor() if os.geteuid() else None
    if pid is None:
        await asyncio.to_thread(copy_tree, source, target)
        return
    inside = ["nsenter", "--user", f"--target={pid}", "--"]
    program = [sys.executable, "-P", "-m", "windlass.node.volumes.copying", str(source), str(target)]
    process = await asyncio.create_subprocess_exec(*inside, *program, stderr=asyncio.subprocess.PIPE)
    _, output = await process.communicate()
    if process.returncode:
        lines = output.decode(errors="replace").strip().splitlines() or ["no message"]
        raise OSError(errno.EIO, f"the copy failed: {lines[-1]}", str(source))


def _make_empty_if_missing(source: Path, target: Path) -> bool:
    """For a volume that no pod has mounted yet, create the folder that its first pod would create."""
    if source.is_dir():
        return False
    target.mkdir(mode=0o700)
    owner = host_id(0, root=os.geteuid() == 0)
    os.chown(target, owner, owner)
    target.chmod(0o777)
    return True


def copy_tree(source: Path, target: Path) -> None:
    """Copy a folder to a new one. Files that vanish meanwhile, sockets and devices are left out."""
    target.mkdir(mode=0o700)
    here = os.open(source, _FOLDER)
    there = os.open(target, _FOLDER)
    try:
        _Copier(there).folder(here, there, "")
    finally:
        os.close(here)
        os.close(there)


class _Copier:
    """One copy. `top` is the target folder, which nobody else can reach yet."""

    def __init__(self, top: int) -> None:
        self._top = top
        self._links: dict[tuple[int, int], str] = {}

    def folder(self, here: int, there: int, path: str) -> None:
        for entry in os.listdir(here):
            inside = f"{path}/{entry}" if path else entry
            try:
                info = os.stat(entry, dir_fd=here, follow_symlinks=False)
                self._entry(entry, info, here, there, inside)
            except FileNotFoundError:
                continue
            except OSError as error:
                if error.errno not in (errno.ELOOP, errno.ENOTDIR):  # it has just become a link, or a file
                    raise
        _take_over(there, os.fstat(here))

    def _entry(self, name: str, info: os.stat_result, here: int, there: int, path: str) -> None:
        mode = info.st_mode
        if stat.S_ISDIR(mode):
            self._inner(name, here, there, path)
        elif stat.S_ISLNK(mode):
            self._link(name, info, here, there)
        elif stat.S_ISREG(mode):
            self._file(name, here, there, path)
        elif stat.S_ISFIFO(mode):
            os.mkfifo(name, stat.S_IMODE(mode), dir_fd=there)
            _own(name, info, there)

    def _link(self, name: str, info: os.stat_result, here: int, there: int) -> None:
        try:
            target = os.readlink(name, dir_fd=here)
        except OSError as error:
            if error.errno == errno.EINVAL:  # it has just become a folder or a file
                return
            raise
        os.symlink(target, name, dir_fd=there)
        _own(name, info, there)

    def _inner(self, name: str, here: int, there: int, path: str) -> None:
        found = os.open(name, _FOLDER, dir_fd=here)
        try:
            os.mkdir(name, 0o700, dir_fd=there)
            made = os.open(name, _FOLDER, dir_fd=there)
            try:
                self.folder(found, made, path)
            finally:
                os.close(made)
        finally:
            os.close(found)

    def _file(self, name: str, here: int, there: int, path: str) -> None:
        found = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
        try:
            info = os.fstat(found)
            if not stat.S_ISREG(info.st_mode):
                return
            known = self._links.setdefault((info.st_dev, info.st_ino), path) if info.st_nlink > 1 else path
            if known != path:
                os.link(known, path, src_dir_fd=self._top, dst_dir_fd=self._top, follow_symlinks=False)
                return
            made = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=there)
            try:
                _contents(found, made, info.st_size)
                _attributes(found, made)
                _take_over(made, info)
            finally:
                os.close(made)
        finally:
            os.close(found)


def _contents(found: int, made: int, size: int) -> None:
    try:
        fcntl.ioctl(made, _FICLONE, found)
    except OSError as error:
        if error.errno not in _NO_CLONE:
            raise
    else:
        return
    offset = 0
    while offset < size:  # holes stay holes
        try:
            start = os.lseek(found, offset, os.SEEK_DATA)
            end = os.lseek(found, start, os.SEEK_HOLE)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            break
        offset = _span(found, made, start, min(end, size))
        if offset < min(end, size):  # it has been truncated
            break
    os.ftruncate(made, size)


def _span(found: int, made: int, start: int, end: int) -> int:
    """Copy one range; returns where it ended."""
    os.lseek(made, start, os.SEEK_SET)
    while start < end:
        count = os.sendfile(made, found, start, min(_PIECE, end - start))
        if not count:
            break
        start += count
    return start


def _attributes(found: int, made: int) -> None:
    try:
        names = [name for name in os.listxattr(found) if name.startswith("user.")]
    except OSError:  # the file system has none
        return
    for name in names:
        os.setxattr(made, name, os.getxattr(found, name))


def _own(name: str, info: os.stat_result, there: int) -> None:
    if os.geteuid() == 0:
        os.chown(name, info.st_uid, info.st_gid, dir_fd=there, follow_symlinks=False)
    os.utime(name, ns=(info.st_atime_ns, info.st_mtime_ns), dir_fd=there, follow_symlinks=False)


def _take_over(made: int, info: os.stat_result) -> None:
    if os.geteuid() == 0:
        os.fchown(made, info.st_uid, info.st_gid)
    os.fchmod(made, stat.S_IMODE(info.st_mode))
    os.utime(made, ns=(info.st_atime_ns, info.st_mtime_ns))


if __name__ == "__main__":
    try:
        copy_tree(Path(sys.argv[1]), Path(sys.argv[2]))
    except OSError as problem:
        sys.exit(str(problem))
