"""Files of a volume, read and written without ever leaving its folder.

The content of a volume is a user's: links are never followed, only regular files are opened, and every step is opened
relative to the folder before it, so that nothing that is exchanged meanwhile leads out of the volume.
"""

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def open_file(root: Path, path: str) -> int | None:
    """A descriptor of the regular file at `path` below `root`; None if a step is a link, missing or something else."""
    folder, _, name = path.rpartition("/")
    at = open_folder(root, folder)
    if at is None:
        return None
    try:
        descriptor = os.open(name, _FILE, dir_fd=at)
    except (OSError, ValueError):  # ValueError: a null byte
        return None
    finally:
        os.close(at)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None


def open_folder(root: Path, path: str) -> int | None:
    """A descriptor of the folder at `path` below `root`; None if a step is a link, missing or something else."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts or "\0" in path:
        return None
    try:
        current = os.open(root, _FOLDER)
    except OSError:
        return None
    for part in parts:
        try:
            following = os.open(part, _FOLDER, dir_fd=current)
        except OSError:
            return None
        finally:
            os.close(current)
        current = following
    return current


def exists(root: Path, path: str) -> bool:
    """Whether there is a regular file or a folder at `path`."""
    descriptor = open_file(root, path)
    if descriptor is None:
        descriptor = open_folder(root, path)
    if descriptor is None:
        return False
    os.close(descriptor)
    return True


def read_file(root: Path, path: str, limit: int) -> bytes | None:
    """The content of a regular file, at most `limit` bytes of it; None as for `open_file`."""
    descriptor = open_file(root, path)
    if descriptor is None:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(limit)


def write_file(root: Path, path: str, content: bytes) -> None:
    """Write a file whole, with the folders that lead to it. Raises OSError, also where a step is a link."""
    folder, _, name = path.rpartition("/")
    at = _make_folder(root, folder)
    temporary = f".{name}.{os.getpid()}.new"
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=at)
        descriptor = os.open(temporary, _NEW, 0o644, dir_fd=at)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, name, src_dir_fd=at, dst_dir_fd=at)
    finally:
        os.close(at)


def create_file(root: Path, path: str) -> int:
    """A descriptor of a new file to write to, with the folders that lead to it. Raises OSError."""
    folder, _, name = path.rpartition("/")
    at = _make_folder(root, folder)
    try:
        return os.open(name, _NEW, 0o644, dir_fd=at)
    finally:
        os.close(at)


def move_file(root: Path, source: str, target: str) -> None:
    """Move a file in place of the one at `target`, with the folders that lead there. Raises OSError."""
    folder, _, name = source.rpartition("/")
    at = open_folder(root, folder)
    if at is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), source)
    new_folder, _, new_name = target.rpartition("/")
    try:
        new_at = _make_folder(root, new_folder)
        try:
            os.rename(name, new_name, src_dir_fd=at, dst_dir_fd=new_at)
        finally:
            os.close(new_at)
    finally:
        os.close(at)


def make_folder(root: Path, path: str) -> None:
    """Make a folder and those that lead to it, with the mode of `root`: containers of any user may share a volume.

    Raises OSError, also where a step is a link.
    """
    os.close(_make_folder(root, path, mode=stat.S_IMODE(root.stat().st_mode)))


def remove_empty_folder(root: Path, path: str) -> bool:
    """Remove a folder in which there is nothing; answers whether it was one."""
    folder, _, name = path.strip("/").rpartition("/")
    at = open_folder(root, folder)
    if at is None or name in ("", ".", ".."):
        return False
    try:
        os.rmdir(name, dir_fd=at)
    except OSError:
        return False
    finally:
        os.close(at)
    return True


def list_folder(root: Path, path: str) -> list[tuple[str, bool]] | None:
    """The regular files and folders in the folder at `path`, and whether each is a folder; None as for `open_folder`.

    Names that are not UTF-8 have surrogates in place of their bytes.
    """
    folder = open_folder(root, path)
    if folder is None:
        return None
    try:
        with os.scandir(folder) as entries:
            kinds = [(entry.name, _kind(entry)) for entry in entries]
    finally:
        os.close(folder)
    return [(name, kind == "folder") for name, kind in kinds if kind]


def _kind(entry: "os.DirEntry[str]") -> str:
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else ""


def files_below(root: Path, path: str) -> Iterator[str]:
    """The paths of all regular files below the folder at `path`, relative to it; nothing if there is no folder."""
    folder = open_folder(root, path)
    if folder is None:
        return
    try:
        for parent, names, files, at in os.fwalk(".", dir_fd=folder, follow_symlinks=False):
            names.sort()
            for name in sorted(files):
                if _is_file(name, at):
                    yield os.path.normpath(f"{parent}/{name}")
    finally:
        os.close(folder)


def copy_tree(source: tuple[Path, str], target: tuple[Path, str]) -> int:
    """Copy a file, or all regular files below a folder, between volumes; answers how many. Raises OSError.

    Both are the folder of a volume and a path in it. Each file appears whole.
    """
    (root, path), (new_root, new_path) = source, target
    whole = open_file(root, path)
    if whole is not None:
        _copy_file(whole, new_root, new_path)
        return 1
    count = 0
    for name in files_below(root, path):
        descriptor = open_file(root, f"{path}/{name}")
        if descriptor is not None:
            _copy_file(descriptor, new_root, f"{new_path}/{name}")
            count += 1
    return count


def _copy_file(descriptor: int, root: Path, path: str) -> None:
    folder, _, name = path.rpartition("/")
    staging = f"{folder}/.{name}.{os.getpid()}.new"
    with os.fdopen(descriptor, "rb") as source:
        remove_tree(root, staging)
        with os.fdopen(create_file(root, staging), "wb") as target:
            shutil.copyfileobj(source, target)
    move_file(root, staging, path)


def _is_file(name: str, at: int) -> bool:
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode)
    except OSError:
        return False


def remove_tree(root: Path, path: str) -> None:
    """Remove a file or folder with all that is in it, following no link. What is not there is no error."""
    folder, _, name = path.strip("/").rpartition("/")
    at = open_folder(root, folder)
    if at is None or name in ("", ".", ".."):
        return
    try:
        if stat.S_ISDIR(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
            shutil.rmtree(name, dir_fd=at)
        else:
            os.unlink(name, dir_fd=at)
    except FileNotFoundError:
        pass
    finally:
        os.close(at)


def _make_folder(root: Path, path: str, mode: int | None = None) -> int:
    """Open a folder, and make those that are missing; `mode` is that of new ones, whatever the umask."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise OSError(errno.EINVAL, "the path leads outside the volume", path)
    current = os.open(root, _FOLDER)
    for part in parts:
        try:
            is_new = False
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, 0o755, dir_fd=current)
                is_new = True
            following = os.open(part, _FOLDER, dir_fd=current)
        finally:
            os.close(current)
        if is_new and mode is not None:
            os.fchmod(following, mode)
        current = following
    return current
