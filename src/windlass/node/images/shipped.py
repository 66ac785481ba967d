# pyright: strict
"""Files that come with Windlass and appear in containers: programs that a host may lack, and set-up of images.

They lie in `programs/`: a program that a rule `brings` is `<name>.py` there, unless the rule says `.py` itself; a file
is called by its path, which is `examples/…` for a script of the examples. They are copied to a folder beside the
environments, since not every pod may look into Windlass, and that folder is named after their contents: what runs
keeps what it was started with.
"""

import hashlib
import os
from functools import cache
from pathlib import Path

from msgspec import Struct

import windlass
from windlass.node.images import interpreters
from windlass.node.images.image import UnknownImage

FOLDER = Path(__file__).with_name("programs")
PACKAGE = Path(windlass.__file__).parent
EXAMPLES = next((one for one in (PACKAGE / "examples", PACKAGE.parents[1] / "examples") if one.is_dir()), FOLDER)
"""Beside the package in a checkout, in it when it is installed."""
PATH_HERE = "@PATH@"
"""Stands in a file for the PATH of the image: sessions that do not begin as a container's process need to be told."""
SYSTEM_PYTHON = "/usr/bin/python3"


class Brought(Struct, frozen=True):
    """A folder of programs, to be put before the PATH, and the folders that they need."""

    folder: str
    prefixes: tuple[str, ...]


def knows(name: str) -> bool:
    """Whether a rule may name it: a file of the host by its whole path, or one that comes with Windlass."""
    return name.startswith("/") or _source(name).is_file() or _source(f"{name}.py").is_file()


def _source(name: str) -> Path:
    return EXAMPLES / name.removeprefix("examples/") if name.startswith("examples/") else FOLDER / name


def bring(root: Path, names: tuple[str, ...]) -> Brought:
    """The programs of these names, below `root`. Raises UnknownImage where no Python can run them."""
    interpreter, prefixes = _python()
    sources = {name: FOLDER / (name if name.endswith(".py") else f"{name}.py") for name in names}
    texts = {name: f"#!{interpreter} -IS\n{source.read_text()}" for name, source in sources.items()}
    folder = _written(root, texts)
    return Brought(str(folder), (str(folder), *prefixes))


def files(root: Path, wanted: dict[str, str], path: str) -> dict[str, str]:
    """Where in a container, and which file of the host. Raises UnknownImage if one is not there."""
    found: dict[str, str] = {}
    for target, name in wanted.items():
        if name.startswith("/"):
            if not Path(name).is_file():
                raise UnknownImage(f"the file {name}, which the image has at {target}, is not there (any more)")
            found[target] = os.path.realpath(name)
        else:
            text = _source(name).read_text().replace(PATH_HERE, path)
            found[target] = str(_written(root, {Path(name).name: text}) / Path(name).name)
    return found


def _written(root: Path, texts: dict[str, str]) -> Path:
    """A folder with these files. Whoever finds it there finds it whole: it gets its name last."""
    digest = hashlib.sha256(repr(sorted(texts.items())).encode()).hexdigest()[:16]
    folder = root / "programs" / digest
    if folder.is_dir():
        return folder
    partial = folder.with_name(f".{digest}.{os.getpid()}")
    partial.mkdir(mode=0o755, parents=True, exist_ok=True)
    for name, text in texts.items():
        file = partial / name
        file.write_text(text)
        file.chmod(0o755 if text.startswith("#!") else 0o644)
    try:
        partial.rename(folder)
    except OSError:  # another process was faster
        for file in partial.iterdir():
            file.unlink()
        partial.rmdir()
    return folder


@cache
def _python() -> tuple[str, tuple[str, ...]]:
    """One that every pod sees, else the one that Windlass runs on, with its folders."""
    if os.access(SYSTEM_PYTHON, os.X_OK):
        return SYSTEM_PYTHON, ()
    found = interpreters.find(())
    if found is None:
        raise UnknownImage("there is no Python on this machine that could run what comes with this image")
    return found.executable, found.prefixes
