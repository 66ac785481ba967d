# pyright: strict
"""The machine's busybox in images that are made of it: its shell in place of dash, and applets that the machine lacks.

A machine without busybox runs these images with its own programs, and so does one whose busybox is standalone, as
Debian's static one: in its shell it runs its own programs whatever the PATH says, also those that Windlass brings.
"""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import msgspec

from windlass.node.images import program_folders
from windlass.node.images.image import Image

SHELLS = ("sh", "ash")
POSIX_SHELL = "/bin/sh"
DASH = "dash"
FOLDER = "/busybox"
"""The applets in a container. Mounted at its own path, the folder would show where the data directory is."""
TIMEOUT_SECONDS = 10


def added_to(image: Image, root: Path, programs: str) -> Image:
    """Return the image with busybox, if there is one in the folders `programs`, which pods see."""
    busybox = shutil.which("busybox", path=programs)
    program = os.path.realpath(busybox) if busybox is not None else ""
    applets = applets_of(program) if program else frozenset[str]()
    if not applets.issuperset(SHELLS) or is_standalone(program):
        return image
    missing = (name for name in applets if shutil.which(name, path=programs) is None)
    folder = _linked(root, program, frozenset((*SHELLS, *missing)))
    shell = shell_file(os.path.realpath(POSIX_SHELL))
    return msgspec.structs.replace(
        image,
        path=(*image.path, FOLDER, str(folder)),  # plain processes have no mounts
        files={FOLDER: str(folder), **({shell: program} if shell else {}), **image.files},
    )


def shell_file(shell: str) -> str:
    """The file that busybox covers in the container, so that /bin/sh is its shell; empty where it must not.

    `/bin/sh` is a link, and mounts go to files. On machines where it leads to bash, programs need bash by its own name.
    """
    return shell if Path(shell).name == DASH else ""


@cache
def applets_of(program: str) -> frozenset[str]:
    """The names that busybox answers to; empty if it does not run."""
    return frozenset(name for name in _output(program, "--list").split() if "/" not in name)


@cache
def is_standalone(program: str) -> bool:
    """Whether its shell prefers its own programs to those of the PATH; then it finds them without a path."""
    return _output(program, "sh", "-c", "command -v ls").strip() == "ls"


def _output(*argv: str) -> str:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


def _linked(root: Path, program: str, names: frozenset[str]) -> Path:
    return program_folders.complete(root, {name: program_folders.Link(program) for name in names})
