r"""Regular expressions in Go's syntax, translated to Python's, with the most steps that Python's search may take.

Python's `re` backtracks: `(.|.){40}!` doubles the time with each character of the text. So the translation counts in
how many ways the expression can be matched with a text. Sequences multiply, alternatives add up, `{2,5}` has four ways,
and `*` and `+` share the characters of the text among them: with three of them and ten characters there are 286 ways.
An expression with a choice inside an unbounded repetition has no bound: `([a-z]+,)*`.
"""

import re
from dataclasses import dataclass, field
from math import comb

from windlass.formats.re2 import BadPattern

MAX_COUNT = 1000  # of a repetition, those of nested repetitions multiplied, as in Go
MAX_NESTING = 1000  # of groups, as in Go
_MAX_WAYS = 10**9
_MAX_UNBOUNDED = 12
_LARGEST = 10**12
_ANY_SIZE, _UNICODE_SIZE = 2, 50  # of classes of many characters: RE2 matches their bytes

_COUNT = re.compile(r"\{(\d+)(,(\d*))?\}")
_GROUP = re.compile(r"\((?:\?(?::|P<[A-Za-z_]\w*>))?", re.ASCII)
_HEX = re.compile("[0-9A-Fa-f]{2}")
_SPACES = r"\t\n\f\r "
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


@dataclass(frozen=True, slots=True)
class Cost:
    """A bound of the work of a search for one part of an expression."""

    ways: int = 1
    """In which the part can be matched, but for the choices of its unbounded repetitions."""

    unbounded: int = 0
    """Repetitions without an upper bound that one match goes through."""

    size: int = 1
    """Steps of a match without those repetitions."""

    count: int = 1
    """Product of the counts of nested repetitions."""

    is_endless: bool = False
    """Whether the number of ways has no useful bound."""

    def then(self, other: "Cost") -> "Cost":
        return Cost(
            min(self.ways * other.ways, _MAX_WAYS),
            self.unbounded + other.unbounded,
            self.size + other.size,
            max(self.count, other.count),
            self.is_endless or other.is_endless,
        )

    def or_else(self, other: "Cost") -> "Cost":
        return Cost(
            self.ways + other.ways,
            max(self.unbounded, other.unbounded),
            self.size + other.size,
            max(self.count, other.count),
            self.is_endless or other.is_endless,
        )

    def repeated(self, minimum: int, maximum: int | None) -> "Cost":
        has_choices = self.ways > 1 or self.unbounded > 0
        times = max(minimum, maximum or 0, 1)
        size, count = min(self.size * times, _LARGEST), min(self.count * times, _LARGEST)
        if maximum is None:
            return Cost(self.ways, self.unbounded + 1, size, count, self.is_endless or has_choices)
        if not has_choices:
            return Cost(max(maximum - minimum + 1, 1), 0, size, count, self.is_endless)
        ways = (
            maximum - minimum + 1
            if self.ways == 1
            else self.ways + 1
            if maximum == 1
            else self.ways ** min(maximum, 64) * 2
        )
        return Cost(min(ways, _MAX_WAYS), self.unbounded * maximum, size, count, self.is_endless)

    def steps(self, length: int, *, is_anchored: bool) -> float:
        """A bound of the steps of a backtracking search through a text."""
        if self.is_endless or self.ways >= _MAX_WAYS or self.unbounded > _MAX_UNBOUNDED:
            return float("inf")
        begins = 1 if is_anchored else length + 1
        return begins * self.ways * comb(length + self.unbounded, self.unbounded) * self.size


_NOTHING = Cost(size=0)


@dataclass(frozen=True, slots=True)
class Translation:
    expression: str
    """For Python's `re` with the flag ASCII."""

    is_for_python: bool
    """Whether `re` has all of the syntax. If so, and it compiles, it is valid in Go too."""

    cost: Cost
    is_anchored: bool
    """Whether every match is at the beginning of the text."""


@dataclass(slots=True)
class _Group:
    """The group that is being read: alternatives before the last `|`, the sequence since then and its last part."""

    before: Cost | None = None
    sequence: Cost = _NOTHING
    last: Cost | None = None

    def add(self, part: Cost | None) -> None:
        if self.last is not None:
            self.sequence = self.sequence.then(self.last)
        self.last = part

    def next_alternative(self) -> None:
        self.add(None)
        self.before = self.sequence if self.before is None else self.before.or_else(self.sequence)
        self.sequence = _NOTHING

    def cost(self) -> Cost:
        self.add(None)
        return self.sequence if self.before is None else self.before.or_else(self.sequence)


def translate(pattern: str) -> Translation:
    """Raises BadPattern if groups nest too deeply. Other mistakes are left to `re` and RE2."""
    return _Reader(pattern).read()


@dataclass(slots=True)
class _Reader:
    pattern: str
    at: int = 0
    out: list[str] = field(default_factory=list[str])
    groups: list[_Group] = field(default_factory=lambda: [_Group()])
    is_for_python: bool = True
    may_repeat: bool = False
    """Whether a repetition may follow."""

    minimum_size: int = 0

    def read(self) -> Translation:
        while self.at < len(self.pattern):
            self._read_part(self.pattern[self.at])
        while len(self.groups) > 1:  # RE2 refuses the pattern
            self.is_for_python = False
            self._close()
        is_anchored = self.pattern.startswith("^") and self.groups[0].before is None
        cost = self.groups[0].cost()
        if cost.count > MAX_COUNT:
            self.is_for_python = False
        cost = Cost(cost.ways, cost.unbounded, max(cost.size, self.minimum_size, 1), cost.count, cost.is_endless)
        return Translation("".join(self.out), self.is_for_python, cost, is_anchored)

    def _read_part(self, char: str) -> None:
        if char == "\\":
            self._add(*self._escape(is_in_class=False))
        elif char == "[":
            self._add(*self._char_class())
        elif char == "(":
            self._open()
        elif char == ")":
            self.at += 1
            self.out.append(")")
            if len(self.groups) == 1:
                self.is_for_python = False
            else:
                self._close()
        elif char == "|":
            self.at += 1
            self.out.append("|")
            self.groups[-1].next_alternative()
            self.may_repeat = False
        elif char in "*+?" or (char == "{" and _COUNT.match(self.pattern, self.at)):
            self._repeat(char)
        else:
            self.at += 1
            written = {"$": "\\Z", "{": "\\{", "}": "\\}"}.get(char, char)
            self._add(written, _ANY_SIZE if char == "." else 1)

    def _add(self, written: str, size: int) -> None:
        self.out.append(written)
        self.groups[-1].add(Cost(size=size))
        self.may_repeat = True

    def _open(self) -> None:
        found = _GROUP.match(self.pattern, self.at)
        opening = found[0] if found is not None else "("
        if len(opening) == 1 and self.pattern.startswith("(?", self.at):
            self.is_for_python = False
        self.at += len(opening)
        self.out.append(opening)
        self.groups.append(_Group())
        self.may_repeat = False
        if len(self.groups) > MAX_NESTING + 1:
            raise BadPattern(f"error parsing regexp: expression nests too deeply: `{self.pattern}`")

    def _close(self) -> None:
        cost = self.groups.pop().cost()
        self.groups[-1].add(cost.then(Cost()))
        self.may_repeat = True

    def _repeat(self, char: str) -> None:
        found = _COUNT.match(self.pattern, self.at)
        written = found[0] if char == "{" and found is not None else char
        minimum, maximum = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(char, (0, 0))
        if char == "{" and found is not None:
            minimum = _number(found[1])
            maximum = minimum if found[2] is None else _number(found[3]) if found[3] else None
        if not self.may_repeat or max(minimum, maximum or 0) > MAX_COUNT or (maximum is not None and maximum < minimum):
            self.is_for_python = False
        self.at += len(written)
        if self.pattern.startswith("?", self.at):
            written += "?"
            self.at += 1
        self.out.append(written)
        group = self.groups[-1]
        group.last = (group.last or Cost()).repeated(minimum, maximum)
        self.may_repeat = False

    def _escape(self, *, is_in_class: bool) -> tuple[str, int]:
        r"""The escaped character or class at `at`, a backslash, and its size."""
        following = self.pattern[self.at + 1 : self.at + 2]
        begin = self.at
        self.at += 2
        if following == "z" and not is_in_class:
            return "\\Z", 1
        if following == "s":
            return (_SPACES if is_in_class else f"[{_SPACES}]"), 1
        if following == "S" and not is_in_class:
            return f"[^{_SPACES}]", _ANY_SIZE
        if following == "x" and _HEX.match(self.pattern, self.at):
            self.at += 2
            return self.pattern[begin : self.at], 1
        if following == "Q":  # what follows may be text: count it at its worst
            self.minimum_size = MAX_COUNT * len(self.pattern)
        known = "dDwWafnrtv" if is_in_class else "dDwWafnrtvbBA"
        if not following or (following.isalnum() and following not in known) or not following.isascii():
            self.is_for_python = False
        large = {"p": _UNICODE_SIZE, "P": _UNICODE_SIZE, "D": _ANY_SIZE, "W": _ANY_SIZE}
        return "\\" + following, large.get(following, 1)

    def _char_class(self) -> tuple[str, int]:
        """A `[...]` with expanded POSIX names."""
        pattern, out, size = self.pattern, ["["], 1
        self.at += 1
        if pattern.startswith("^", self.at):
            out.append("^")
            self.at += 1
            size += _ANY_SIZE
        if pattern.startswith("]", self.at):
            out.append("\\]")
            self.at += 1
        while self.at < len(pattern) and pattern[self.at] != "]":
            if pattern.startswith(("[:", "\\s"), self.at):
                self._beside_dash(out[-1])
                out.append(self._posix_name() if pattern[self.at] == "[" else self._escape(is_in_class=True)[0])
                self._beside_dash(pattern[self.at : self.at + 1])
            elif pattern[self.at] == "\\":
                piece, more = self._escape(is_in_class=True)
                out.append(piece)
                size += more
            else:
                char = pattern[self.at]
                size += 0 if char.isascii() else 2
                out.append("\\" + char if char in "[&~|" else char)
                self.at += 1
        if self.at >= len(pattern):
            self.is_for_python = False
        self.at += 1
        return "".join([*out, "]"]), size

    def _beside_dash(self, neighbour: str) -> None:
        """A dash beside the characters of a class, which are written out, would be a range to `re`."""
        if neighbour == "-":
            self.is_for_python = False

    def _posix_name(self) -> str:
        close = self.pattern.find(":]", self.at)
        name = self.pattern[self.at + 2 : close] if close > 0 else ""
        if name not in _POSIX:
            self.is_for_python = False
            self.at += 2
            return ""
        self.at = close + 2
        return _POSIX[name]


def _number(digits: str) -> int:
    return int(digits) if len(digits) < 6 else MAX_COUNT + 1
