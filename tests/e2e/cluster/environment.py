"""An environment with Windlass and what it needs, as an image would have it: nothing in it leads out of its folder."""

import os
import shutil
import sys
import venv
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import windlass

LEFT_OUT = ("uv",)  # large, and only for environments of images
PROGRAM = """#!{python}
from windlass.__main__ import main
main()
"""


def make_environment(folder: Path, packages: Sequence[str] = ()) -> None:
    """`packages` are added, as extras of Windlass would be."""
    venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
    target = next(folder.glob("lib/python*/site-packages"))
    seen: set[str] = set(LEFT_OUT)
    for needed in (found for name in ("windlass", *packages) for found in _needed(name, seen)):
        for file in needed.files or ():
            if ".." not in file.parts and file.suffix not in (".pyc", ".pth"):
                _put(Path(str(file.locate())), target / file)
    own = Path(windlass.__file__).parent
    shutil.copytree(own, target / "windlass", dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    program = folder / "bin" / "windlass"
    program.write_text(PROGRAM.format(python=folder / "bin" / Path(sys.executable).name))
    program.chmod(0o755)


def _needed(name: str, seen: set[str]) -> Iterator[Distribution]:
    """A package, and what it requires on this machine."""
    if canonicalize_name(name) in seen:
        return
    seen.add(canonicalize_name(name))
    try:
        found = distribution(name)
    except PackageNotFoundError:  # required only elsewhere
        return
    yield found
    for line in found.requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield from _needed(requirement.name, seen)


def _put(source: Path, target: Path) -> None:
    """By a link where the file system allows, which takes no time."""
    if not source.is_file():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
