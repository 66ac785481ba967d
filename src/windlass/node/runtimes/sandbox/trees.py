"""Removes folders with their contents, whatever their owner and depth.

Without shutil, whose archive libraries every supervisor would carry.
"""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH208
import os

_DEEPEST = 64
"""Maximum depth of the recursion; deeper folders are moved up first."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove(path: str) -> None:
    """Remove as much as possible; links are removed, not followed."""
    parent, name = os.path.split(path)
    try:
        top = os.open(parent, _FOLDER & ~os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    waiting = [name]
    try:
        while waiting:
            _remove(waiting.pop(), top, top, waiting, name)
    finally:
        os.close(top)


def _remove(name: str, parent: int, top: int, waiting: list[str], base: str, depth: int = 0) -> None:
    try:
        os.unlink(name, dir_fd=parent)
        return
    except IsADirectoryError:
        pass
    except OSError:
        return
    try:
        if depth == _DEEPEST:
            moved = f"{base}.{os.getpid()}.{os.urandom(8).hex()}"
            os.rename(name, moved, src_dir_fd=parent, dst_dir_fd=top)
            waiting.append(moved)
            return
        folder = _opened(name, parent)
        try:
            for inside in os.listdir(folder):
                _remove(inside, folder, top, waiting, base, depth + 1)
        finally:
            os.close(folder)
        os.rmdir(name, dir_fd=parent)
    except OSError:
        return


def _opened(name: str, parent: int) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:  # overlayfs leaves folders that their owner may not list, and pods may too
        os.chmod(name, 0o700, dir_fd=parent)
        return os.open(name, _FOLDER, dir_fd=parent)
