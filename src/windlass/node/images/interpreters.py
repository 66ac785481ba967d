# pyright: strict
"""Finds the Python interpreters of this machine, and the closest one to what an image requires."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from msgspec import Struct

OLDEST = (3, 8)  # what uv can make environments for
NAME = re.compile(r"python3\.(\d+)")
ASK = """
import importlib.util as u, json, os, sys, sysconfig
parts = ["_ssl", "_sqlite3", "_ctypes", "_lzma", "_bz2", "ensurepip", "venv"]
print(json.dumps({
    "version": list(sys.version_info[:3]), "prefix": sys.base_prefix,
    "library": sysconfig.get_config_var("LIBDIR") if sysconfig.get_config_var("Py_ENABLE_SHARED") else None,
    "bundled": os.path.join(sysconfig.get_path("stdlib"), "ensurepip", "_bundled"),
    "whole": sum(u.find_spec(part) is not None for part in parts),
}))
"""
Version = tuple[int, ...]


class Interpreter(Struct, frozen=True):
    """A working Python. `prefixes` are its folders outside /usr, which pods do not see by default."""

    executable: str
    version: tuple[int, int, int]
    prefixes: tuple[str, ...]
    wheels: str
    """The folder of the pip wheel that is bundled with it."""
    whole: int
    """How many of the modules that distributions tend to leave out it has."""

    @property
    def text(self) -> str:
        return ".".join(map(str, self.version))


def parse_version(text: str) -> Version:
    """Parse `3.11`, `3.11.7`, `3` or an empty string, which is any version."""
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def fits(interpreter: Interpreter, requested: Version) -> bool:
    """Whether an interpreter matches a version. The patch level does not count: it changes no behaviour to rely on."""
    return interpreter.version[: min(len(requested), 2)] == requested[:2]


def find(requested: Version, extra: Path | None = None) -> Interpreter | None:
    """Return the best matching interpreter; a bare `3` is the Python that Windlass itself runs on."""
    requested = requested if len(requested) > 1 else sys.version_info[:2]
    return _best([one for one in _of_minor(requested[1], extra) if fits(one, requested)], requested)


def nearest(requested: Version, extra: Path | None = None) -> Interpreter | None:
    """Return the interpreter with the closest minor version, a newer one before an older one."""
    minor = requested[1] if len(requested) > 1 else sys.version_info[1]
    there = {number for number, _ in candidates(extra)}
    for other in sorted(there, key=lambda number: (abs(number - minor), -number)):
        best = _best(list(_of_minor(other, extra)), (3, other))
        if best is not None:
            return best
    return None


def candidates(extra: Path | None = None) -> Iterator[tuple[int, Path]]:
    """Return programs named like a Python, by minor version."""
    known: set[Path] = set()
    for folder in _folders(extra):
        try:
            found = sorted(folder.iterdir())
        except OSError:
            continue
        for path in found:
            match = NAME.fullmatch(path.name)
            real = path.resolve()
            if match and (3, int(match[1])) >= OLDEST and real not in known and os.access(real, os.X_OK):
                known.add(real)
                yield int(match[1]), real


def _folders(extra: Path | None) -> Iterator[Path]:
    home = Path.home()
    yield Path(sys.base_prefix) / "bin"
    # Shims run other programs, and only where their version is activated.
    yield from (Path(one) for one in os.environ.get("PATH", "").split(":") if one and "shims" not in one)
    yield from (Path("/usr/local/bin"), Path("/usr/bin"))
    pyenv = Path(os.environ.get("PYENV_ROOT") or home / ".pyenv")
    managed = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or home / ".local/share/uv/python")
    for root in (pyenv / "versions", managed, *([extra] if extra else [])):
        yield from reversed(_bins(root))
    for conda in ("miniconda3", "miniforge3", "mambaforge", "anaconda3"):
        yield home / conda / "bin"
        yield from _bins(home / conda / "envs")


def _bins(root: Path) -> list[Path]:
    """Return the bin folders of all installations in `root`; none if this user may not read it."""
    try:
        return sorted(root.glob("*/bin"))
    except PermissionError:
        return []


def _of_minor(minor: int, extra: Path | None) -> Iterator[Interpreter]:
    for number, path in list(candidates(extra)):
        asked = _ask(str(path), path.stat().st_mtime_ns) if number == minor else None
        if asked is not None:
            yield asked


@cache
def _ask(executable: str, changed: int) -> Interpreter | None:
    del changed  # only there to be part of the key
    try:
        output = subprocess.run([executable, "-I", "-c", ASK], capture_output=True, timeout=20, check=True).stdout
        facts = json.loads(output)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    folders = (facts["prefix"], os.path.realpath(facts["prefix"]), facts["library"] or "/usr")
    major, minor, patch = facts["version"]
    return Interpreter(executable, (major, minor, patch), outside(folders), facts["bundled"], facts["whole"])


def outside(folders: tuple[str, ...]) -> tuple[str, ...]:
    """Return the folders that pods do not see by default, without those inside another of them."""
    found: list[str] = []
    for folder in folders:
        within = any(Path(folder).is_relative_to(one) for one in ("/usr", *found))
        if not within:
            found.append(folder)
    return tuple(found)


def _best(found: list[Interpreter], requested: Version) -> Interpreter | None:
    """Return the best of several: the exact patch level first, then the most complete, then one that every pod sees."""
    return max(found, key=lambda one: (one.version == requested, one.whole, not one.prefixes), default=None)
