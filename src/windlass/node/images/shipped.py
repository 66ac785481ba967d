# pyright: strict
"""Files shipped with Windlass that appear in containers: programs that a host may lack, and set-up of images.

They are in `programs/`: a program that a rule `brings` is `<name>.py` there, unless the rule says `.py` itself; a file
is named by its path, which is `examples/…` for a script of the examples and `formats/…` for a module of that package,
which needs nothing but Python. They are copied to a folder beside the environments, since not every pod may read
Windlass' own files.
"""

import os
from functools import cache
from pathlib import Path

from msgspec import Struct

import windlass
from windlass.node.images import interpreters
from windlass.node.images.image import UnknownImage
from windlass.node.images.program_folders import complete

FOLDER = Path(__file__).with_name("programs")
PACKAGE = Path(windlass.__file__).parent
EXAMPLES = next((one for one in (PACKAGE / "examples", PACKAGE.parents[1] / "examples") if one.is_dir()), FOLDER)
"""Beside the package in a checkout, inside it when installed."""
PATH_HERE = "@PATH@"
"""Placeholder for the image's PATH, for sessions that do not start as a container's process."""
SYSTEM_PYTHON = "/usr/bin/python3"


class ProgramFolder(Struct, frozen=True):
    """A folder of programs to put before the PATH, and the folders that the programs need."""

    folder: str
    prefixes: tuple[str, ...]


def knows(name: str) -> bool:
    """Whether a rule may name it: a file of the host by its absolute path, or one shipped with Windlass."""
    return name.startswith("/") or _source(name).is_file() or _source(f"{name}.py").is_file()


def _source(name: str) -> Path:
    if name.startswith("examples/"):
        return EXAMPLES / name.removeprefix("examples/")
    return (PACKAGE if name.startswith("formats/") else FOLDER) / name


def bring(root: Path, names: tuple[str, ...]) -> ProgramFolder:
    """Install the programs of these names below `root`. Raises UnknownImage if no Python can run them."""
    interpreter, prefixes = _python()
    sources = {name: FOLDER / (name if name.endswith(".py") else f"{name}.py") for name in names}
    texts = {name: f"#!{interpreter} -IS\n{source.read_text()}" for name, source in sources.items()}
    folder = complete(root, texts)
    return ProgramFolder(str(folder), (str(folder), *prefixes))


def files(root: Path, wanted: dict[str, str], path: str) -> dict[str, str]:
    """Return paths in the container and their files on the host. Raises UnknownImage if one is missing."""
    found: dict[str, str] = {}
    for target, name in wanted.items():
        if name.startswith("/"):
            if not Path(name).is_file():
                raise UnknownImage(f"the file {name}, which the image has at {target}, does not exist (any more)")
            found[target] = os.path.realpath(name)
        else:
            text = _source(name).read_text().replace(PATH_HERE, path)
            found[target] = str(complete(root, {Path(name).name: text}) / Path(name).name)
    return found


@cache
def _python() -> tuple[str, tuple[str, ...]]:
    """Return a Python that every pod sees, else the one that Windlass runs on, with its folders."""
    if os.access(SYSTEM_PYTHON, os.X_OK):
        return SYSTEM_PYTHON, ()
    found = interpreters.find(())
    if found is None:
        raise UnknownImage("no Python on this machine can run the programs shipped with this image")
    return found.executable, found.prefixes
