"""Regular expressions of users in Go's syntax, which is RE2's, searched for without catastrophic backtracking.

Python's `re` searches for a pattern and through a text for which it takes few steps, whatever they are. RE2 does the
rest, and decides about syntax that `re` lacks or reads in another way.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from windlass.formats import re2
from windlass.formats.pattern_translation import Translation, translate
from windlass.formats.re2 import BadPattern

__all__ = ["BadPattern", "Matcher", "check", "matcher", "matches", "size"]

Matcher: TypeAlias = Callable[[str], object]

MAX_BACKTRACKING = 500_000  # steps in which `re` is preferred, as it takes no memory for the runtime of RE2
MAX_STEPS = 100_000_000  # size of a pattern times length of a text: about a second
_COMPILATION = 500  # characters whose search takes as long as the compilation of the pattern
_REMEMBERED = 1_000  # characters of a pattern that is kept compiled

_KNOWN_SAFE = frozenset(
    (
        r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
        r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
        r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
    )
)
"""DNS names and quantities, which are common: dots and letters separate the repetitions, so that no text takes long."""


def check(pattern: str) -> None:
    """Raise BadPattern unless Go would accept the pattern; the message is Go's."""
    if _compiled(pattern)[0] is None:
        re2.is_found(pattern, "")


def size(pattern: str) -> int:
    """A measure of the time that a search for the pattern takes: about its characters, repetitions written out."""
    return _compiled(pattern)[1].cost.size


def matcher(pattern: str) -> Matcher:
    """Return a function that says whether the pattern is found in a text. Raises BadPattern."""
    return _remembered_matcher(pattern) if len(pattern) <= _REMEMBERED else _matcher(pattern)


def _matcher(pattern: str) -> Matcher:
    expression, translation = _compiled(pattern)
    if expression is None:
        re2.is_found(pattern, "")
        return lambda text: re2.is_found(pattern, text)
    search, cost, is_anchored = expression.search, translation.cost, translation.is_anchored
    if pattern in _KNOWN_SAFE:
        return search
    longest = _longest(lambda length: cost.steps(length, is_anchored=is_anchored))

    def match(text: str) -> object:
        return search(text) if len(text) <= longest else re2.is_found(pattern, text)

    return match


_remembered_matcher = lru_cache(maxsize=1024)(_matcher)


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern is found in the text, both of any author. Raises BadPattern, also if it would take long."""
    if size(pattern) * (len(text) + _COMPILATION) > MAX_STEPS:
        raise BadPattern(f"it would take too long to find `{pattern[:100]}` in a text of {len(text)} characters")
    return bool(matcher(pattern)(text))


def _compiled(pattern: str) -> tuple[re.Pattern[str] | None, Translation]:
    """The pattern for `re`, None if it lacks the syntax, and its translation."""
    return _remembered(pattern) if len(pattern) <= _REMEMBERED else _compile(pattern)


def _compile(pattern: str) -> tuple[re.Pattern[str] | None, Translation]:
    translation = translate(pattern)
    if not translation.is_for_python:
        return None, translation
    try:
        return re.compile(translation.expression, re.ASCII), translation
    except (re.error, OverflowError, RecursionError):
        return None, translation


_remembered = lru_cache(maxsize=1024)(_compile)


def _longest(steps: Callable[[int], float]) -> int:
    """The longest text, at most 2 ** 20 characters, that is searched in few steps. `steps` grows with the length."""
    low, high = -1, 1 << 20
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if steps(middle) <= MAX_BACKTRACKING else (low, middle - 1)
    return low
