"""Functions that expressions may call: those of Argo and the common ones of expr."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
# Arguments of expressions are of any type; what a function cannot work with raises.

import base64
import math
from collections.abc import Callable, Mapping
from typing import Any

from windlass.apps.pipelines.argo.language.expression_lexer import ExpressionError
from windlass.apps.pipelines.argo.language.values import text_of
from windlass.formats.patterns import BadPattern, matches
from windlass.kube.json import encode, is_list, is_object, parse
from windlass.kube.jsonpath import compile_path

MAX_RANGE = 10_000
MAX_TEXT = 100_000
MAX_BITS = 4096
"""Of a number."""


def text(value: Any) -> str:
    return "<nil>" if value is None else text_of(value)


def as_int(value: Any) -> int:
    try:
        whole = int(value) if not isinstance(value, str) else int(float(value))
    except (TypeError, ValueError, OverflowError):
        raise ExpressionError(f"{text(value)!r} is not a number") from None
    if whole.bit_length() > MAX_BITS:
        raise ExpressionError(f"a number may have at most {MAX_BITS} bits")
    return whole


def as_float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ExpressionError(f"{text(value)!r} is not a number") from None


def jsonpath(source: Any, path: Any) -> Any:
    """The value at a path in a JSON text."""
    try:
        values = compile_path(str(path))(parse(source) if isinstance(source, str) else source)
    except ValueError as error:
        raise ExpressionError(str(error)) from None
    if not values:
        raise ExpressionError(f"{path} is not in the value")
    return values[0] if len(values) == 1 else values


def from_json(source: Any) -> Any:
    try:
        return parse(str(source))
    except ValueError as error:
        raise ExpressionError(f"{text(source)[:40]!r} is not JSON: {error}") from None


def count(value: Any) -> int:
    if is_list(value) or is_object(value) or isinstance(value, str):
        return len(value)
    raise ExpressionError(f"{text(value)!r} has no length")


def numbers(start: Any, end: Any) -> list[int]:
    first, last = as_int(start), as_int(end)
    if last - first > MAX_RANGE:
        raise ExpressionError(f"a range may have at most {MAX_RANGE} numbers")
    return list(range(first, last))


def is_match(pattern: Any, value: str) -> bool:
    try:
        return matches(text(pattern), value)
    except BadPattern as error:
        raise ExpressionError(str(error)) from None


def repeated(times: Any, value: Any) -> str:
    if as_int(times) * len(text(value)) > MAX_TEXT:
        raise ExpressionError(f"a repeated text may have at most {MAX_TEXT} characters")
    return text(value) * as_int(times)


def replaced(value: Any, old: str, new: str) -> str:
    whole = text(value)
    if whole.count(old) * (len(new) - len(old)) > MAX_TEXT:
        raise ExpressionError(f"a replacement may add at most {MAX_TEXT} characters")
    return whole.replace(old, new)


def joined(values: Any, separator: str) -> str:
    if len(values) * len(separator) > MAX_TEXT:
        raise ExpressionError(f"separators may have at most {MAX_TEXT} characters")
    return separator.join(map(text, values))


def flattened(values: list[Any]) -> list[Any]:
    """The elements, with those of lists in the place of these."""
    return [one for value in values for one in (flattened(value) if is_list(value) else [value])]


def unique(values: list[Any]) -> list[Any]:
    return list({encode(value): value for value in values}.values())


def get(container: Any, key: Any) -> Any:
    """The element of a list, or the value of an object; None where there is none."""
    if is_list(container):
        return container[as_int(key)] if -len(container) <= as_int(key) < len(container) else None
    return container.get(text(key))


def mean(values: tuple[Any, ...]) -> float:
    numbers = flattened(list(values))
    return sum(map(as_float, numbers)) / len(numbers) if numbers else 0.0


def encoded(value: Any) -> str:
    return base64.b64encode(text(value).encode()).decode()


def decoded(value: Any) -> str:
    try:
        return base64.b64decode(text(value), validate=True).decode()
    except ValueError:
        raise ExpressionError(f"{text(value)[:40]!r} is not base64 of a text") from None


def rounded(value: Any) -> int:
    return math.floor(as_float(value) + 0.5)


def grouped(items: list[Any], body: Callable[[Any], Any]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for item in items:
        groups.setdefault(text(body(item)), []).append(item)
    return groups


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "asInt": as_int,
    "asFloat": as_float,
    "int": as_int,
    "float": as_float,
    "string": text,
    "toJson": lambda value: encode(value).decode(),
    "toJSON": lambda value: encode(value).decode(),
    "fromJSON": from_json,
    "jsonpath": jsonpath,
    "len": count,
    "abs": lambda value: abs(as_float(value)) if isinstance(value, float) else abs(as_int(value)),
    "ceil": lambda value: math.ceil(as_float(value)),
    "floor": lambda value: math.floor(as_float(value)),
    "round": rounded,
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "sum": lambda values: sum(values),
    "trim": lambda value: text(value).strip(),
    "upper": lambda value: text(value).upper(),
    "lower": lambda value: text(value).lower(),
    "split": lambda value, separator: text(value).split(separator),
    "join": lambda values, separator="": joined(values, separator),
    "replace": lambda value, old, new: replaced(value, old, new),
    "hasPrefix": lambda value, prefix: text(value).startswith(prefix),
    "hasSuffix": lambda value, suffix: text(value).endswith(suffix),
    "first": lambda values: values[0] if values else None,
    "last": lambda values: values[-1] if values else None,
    "keys": lambda value: list(value),
    "values": lambda value: list(value.values()),
    "trimPrefix": lambda value, prefix=" ": text(value).removeprefix(prefix),
    "trimSuffix": lambda value, suffix=" ": text(value).removesuffix(suffix),
    "repeat": lambda value, times: repeated(times, value),
    "indexOf": lambda value, part: text(value).find(part),
    "lastIndexOf": lambda value, part: text(value).rfind(part),
    "concat": lambda *lists: [value for values in lists for value in values],
    "flatten": flattened,
    "uniq": unique,
    "reverse": lambda values: values[::-1],
    "sort": lambda values, order="asc": sorted(values, reverse=order == "desc"),
    "take": lambda values, length: values[: as_int(length)],
    "get": lambda container, key: get(container, key),
    "toPairs": lambda table: [[key, value] for key, value in table.items()],
    "fromPairs": lambda pairs: {text(key): value for key, value in pairs},
    "toBase64": encoded,
    "fromBase64": decoded,
    "mean": lambda *values: mean(values),
}
"""Functions of values."""

CLOSURES: Mapping[str, Callable[[list[Any], Callable[[Any], Any]], Any]] = {
    "map": lambda items, body: [body(item) for item in items],
    "filter": lambda items, body: [item for item in items if body(item) is True],
    "all": lambda items, body: all(body(item) is True for item in items),
    "any": lambda items, body: any(body(item) is True for item in items),
    "none": lambda items, body: not any(body(item) is True for item in items),
    "count": lambda items, body: sum(body(item) is True for item in items),
    "find": lambda items, body: next((item for item in items if body(item) is True), None),
    "findIndex": lambda items, body: next((index for index, item in enumerate(items) if body(item) is True), -1),
    "findLast": lambda items, body: next((item for item in reversed(items) if body(item) is True), None),
    "one": lambda items, body: sum(body(item) is True for item in items) == 1,
    "sortBy": lambda items, body: sorted(items, key=body),
    "groupBy": lambda items, body: grouped(items, body),
}
"""Functions of a list and an expression about `#`, its element."""
