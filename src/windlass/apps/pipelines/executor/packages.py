"""The packages that a lightweight component installs when it starts, read from its command.

The SDK (2.1 to 2.17) begins such a command with one or two `sh -c` scripts that install packages with pip. Only their
exact shape counts: anything else is left to the container's own pip.
"""

import re
import shlex
from collections.abc import Sequence
from typing import Any

from windlass.apis.pod_packages import MAX_LENGTH, NO_DEPENDENCIES, PodPackages, format_packages, is_requirement

SCRIPT = re.compile(
    r"\s*if ! \[ -x \"\$\(command -v pip\)\" \]; then\s+"
    r"python3 -m ensurepip \|\| python3 -m ensurepip --user \|\| apt-get install python3-pip\s+fi\s+"
    r"PIP_DISABLE_PIP_VERSION_CHECK=1 (?P<installs>.+?) && \"\$0\" \"\$@\"\s*",
    re.DOTALL,
)
INSTALL = re.compile(r"python3 -m pip install --quiet (?:\\\n)?\s*--no-warn-script-location (?P<words>.+)", re.DOTALL)


def packages(command: Sequence[Any]) -> str:
    """Return the requirements, one a line, those after a line `--no-deps` without dependencies; empty if unknown."""
    whole, alone = list[str](), list[str]()
    words = list(command)
    while len(words) >= 3 and words[:2] == ["sh", "-c"]:
        installs = _installs(words[2])
        if installs is None:
            return ""
        for requirements, is_alone in installs:
            (alone if is_alone else whole).extend(requirements)
        words = words[3:]
    found = PodPackages(whole=tuple(dict.fromkeys(whole)), alone=tuple(dict.fromkeys(alone)))
    text = format_packages(found)
    return text if len(text) <= MAX_LENGTH else ""


def _installs(script: Any) -> list[tuple[list[str], bool]] | None:
    """Return the requirements of each pip in a script, and whether they go without dependencies; None if unknown."""
    match = SCRIPT.fullmatch(script) if isinstance(script, str) else None
    if match is None:
        return None
    installs: list[tuple[list[str], bool]] = []
    for command in match["installs"].split(" && "):
        install = INSTALL.fullmatch(command.strip(" "))
        try:
            words = shlex.split(install["words"]) if install else []
        except ValueError:
            return None
        requirements = [word for word in words if word != NO_DEPENDENCIES]
        if not requirements or not all(map(is_requirement, requirements)):
            return None
        installs.append((requirements, NO_DEPENDENCIES in words))
    return installs
