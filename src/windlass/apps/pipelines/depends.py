"""The `depends` of a task: results of other tasks, joined by `&&`, `||`, `!` and brackets.

`A.Succeeded || B.Failed` is parsed into a tree; a bare `A` means what an entry of `dependencies` means.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

RESULTS = ("Succeeded", "Failed", "Errored", "Skipped", "Omitted", "Daemoned", "AnySucceeded", "AllFailed")
_TOKEN = re.compile(r"\s*(?:(&&|\|\||!|\(|\))|([A-Za-z0-9_][A-Za-z0-9_-]*)(?:\.([A-Za-z]+))?)")
MAX_LENGTH = 8192
MAX_NESTING = 50


class BadDepends(ValueError):
    """Says what is wrong with the expression."""


@dataclass(frozen=True, slots=True)
class Result:
    """Whether a task ended in one of these results."""

    task: str
    results: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Not:
    of: "Depends"


@dataclass(frozen=True, slots=True)
class AllOf:
    of: tuple["Depends", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    of: tuple["Depends", ...]


Depends: TypeAlias = Result | Not | AllOf | AnyOf
DEFAULT_RESULTS = ("Succeeded", "Skipped", "Daemoned")
"""What a bare name of a task stands for."""


def parse(text: str) -> Depends:
    """Parse an expression. Raises BadDepends."""
    if len(text) > MAX_LENGTH:
        raise BadDepends(f"longer than {MAX_LENGTH} characters")
    parser = _Parser(text)
    tree = parser.either(0)
    if parser.token:
        raise BadDepends(f"unexpected {parser.token!r}")
    return tree


def of_dependencies(tasks: list[str]) -> Depends:
    """The expression that a list of `dependencies` stands for."""
    return AllOf(tuple(Result(task, DEFAULT_RESULTS) for task in tasks))


def tasks_of(tree: Depends) -> Iterator[str]:
    """Names of the tasks in the expression."""
    match tree:
        case Result(task, _):
            yield task
        case Not(inner):
            yield from tasks_of(inner)
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from tasks_of(part)


def holds(tree: Depends, has: Callable[[str, str], bool]) -> bool:
    """Evaluate the expression; `has(task, result)` answers whether a task has that result."""
    match tree:
        case Result(task, results):
            return any(has(task, result) for result in results)
        case Not(inner):
            return not holds(inner, has)
        case AllOf(parts):
            return all(holds(part, has) for part in parts)
        case AnyOf(parts):
            return any(holds(part, has) for part in parts)


class _Parser:
    """`token` is the next symbol or name; `result` is what follows the name's dot."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self.token: str = ""
        self._result: str = ""
        self._advance()

    def _takes(self, symbol: str) -> bool:
        """Whether the next token is the symbol, which is then passed."""
        is_next = self.token == symbol
        if is_next:
            self._advance()
        return is_next

    def _advance(self) -> None:
        if not self._text[self._at :].strip():
            self.token, self._result, self._at = "", "", len(self._text)
            return
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            raise BadDepends(f"unexpected {self._text[self._at :].strip()[:20]!r}")
        self.token, self._result, self._at = found[1] or found[2], found[3] or "", found.end()

    def either(self, depth: int) -> Depends:
        parts = [self._both(depth)]
        while self._takes("||"):
            parts.append(self._both(depth))
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _both(self, depth: int) -> Depends:
        parts = [self._term(depth)]
        while self._takes("&&"):
            parts.append(self._term(depth))
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _term(self, depth: int) -> Depends:
        if depth > MAX_NESTING:
            raise BadDepends("too deeply nested")
        if self._takes("!"):
            return Not(self._term(depth + 1))
        if self._takes("("):
            inner = self.either(depth + 1)
            if not self._takes(")"):
                raise BadDepends("missing )")
            return inner
        if self.token in ("", ")", "&&", "||"):
            raise BadDepends(f"unexpected {self.token!r}" if self.token else "ends too early")
        task, result = self.token, self._result
        if result and result not in RESULTS:
            raise BadDepends(f"{task}.{result}: the result must be one of {', '.join(RESULTS)}")
        self._advance()
        return Result(task, (result,) if result else DEFAULT_RESULTS)
