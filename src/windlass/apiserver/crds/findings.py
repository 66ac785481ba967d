"""Locations of validation errors: cheap to record while walking an object, and formatted only when reported.

A walker carries a `Link`: the path from the root as nested pairs `(link of the parent, key or index)`. Creating one
costs a tuple; its text (`spec.containers[0].name`) is formatted only for a finding. Links also let an update look up
the old value at the same path.
"""

from typing import Any, TypeAlias

from windlass.kube.errors import Cause
from windlass.kube.json import Json, is_list, is_object

Link: TypeAlias = tuple[Any, str | int] | None
Finding: TypeAlias = tuple[Link, Cause]

MAX_FINDINGS = 1_000
MAX_PATH = 1_000
"""Characters of a path's text: keys may be as long as a body, and each finding has its path."""


class TooManyFindings(Exception):
    """An object has MAX_FINDINGS errors; the others are not looked for."""


class BoundedFindings(list[Finding]):
    """Findings of a whole object, whose number is limited. Appending raises TooManyFindings."""

    def append(self, finding: Finding, /) -> None:
        super().append(finding)
        if len(self) >= MAX_FINDINGS:
            raise TooManyFindings


def text_of(link: Link) -> str:
    """Format a path as `spec.containers[0].name`; the root is the empty string."""
    steps = steps_of(link)
    parts: list[str] = []
    for step in steps:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif parts:
            parts.append(f".{step}")
        else:
            parts.append(step)
    return "".join(parts)[:MAX_PATH]


def steps_of(link: Link) -> list[str | int]:
    steps: list[str | int] = []
    while link is not None:
        link, step = link
        steps.append(step)
    steps.reverse()
    return steps


def found_at(value: Json, link: Link) -> tuple[bool, Json]:
    """Whether `value` has something at `link`, and its value."""
    for step in steps_of(link):
        if isinstance(step, int):
            if not is_list(value) or step >= len(value):
                return False, None
            value = value[step]
        else:
            if not is_object(value) or step not in value:
                return False, None
            value = value[step]
    return True, value
