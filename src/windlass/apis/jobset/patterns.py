"""Regular expressions of failure policies: the subset that Go and Python interpret alike and that matches quickly.

The controller, which serves all users, searches the message of a failed Job for the pattern: a pattern that could
occupy it for hours is refused on admission.
"""

import re

LONGEST = 1024  # characters of a message that are looked at
MAX_REPETITIONS = 3  # each multiplies the time by the length of the message

_REPETITION = re.compile(r"[*+]|\{\d+,\d*\}")
_UNKNOWN_TO_GO = re.compile(r"\(\?(?:[=!>(]|<[=!]|P=)|\\[1-9]")
_UNKNOWN_TO_PYTHON = re.compile(r"\\[pPQECz]|\[\[:|\(\?[a-zA-Z-]*[UR]")
_PLAIN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
_INNERMOST_GROUP = re.compile(r"\(([^()]*)\)(\{\d+,\d*\}|[*+])?")


def pattern_problem(pattern: str) -> str:
    """Why the pattern cannot be used; empty if it can."""
    if _UNKNOWN_TO_GO.search(pattern):
        return "invalid or unsupported Perl syntax"
    if _UNKNOWN_TO_PYTHON.search(pattern):
        return "\\p, \\Q, \\E, \\C, \\z, [[:name:]] and the flag U are not supported"
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"error parsing regexp: {error}"
    return "nested or too many repetitions" if _takes_long(pattern) else ""


def is_found(pattern: str, message: str) -> bool:
    return not pattern_problem(pattern) and re.search(pattern, message[:LONGEST], re.ASCII) is not None


def _takes_long(pattern: str) -> bool:
    bare = _PLAIN.sub("x", pattern)
    if len(_REPETITION.findall(bare)) > MAX_REPETITIONS:
        return True
    while (group := _INNERMOST_GROUP.search(bare)) is not None:
        inner, repeated = group.groups()
        open_ended = "|" in inner or _REPETITION.search(inner) is not None
        if repeated and open_ended:
            return True
        left = "x*" if open_ended else "x"
        bare = bare[: group.start()] + left + (repeated or "") + bare[group.end() :]
    return False
