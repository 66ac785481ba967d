# pyright: strict
"""The machine's busybox in images that are made of it: its shell in place of dash, and applets that the machine lacks.

A machine without busybox runs these images with its own programs. The shell of a standalone busybox, as Debian's static
one, runs applets whatever the PATH says, in the place of the programs that Windlass brings too: a copy without applets
is the shell then.
"""

import logging
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import msgspec

from windlass.node.images import applet_names, program_folders
from windlass.node.images.image import Image

SHELLS = ("sh", "ash")
POSIX_SHELL = "/bin/sh"
DASH = "dash"
FOLDER = "/busybox"
"""The applets in a container. Mounted at its own path, the folder would show where the data directory is."""
COPY = "busybox"
"""By another name it would not answer to `busybox sh`."""
TIMEOUT_SECONDS = 10

log = logging.getLogger(__name__)


def added_to(image: Image, root: Path, programs: str) -> Image:
    """Return the image with busybox, if there is one in the folders `programs`, which pods see."""
    busybox = shutil.which("busybox", path=programs)
    program = os.path.realpath(busybox) if busybox is not None else ""
    applets = applets_of(program) if program else ()
    if not set(SHELLS).issubset(applets):
        return image
    shell = shell_of(root, program)
    if not shell:
        return image
    missing = (name for name in applets if shutil.which(name, path=programs) is None)
    links = {name: program_folders.Link(program) for name in missing}
    folder = program_folders.complete(root, {**links, **{name: program_folders.Link(shell) for name in SHELLS}})
    covered = shell_file(os.path.realpath(POSIX_SHELL))
    return msgspec.structs.replace(
        image,
        path=(*image.path, FOLDER, str(folder)),  # plain processes have no mounts
        files={FOLDER: str(folder), **({covered: shell} if covered else {}), **image.files},
    )


@cache
def shell_of(root: Path, program: str) -> str:
    """The program whose shell finds others on the PATH: busybox itself, or a copy; empty if there is none."""
    if not is_standalone(program):
        return program
    try:
        content = applet_names.hidden_but(SHELLS, applets_of(program), Path(program).read_bytes())
        shell = str(program_folders.complete(root, {COPY: content}) / COPY)
    except (OSError, ValueError) as error:
        log.warning("images keep this machine's shell program=%s error=%s", program, error)
        return ""
    return shell if place_of_ls(shell).startswith("/") else ""


def shell_file(shell: str) -> str:
    """The file that busybox covers in the container, so that /bin/sh is its shell; empty where it must not.

    `/bin/sh` is a link, and mounts go to files. On machines where it leads to bash, programs need bash by its own name.
    """
    return shell if Path(shell).name == DASH else ""


@cache
def applets_of(program: str) -> tuple[str, ...]:
    """The names that busybox answers to, in its order; empty if it does not run."""
    return tuple(name for name in _output(program, "--list").split() if "/" not in name)


@cache
def is_standalone(program: str) -> bool:
    """Whether its shell prefers its own programs to those of the PATH; then it finds them without a path."""
    return place_of_ls(program) == "ls"


def place_of_ls(program: str) -> str:
    """Where its shell finds `ls`; empty if it does not run."""
    return _output(program, "sh", "-c", "command -v ls").strip()


def _output(*argv: str) -> str:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout
