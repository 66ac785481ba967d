"""Removes folders that pods have written: never through a link, and also what an ordinary user may not touch."""

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

Anchor = Callable[[], int | None]
"""A process in the node's user namespace, where there is one: there the agent's user may remove every pod's files."""


def remove_tree(path: Path) -> None:
    """A file, a link itself, or a folder with all that is in it; nothing there is as well."""
    if path.is_symlink() or path.is_file():
        path.unlink(missing_ok=True)
        return
    _open_up(path)
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        return


def _open_up(top: Path) -> None:
    """Make folders that a container has closed to their owner removable."""
    if os.geteuid() == 0 or not top.exists():
        return
    for folder, _, _, at in os.fwalk(top, follow_symlinks=False, onerror=lambda error: _reopen(error, top)):
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK) and os.fstat(at).st_uid == os.geteuid():
            os.fchmod(at, 0o700)


def _reopen(error: OSError, top: Path) -> None:
    path = Path(str(error.filename))
    if path.is_absolute() and path.is_relative_to(top) and not path.is_symlink():
        path.chmod(0o700)


async def remove(path: Path, anchor: Anchor) -> None:
    """Raises OSError where it cannot be removed."""
    try:
        await asyncio.to_thread(remove_tree, path)
    except PermissionError:
        pid = anchor()
        if pid is None:
            raise
        argv = ["nsenter", "--user", f"--target={pid}", "--", "rm", "-rf", "--one-file-system", "--", str(path)]
        process = await asyncio.create_subprocess_exec(*argv, stderr=asyncio.subprocess.PIPE)
        _, told = await process.communicate()
        if process.returncode:
            raise PermissionError(f"{path} cannot be removed: {told.decode(errors='replace').strip()}") from None
