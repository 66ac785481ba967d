"""Resolves a path inside a folder that others write to, without ever leaving it.

Every step is opened relative to the previous one without following links; links are read and resolved the same way, so
that neither a link nor a folder that is swapped meanwhile leads outside.
"""

import os
import stat
from pathlib import Path

MAX_LINKS = 40  # the kernel's


class Escapes(Exception):
    """The path leads outside the folder."""


def resolve(top: Path, inside: str, *, make: int | None = None, own: tuple[int, int] = (-1, -1)) -> Path:
    """Return the path that `inside` leads to, without links below `top`.

    Missing folders are created with mode `make`.
    """
    opened = open_beneath(top, inside, make=make, own=own)
    try:
        return Path(f"/proc/self/fd/{opened}").readlink()
    finally:
        os.close(opened)


def open_beneath(top: Path, inside: str, *, make: int | None = None, own: tuple[int, int] = (-1, -1)) -> int:
    """Return a descriptor (O_PATH) of what `inside` leads to; raises Escapes, or OSError."""
    if inside.startswith("/"):
        raise Escapes(f"{inside} is an absolute path")
    stack = [os.open(top, os.O_PATH | os.O_DIRECTORY)]
    todo = [step for step in reversed(inside.split("/")) if step not in ("", ".")]
    links = 0
    try:
        while todo:
            step = todo.pop()
            if step == "..":
                if len(stack) == 1:
                    raise Escapes(f"{inside} leads outside {top}")
                os.close(stack.pop())
                continue
            opened = _open(step, stack[-1], make, own)
            if not stat.S_ISLNK(os.fstat(opened).st_mode):
                stack.append(opened)
                continue
            target = _link(opened)
            links += 1
            if target.startswith("/") or links > MAX_LINKS:
                raise Escapes(f"{inside} leads outside {top}: {step} is a link to {target}")
            todo += [part for part in reversed(target.split("/")) if part not in ("", ".")]
        return stack.pop()
    finally:
        for descriptor in stack:
            os.close(descriptor)


def _link(opened: int) -> str:
    try:
        return os.readlink("", dir_fd=opened)
    finally:
        os.close(opened)


def _open(step: str, at: int, make: int | None, own: tuple[int, int]) -> int:
    try:
        return os.open(step, os.O_PATH | os.O_NOFOLLOW, dir_fd=at)
    except FileNotFoundError:
        if make is None:
            raise
    os.mkdir(step, 0o700, dir_fd=at)
    opened = os.open(step, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY, dir_fd=at)
    try:
        if own != (-1, -1):
            os.fchown(opened, *own)
        os.fchmod(opened, make)
    finally:
        os.close(opened)
    return os.open(step, os.O_PATH | os.O_NOFOLLOW, dir_fd=at)
