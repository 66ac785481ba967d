"""Lists the keys of a bucket page by page, in the order of S3, from the folders that they are in. Pure.

The order is that of the UTF-8 bytes of whole keys. A folder `a` is sorted as `a/`, since its keys start so: `a.txt` is
before `a/b`, as `.` is before `/`. A folder is read only when the page reaches it.
"""

import base64
import binascii
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from windlass.apps.pipelines.web.s3.protocol.errors import S3Error

MAX_KEYS = 1000


class Child(NamedTuple):
    """An entry of a folder."""

    name: str
    is_folder: bool
    is_object: bool = True
    """False for a folder that was made for the objects in it alone."""


Children: TypeAlias = Callable[[str], list[Child]]
"""Reads a folder of the bucket by its path, which is empty or ends in `/`."""


@dataclass(frozen=True)
class Position:
    """Where a page starts: after this key, or after all keys with this prefix."""

    after: str = ""
    is_prefix: bool = False

    def excludes(self, key: str) -> bool:
        return bool(self.after) and (key <= self.after or (self.is_prefix and key.startswith(self.after)))

    def excludes_folder(self, path: str) -> bool:
        """Whether the page starts after all keys below a folder."""
        if self.is_prefix and path.startswith(self.after):
            return bool(self.after)
        # They differ before one of them ends, so every key below the folder differs in the same way.
        return path < self.after and not self.after.startswith(path)


@dataclass(frozen=True, kw_only=True)
class Question:
    prefix: str = ""
    delimiter: str = ""
    position: Position = Position()
    max_keys: int = MAX_KEYS


class Entry(NamedTuple):
    """A key, or the common prefix of several keys."""

    name: str
    is_prefix: bool


@dataclass(frozen=True)
class Page:
    entries: list[Entry]
    is_truncated: bool

    @property
    def prefixes(self) -> list[str]:
        return [entry.name for entry in self.entries if entry.is_prefix]

    @property
    def next(self) -> Position:
        """Where the next page starts."""
        last = self.entries[-1]
        return Position(last.name, last.is_prefix)


def page_of(question: Question, children: Children) -> Page:
    entries: list[Entry] = []
    if question.max_keys == 0:
        return Page(entries, is_truncated=False)
    for entry in _entries(question, children):
        if entries and entries[-1] == entry:
            continue
        if len(entries) == question.max_keys:
            return Page(entries, is_truncated=True)
        entries.append(entry)
    return Page(entries, is_truncated=False)


def _entries(question: Question, children: Children) -> Iterator[Entry]:
    """Yield the entries in order; a common prefix may come several times in a row."""
    start = question.prefix.rpartition("/")[0]
    if start and not all(step not in ("", ".", "..") for step in start.split("/")):
        return
    base = f"{start}/" if start else ""
    if base and base == question.prefix:
        # The folder itself may be an object, which only its parent's listing says.
        parent, _, name = start.rpartition("/")
        listed = children(f"{parent}/" if parent else "")
        if any(child == Child(name, True, True) for child in listed) and not question.position.excludes(base):
            yield Entry(base, False)
    yield from _below(base, question, children)


def _below(base: str, question: Question, children: Children) -> Iterator[Entry]:
    stack = [iter(_sorted(children(base), base))]
    while stack:
        following = next(stack[-1], None)
        if following is None:
            stack.pop()
            continue
        path, child = following
        if not path.startswith(question.prefix):
            continue
        if not child.is_folder:
            if not question.position.excludes(path):
                yield _entry(path, question)
            continue
        if question.position.excludes_folder(path):
            continue
        entry = _entry(path, question)
        if entry.is_prefix:
            # All keys below have this common prefix: one of them that the page may contain is enough.
            if _has_key(path, child, question.position, children):
                yield entry
            continue
        if child.is_object and not question.position.excludes(path):
            yield entry
        stack.append(iter(_sorted(children(path), path)))


def _has_key(path: str, child: Child, position: Position, children: Children) -> bool:
    if child.is_object and not position.excludes(path):
        return True
    inside = Question(prefix=path, position=position)
    return next(_below(path, inside, children), None) is not None


def _sorted(children: list[Child], base: str) -> list[tuple[str, Child]]:
    paths = [(f"{base}{child.name}/" if child.is_folder else f"{base}{child.name}", child) for child in children]
    return sorted(paths)


def _entry(path: str, question: Question) -> Entry:
    if question.delimiter:
        end = path.find(question.delimiter, len(question.prefix))
        if end >= 0:
            return Entry(path[: end + len(question.delimiter)], True)
    return Entry(path, False)


def token_of(position: Position) -> str:
    """Return a continuation token."""
    return base64.urlsafe_b64encode(json.dumps([position.after, position.is_prefix]).encode()).decode()


def position_of_token(token: str) -> Position:
    """Raises S3Error for a token that is not one of ours."""
    try:
        parts: Any = json.loads(base64.b64decode(token, altchars=b"-_", validate=True))
        after, is_prefix = parts
    except (binascii.Error, ValueError, TypeError, RecursionError):
        after, is_prefix = None, None
    if not isinstance(after, str) or not isinstance(is_prefix, bool):
        raise S3Error("InvalidArgument", "The continuation token is not valid.")
    return Position(after, is_prefix)


def position_of_marker(marker: str, prefix: str, delimiter: str) -> Position:
    """Return where a page of version 1 starts, whose marker may be the common prefix that ended the page before."""
    is_prefix = bool(delimiter) and marker.startswith(prefix) and marker.endswith(delimiter) and marker != prefix
    return Position(marker, is_prefix)
