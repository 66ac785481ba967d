"""Which files of a folder stay at home: patterns as in a .gitignore, the last that matches decides."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

DEFAULT_PATTERNS = (
    ".git/",
    ".hg/",
    ".svn/",
    "__pycache__/",
    "*.pyc",
    ".venv/",
    "venv/",
    "node_modules/",
    ".ipynb_checkpoints/",
    ".mypy_cache/",
    ".pytest_cache/",
    ".ruff_cache/",
    ".DS_Store",
)


@dataclass(frozen=True)
class Pattern:
    matches: re.Pattern[str]
    folders_only: bool
    wanted: bool
    """It brings back what an earlier pattern left out (`!data/`)."""


class Ignored:
    """Built from the lines of ignore files, in order. As with git, nothing comes back from inside a folder left out."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns = [pattern for line in (*DEFAULT_PATTERNS, *lines) if (pattern := parse(line)) is not None]

    def __call__(self, path: str, *, folder: bool) -> bool:
        """Whether the file or folder at `path` (relative, with slashes) stays at home."""
        for pattern in reversed(self._patterns):
            if (folder or not pattern.folders_only) and pattern.matches.fullmatch(path):
                return not pattern.wanted
        return False


def parse(line: str) -> Pattern | None:
    """None for what is no pattern: blank lines and comments."""
    text = line.rstrip()
    if not text or text.startswith("#"):
        return None
    wanted = text.startswith("!")
    text = text.removeprefix("!").removeprefix("\\")
    folders_only = text.endswith("/")
    text = text.rstrip("/")
    anchored = "/" in text  # such a pattern counts from the folder itself, any other at any depth
    expression = _expression(text.removeprefix("/"))
    return Pattern(re.compile(expression if anchored else rf"(?:.*/)?{expression}"), folders_only, wanted)


def _expression(glob: str) -> str:
    """`*` and `?` stay within a name, `**` does not."""
    words = re.split(r"(\*\*/|/\*\*|\*|\?|\[!?[^\]]+\])", glob)
    return "".join(_word(word) for word in words)


def _word(word: str) -> str:
    known = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}
    if word in known:
        return known[word]
    if word.startswith("[") and word.endswith("]"):
        return "[^" + word[2:] if word.startswith("[!") else word
    return re.escape(word)
