"""Removes folders that pods have written: never through a link, and including files of other users."""

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

Anchor = Callable[[], int | None]
"""Returns a process in the node's user namespace, if any: in it the agent's user may remove every pod's files."""


def remove_tree(path: Path) -> None:
    """Remove a file, a link itself, or a folder with its contents; a missing path is fine."""
    if path.is_symlink() or path.is_file():
        path.unlink(missing_ok=True)
        return
    _open_up(path)
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        return


def _open_up(top: Path) -> None:
    """Make folders removable that a container closed to their own user. Root does not need it."""
    if os.geteuid() == 0:
        return
    try:
        opened = os.open(top, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        info = os.fstat(opened)
        if info.st_uid == os.geteuid() and info.st_mode & 0o700 != 0o700:
            os.chmod(f"/proc/self/fd/{opened}", 0o700)  # noqa: PTH101 - the folder that was opened, whatever its name is now
        inside = [entry.name for entry in os.scandir(f"/proc/self/fd/{opened}") if entry.is_dir(follow_symlinks=False)]
        for name in inside:
            _open_up(top / name)
    finally:
        os.close(opened)


async def remove(path: Path, anchor: Anchor) -> None:
    """Remove a path. Raises OSError on failure."""
    try:
        await asyncio.to_thread(remove_tree, path)
    except PermissionError:
        pid = anchor()
        if pid is None:
            raise
        argv = ["nsenter", "--user", f"--target={pid}", "--", "rm", "-rf", "--one-file-system", "--", str(path)]
        process = await asyncio.create_subprocess_exec(*argv, stderr=asyncio.subprocess.PIPE)
        _, output = await process.communicate()
        if process.returncode:
            raise PermissionError(f"{path} cannot be removed: {output.decode(errors='replace').strip()}") from None
