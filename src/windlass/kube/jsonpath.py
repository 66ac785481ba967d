"""JSONPath as kubectl has it: `.spec.a`, `[0]`, `[*]`, `['key']`, `\\.` in keys, `[?(@.type=="Ready")]`, `..`.

`compile_path` turns an expression into a function from a value to all matching values, in order; missing fields yield
no value and no error. It raises ValueError for an invalid expression.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias

from windlass.kube.json import is_list, is_object, parse

Find: TypeAlias = Callable[[Any], list[Any]]
_Step: TypeAlias = Callable[[Iterable[Any]], Iterator[Any]]

MAX_LENGTH = 1024
MAX_VALUES = 100_000
"""That a step of a path keeps; more have no place in a column or an output. Each `..` may multiply their number."""

_KEY = re.compile(r"(?:\\.|[^.\[\\])+")
_BRACKET = re.compile(
    r"\[\s*(?:(?P<index>-?\d+)|(?P<slice>-?\d*:-?\d*(?::-?\d*)?)|(?P<star>\*)|(?P<keys>'[^\]]*'|\"[^\]]*\"))\s*\]"
)
_FILTER = re.compile(
    r"\[\?\(\s*(?P<left>@[^=!<>&|]*?)\s*"
    r"(?:(?P<op>==|!=|<=|>=|<|>)\s*(?P<right>'(?:\\.|[^'])*'|\"(?:\\.|[^\"])*\"|@[^\s)]+|[^\s)]+)\s*)?\)\]"
)
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def compile_path(expression: str) -> Find:
    """Compile `expression`, which may be written with or without `{}`, `$` and the leading dot."""
    if len(expression) > MAX_LENGTH:
        raise ValueError(f"a JSONPath may have at most {MAX_LENGTH} characters")
    steps = list(_steps(expression.strip().removeprefix("{").removesuffix("}").strip(), expression))

    def find(value: Any) -> list[Any]:
        values: Iterable[Any] = (value,)
        for step in steps:
            values = islice(step(values), MAX_VALUES)
        return list(values)

    return find


def _steps(rest: str, expression: str) -> Iterator[_Step]:
    rest = rest.removeprefix("$").removeprefix("@")
    while rest:
        if rest.startswith(".."):
            yield _descend
            rest = rest[1:] if not rest.startswith("..[") else rest[2:]
        elif rest.startswith("."):
            if rest[1:2] in ("", "["):
                rest = rest[1:]
                continue
            match = _KEY.match(rest, 1)
            if match is None:
                raise ValueError(f"unrecognized JSONPath {expression!r}")
            key = re.sub(r"\\(.)", r"\1", match[0])
            yield _all if key == "*" else _child(key)
            rest = rest[match.end() :]
        elif match := _BRACKET.match(rest):
            yield _bracket(match)
            rest = rest[match.end() :]
        elif match := _FILTER.match(rest):
            yield _filter(match)
            rest = rest[match.end() :]
        elif match := _KEY.match(rest):  # a first key without its dot
            yield _child(re.sub(r"\\(.)", r"\1", match[0]))
            rest = rest[match.end() :]
        else:
            raise ValueError(f"unrecognized JSONPath {expression!r}")


def _child(key: str) -> _Step:
    def step(values: Iterable[Any]) -> Iterator[Any]:
        for value in values:
            if is_object(value) and key in value:
                yield value[key]

    return step


def _all(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if is_list(value):
            yield from value
        elif is_object(value):
            yield from value.values()


def _descend(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        yield value
        yield from _descend(_all((value,)))


def _bracket(match: re.Match[str]) -> _Step:
    if match["star"]:
        return _all
    if match["index"]:
        return _index(int(match["index"]))
    if match["slice"]:
        return _slice(slice(*(int(part) if part else None for part in match["slice"].split(":"))))
    keys = [key.strip().strip("'\"") for key in match["keys"].split(",")]

    def step(values: Iterable[Any]) -> Iterator[Any]:
        for value in values:
            if is_object(value):
                yield from (value[key] for key in keys if key in value)

    return step


def _index(index: int) -> _Step:
    def step(values: Iterable[Any]) -> Iterator[Any]:
        for value in values:
            if is_list(value) and -len(value) <= index < len(value):
                yield value[index]

    return step


def _slice(part: slice) -> _Step:
    def step(values: Iterable[Any]) -> Iterator[Any]:
        for value in values:
            if is_list(value):
                yield from value[part]

    return step


def _filter(match: re.Match[str]) -> _Step:
    left = compile_path(match["left"])
    compare = _COMPARE.get(match["op"] or "")
    right = _operand(match["right"] or "")

    def holds(item: Any) -> bool:
        found = left(item)
        if compare is None or not found:
            return bool(found)
        try:
            return any(compare(found[0], other) for other in right(item)[:1])
        except TypeError:  # values that have no order
            return False

    def step(values: Iterable[Any]) -> Iterator[Any]:
        return (item for item in _all(values) if holds(item))

    return step


def _operand(text: str) -> Find:
    if text.startswith("@"):
        return compile_path(text)
    if text[:1] in ("'", '"'):
        literal: Any = re.sub(r"\\(.)", r"\1", text[1:-1])
    else:
        try:
            literal = parse(text) if text else None
        except ValueError:
            literal = text
    return lambda item: [literal]
