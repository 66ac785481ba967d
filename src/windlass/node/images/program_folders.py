# pyright: strict
"""Folders of programs for containers, beside the environments. Each is named after its contents, so running containers
keep the version that they started with.
"""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Link(NamedTuple):
    """A symbolic link to a program of the machine."""

    target: str


def complete(root: Path, contents: Mapping[str, str | bytes | Link]) -> Path:
    """Return the folder with these texts, programs and links. Its name comes last: it is complete where it exists."""
    digest = hashlib.sha256(repr(sorted(contents.items())).encode()).hexdigest()[:16]
    folder = root / "programs" / digest
    if folder.is_dir():
        return folder
    partial = folder.with_name(f".{digest}.{os.getpid()}")
    partial.mkdir(mode=0o755, parents=True, exist_ok=True)
    for name, content in contents.items():
        _write(partial / name, content)
    try:
        partial.rename(folder)
    except OSError:  # another process was faster
        for file in partial.iterdir():
            file.unlink()
        partial.rmdir()
    return folder


def _write(file: Path, content: str | bytes | Link) -> None:
    if isinstance(content, bytes):
        file.write_bytes(content)
        file.chmod(0o755)
        return
    if isinstance(content, Link):
        file.unlink(missing_ok=True)  # of this process before, which was interrupted
        file.symlink_to(content.target)
        return
    file.write_text(content)
    file.chmod(0o755 if content.startswith("#!") else 0o644)
