"""The `when` of a task, after its tags were replaced: a comparison of numbers and words, such as `heads == tails`."""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from windlass.formats.patterns import BadPattern, matches

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<symbol>&&|\|\||==|!=|<=|>=|=~|!~|<|>|!|\(|\)|,)
    | (?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    | (?P<word>[^\s&|=!<>()"',~]+)
    )""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
MAX_LENGTH = 64 * 1024
MAX_NESTING = 60


class BadWhen(ValueError):
    """Says what is wrong with the expression."""


def is_met(text: str) -> bool:
    """Whether the expression is true. Raises BadWhen."""
    if len(text) > MAX_LENGTH:
        raise BadWhen(f"longer than {MAX_LENGTH} characters")
    parser = _Parser(text)
    value = parser.either(0)
    if parser.token:
        raise BadWhen(f"unexpected {parser.token!r}")
    return _boolean(value)


class _Parser:
    """Evaluates while it parses. `token` is the next symbol, or the next literal with a mark of its type."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self.token: str = ""
        self._type: str = ""
        self._advance()

    def _advance(self) -> None:
        if not self._text[self._at :].strip():
            self.token, self._type = "", "end"
            return
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            raise BadWhen(f"unexpected {self._text[self._at :].strip()[:20]!r}")
        self._type = str(match.lastgroup)
        self.token, self._at = match[self._type], match.end()

    def _takes(self, symbol: str) -> bool:
        is_next = self._type == "symbol" and self.token == symbol
        if is_next:
            self._advance()
        return is_next

    def either(self, depth: int) -> Any:
        value = self._both(depth)
        while self._takes("||"):
            other = self._both(depth)
            value = _boolean(value) or _boolean(other)
        return value

    def _both(self, depth: int) -> Any:
        value = self._comparison(depth)
        while self._takes("&&"):
            other = self._comparison(depth)
            value = _boolean(value) and _boolean(other)
        return value

    def _comparison(self, depth: int) -> Any:
        value = self._term(depth)
        while self._type == "symbol" and self.token in ("==", "!=", "<", "<=", ">", ">=", "=~", "!~"):
            symbol = self.token
            self._advance()
            value = _compared(symbol, value, self._term(depth))
        if self._type == "word" and self.token == "in":
            self._advance()
            value = value in self._choices(depth)
        return value

    def _choices(self, depth: int) -> list[Any]:
        if not self._takes("("):
            raise BadWhen("expected ( after in")
        values = [self._term(depth + 1)]
        while self._takes(","):
            values.append(self._term(depth + 1))
        if not self._takes(")"):
            raise BadWhen("missing )")
        return values

    def _term(self, depth: int) -> Any:
        if depth > MAX_NESTING:
            raise BadWhen("too deeply nested")
        if self._takes("!"):
            return not _boolean(self._term(depth + 1))
        if self._takes("("):
            value = self.either(depth + 1)
            if not self._takes(")"):
                raise BadWhen("missing )")
            return value
        token, kind = self.token, self._type
        if kind not in ("string", "word"):
            raise BadWhen(f"unexpected {token!r}" if token else "ends too early")
        self._advance()
        if kind == "string":
            return re.sub(r"\\(.)", r"\1", token[1:-1])
        if token in ("true", "false"):
            return token == "true"
        return float(token) if _NUMBER.fullmatch(token) else token


def _compared(symbol: str, left: Any, right: Any) -> bool:
    match symbol:
        case "==" | "!=":
            is_same = type(left) is type(right) and left == right
            return is_same if symbol == "==" else not is_same
        case "=~" | "!~":
            try:
                is_match = matches(str(right), str(left))
            except BadPattern as error:
                raise BadWhen(str(error)) from None
            return is_match if symbol == "=~" else not is_match
        case _:
            if type(left) is not type(right) or isinstance(left, bool):
                raise BadWhen(f"{left!r} and {right!r} have no order")
            return _ORDERS[symbol](left, right)


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadWhen(f"{value!r} is not a boolean")
    return value
