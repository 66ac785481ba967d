r"""Regular expressions in Go's RE2 syntax, as Kubernetes uses them, without the risk of catastrophic backtracking.

Python's `re` backtracks: a pattern like `(a+)+$` in a CustomResourceDefinition could block the server. So only patterns
that cannot backtrack exponentially run on `re`, after translation of the few syntax differences; others, and syntax
that `re` lacks (`\p{L}`), run on the RE2 of the CEL runtime.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

Matcher: TypeAlias = Callable[[str], object]

_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_KNOWN_SAFE = frozenset({r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"})
"""DNS names, which are common: their dots separate the repetitions, so that no text takes long."""
_LARGE_COUNT = re.compile(r"\{\d*,?\d{3,}\}")
_MAX_NESTING = 1000  # of groups, as in Go
_UNBOUNDED = re.compile(r"[*+]|\{\d+,\}|\{\d*,?\d{2,}\}")


class BadPattern(ValueError):
    """The pattern is not a regular expression; the message is Kubernetes'."""


@lru_cache(maxsize=4096)
def matcher(pattern: str) -> Matcher:
    """A function that returns whether `pattern` matches somewhere in a string."""
    try:
        translated, risky = _translate(pattern)
        search = re.compile(translated, re.ASCII).search
    except (re.error, OverflowError, RecursionError, _NotForPython):
        return _re2(pattern)
    if pattern in _KNOWN_SAFE:
        return search
    if risky:
        return _re2(pattern)
    # n sequential repetitions may take length ** n steps: short texts are safe all the same
    longest = 64 if len(_UNBOUNDED.findall(translated)) > 2 else 1024

    def match(text: str) -> object:
        return search(text) if len(text) <= longest else _re2(pattern)(text)

    return match


def check(pattern: str) -> None:
    """Raise BadPattern unless Kubernetes would accept the pattern."""
    try:
        translated, risky = _translate(pattern)
        re.compile(translated, re.ASCII)
        if risky and _LARGE_COUNT.search(pattern):
            _re2(pattern)  # counts of nested groups multiply
    except (re.error, OverflowError, RecursionError, _NotForPython) as error:
        try:
            _re2(pattern)
        except BadPattern:
            raise BadPattern(f"error parsing regexp: {error}: `{pattern}`") from error


class _NotForPython(Exception):
    """RE2 syntax that `re` lacks or interprets differently."""


def _translate(pattern: str) -> tuple[str, bool]:
    """Translate the expression to `re`, and return whether it could backtrack exponentially."""
    out: list[str] = []
    open_groups: list[int] = []
    risky = False
    at, end = 0, len(pattern)
    while at < end:
        char = pattern[at]
        if char == "\\":
            piece, at = _escape(pattern, at)
        elif char == "[":
            piece, at = _char_class(pattern, at)
        else:
            piece, at = ("\\Z" if char == "$" else char), at + 1
            if char == "(":
                open_groups.append(len(out))
                if len(open_groups) > _MAX_NESTING:
                    raise BadPattern(f"error parsing regexp: expression nests too deeply: `{pattern}`")
            elif char == ")" and open_groups:
                begin = open_groups.pop()
                if not risky and at < end and _UNBOUNDED.match(pattern[at : at + 8]):
                    inner = "".join(part for part in out[begin:] if len(part) == 1 or part[0] not in "\\[")
                    risky = bool(_UNBOUNDED.search(inner) or "|" in inner)
        out.append(piece)
    if pattern.startswith("(?") and not pattern.startswith(("(?:", "(?P")):
        raise _NotForPython("flags")
    if "(?=" in pattern or "(?!" in pattern or "(?<" in pattern:
        raise _NotForPython("invalid or unsupported Perl syntax")
    return "".join(out), risky


def _escape(pattern: str, at: int) -> tuple[str, int]:
    following = pattern[at + 1 : at + 2]
    if following in ("p", "P", "Q", "C", "G", "X", "R", "K", "k") or (following.isdigit() and following != "0"):
        raise _NotForPython("escape")
    return ("\\Z" if following == "z" else "\\" + following), at + 2


def _char_class(pattern: str, at: int) -> tuple[str, int]:
    """A `[...]` with expanded POSIX names; `at` is the index of the bracket."""
    end, out = len(pattern), ["["]
    at += 1
    if at < end and pattern[at] == "^":
        out.append("^")
        at += 1
    if at < end and pattern[at] == "]":
        out.append("\\]")
        at += 1
    while at < end and pattern[at] != "]":
        if pattern.startswith("[:", at):
            close = pattern.find(":]", at)
            name = pattern[at + 2 : close] if close > 0 else ""
            if name not in _POSIX:
                raise _NotForPython("character class")
            out.append(_POSIX[name])
            at = close + 2
        elif pattern[at] == "\\":
            piece, at = _escape(pattern, at)
            out.append(piece)
        else:
            out.append("\\" + pattern[at] if pattern[at] in "[&~|" else pattern[at])
            at += 1
    if at >= end:
        raise _NotForPython("missing closing ]")
    return "".join([*out, "]"]), at + 1


@lru_cache(maxsize=1024)
def _re2(pattern: str) -> Matcher:
    from windlass.apiserver.cel.runtime import regex_search

    try:
        return regex_search(pattern)
    except ValueError as error:
        raise BadPattern(str(error)) from error
