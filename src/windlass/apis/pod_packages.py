"""The annotation by which a pod names Python packages that its main container installs when it starts.

The node adds them to the environment of its image, so that pip finds them satisfied. One requirement a line; a line
`--no-deps` applies to the lines after it. Requirements are names with extras, versions and markers, so that the
annotation can name nothing but packages of the indexes that the node uses.
"""

import re

from windlass.kube.meta import Struct

PACKAGES_ANNOTATION = "images.windlass.dev/packages"
NO_DEPENDENCIES = "--no-deps"
MAX_LENGTH = 8192
"""Characters of the value."""
_VERSION = r"\s*(?:[<>=!~]=?|===)\s*[A-Za-z0-9.*+!_-]+\s*"
REQUIREMENT = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\s*"
    r"(?:\[[A-Za-z0-9._, -]+\])?"
    rf"(?:{_VERSION}(?:,{_VERSION})*)?"
    r"(?:\s*;[A-Za-z0-9._<>=!~'\" ()]+)?"
)


class PodPackages(Struct):
    """Requirements: those that are installed with what they depend on, and those that are installed alone."""

    whole: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.whole or self.alone)


def is_requirement(text: str) -> bool:
    """Whether a text is a requirement, and neither a path, a URL nor an option."""
    return REQUIREMENT.fullmatch(text) is not None and "\n" not in text


def parse_packages(text: str) -> PodPackages:
    """Read the value of the annotation. Raises ValueError with the line that is wrong."""
    if len(text) > MAX_LENGTH:
        raise ValueError(f"it has more than {MAX_LENGTH} characters")
    whole, alone = list[str](), list[str]()
    target = whole
    for line in filter(None, map(str.strip, text.splitlines())):
        if line == NO_DEPENDENCIES:
            target = alone
        elif is_requirement(line):
            target.append(line)
        else:
            raise ValueError(f"{line!r} is not a requirement such as six>=1.16")
    return PodPackages(whole=tuple(dict.fromkeys(whole)), alone=tuple(dict.fromkeys(alone)))


def format_packages(packages: PodPackages) -> str:
    """Return the value of the annotation."""
    return "\n".join([*packages.whole, *([NO_DEPENDENCIES, *packages.alone] if packages.alone else [])])
