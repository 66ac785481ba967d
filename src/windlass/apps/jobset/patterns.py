"""Regular expressions of failure policies, which are Go's.

The controller, which serves all users, searches messages of failed Jobs for them: patterns that could occupy it for
more than a moment are refused on admission.
"""

from collections.abc import Sequence

from windlass.formats.patterns import BadPattern, check, matches, size

LONGEST = 4096  # characters of a message that are looked at
MAX_SIZE = 2_000
"""Size of all patterns of a JobSet together: the time of their search grows with it."""
LEAST_SIZE = 20  # at which a short pattern counts


def pattern_problem(pattern: str) -> str:
    """Why the pattern cannot be used; empty if it can."""
    try:
        check(pattern)
    except BadPattern as error:
        return str(error)
    return ""


def size_problem(patterns: Sequence[str]) -> str:
    """Why the search for all patterns of a JobSet could take too long; empty if it cannot."""
    total = 0
    for pattern in patterns:
        try:
            total += max(size(pattern), LEAST_SIZE)
        except BadPattern as error:
            return str(error)
        if total > MAX_SIZE:
            most = f"{MAX_SIZE // LEAST_SIZE} patterns or {MAX_SIZE} characters"
            return f"must not have more than {most} in all rules together, with repetitions like {{9}} written out"
    return ""


def is_found(pattern: str, message: str) -> bool:
    try:
        return matches(pattern, message[:LONGEST])
    except BadPattern:
        return False
