"""Functions that expressions may call: those of Argo, the common ones of expr, and a part of sprig's."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
# Arguments of expressions are of any type; what a function cannot work with raises.

import base64
import hashlib
import math
from collections.abc import Callable, Mapping
from typing import Any

from windlass.kube.json import decode, encode, is_list, is_object
from windlass.kube.jsonpath import compile_path
from windlass.pipelines.argo.language.expression_lexer import ExpressionError
from windlass.pipelines.argo.language.patterns import BadPattern, matches
from windlass.pipelines.argo.language.values import text_of

MAX_RANGE = 10_000
MAX_TEXT = 100_000
EMPTY: tuple[Any, ...] = (None, "", 0, False, [], {})
"""Values that sprig takes for absent."""


def text(value: Any) -> str:
    return "<nil>" if value is None else text_of(value)


def as_int(value: Any) -> int:
    try:
        return int(value) if not isinstance(value, str) else int(float(value))
    except (TypeError, ValueError, OverflowError):
        raise ExpressionError(f"{text(value)!r} is not a number") from None


def as_float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ExpressionError(f"{text(value)!r} is not a number") from None


def jsonpath(source: Any, path: Any) -> Any:
    """The value at a path in a JSON text."""
    try:
        values = compile_path(str(path))(decode(source) if isinstance(source, str) else source)
    except ValueError as error:
        raise ExpressionError(str(error)) from None
    if not values:
        raise ExpressionError(f"{path} is not in the value")
    return values[0] if len(values) == 1 else values


def from_json(source: Any) -> Any:
    try:
        return decode(str(source))
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


def indented(width: int, value: str) -> str:
    if width * (value.count("\n") + 1) > MAX_TEXT:
        raise ExpressionError(f"an indented text may have at most {MAX_TEXT} characters")
    return "\n".join(" " * width + line for line in value.split("\n"))


def rounded(value: Any) -> int:
    return math.floor(as_float(value) + 0.5)


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
    "join": lambda values, separator="": separator.join(map(text, values)),
    "replace": lambda value, old, new: text(value).replace(old, new),
    "hasPrefix": lambda value, prefix: text(value).startswith(prefix),
    "hasSuffix": lambda value, suffix: text(value).endswith(suffix),
    "first": lambda values: values[0] if values else None,
    "last": lambda values: values[-1] if values else None,
    "keys": lambda value: list(value),
    "values": lambda value: list(value.values()),
    "sprig.trim": lambda value: text(value).strip(),
    "sprig.upper": lambda value: text(value).upper(),
    "sprig.lower": lambda value: text(value).lower(),
    "sprig.title": lambda value: text(value).title(),
    "sprig.replace": lambda old, new, value: text(value).replace(old, new),
    "sprig.trimPrefix": lambda prefix, value: text(value).removeprefix(prefix),
    "sprig.trimSuffix": lambda suffix, value: text(value).removesuffix(suffix),
    "sprig.contains": lambda part, value: part in text(value),
    "sprig.hasPrefix": lambda prefix, value: text(value).startswith(prefix),
    "sprig.hasSuffix": lambda suffix, value: text(value).endswith(suffix),
    "sprig.splitList": lambda separator, value: text(value).split(separator),
    "sprig.join": lambda separator, values: separator.join(map(text, values)),
    "sprig.default": lambda default, value=None: value if value not in EMPTY else default,
    "sprig.empty": lambda value: value in EMPTY,
    "sprig.ternary": lambda yes, no, test: yes if test else no,
    "sprig.toString": text,
    "sprig.int": as_int,
    "sprig.atoi": as_int,
    "sprig.float64": as_float,
    "sprig.add": lambda *values: sum(map(as_int, values)),
    "sprig.sub": lambda left, right: as_int(left) - as_int(right),
    "sprig.mul": lambda *values: math.prod(map(as_int, values)),
    "sprig.div": lambda left, right: as_int(as_int(left) / as_int(right)),
    "sprig.mod": lambda left, right: as_int(left) % as_int(right),
    "sprig.max": lambda *values: max(map(as_int, values)),
    "sprig.min": lambda *values: min(map(as_int, values)),
    "sprig.round": lambda value, digits=0: round(as_float(value), as_int(digits)),
    "sprig.list": lambda *values: list(values),
    "sprig.first": lambda values: values[0] if values else None,
    "sprig.last": lambda values: values[-1] if values else None,
    "sprig.untilStep": lambda start, end, step: list(range(as_int(start), as_int(end), as_int(step)))[:MAX_RANGE],
    "sprig.until": lambda end: numbers(0, end),
    "sprig.toJson": lambda value: encode(value).decode(),
    "sprig.fromJson": from_json,
    "sprig.b64enc": lambda value: base64.b64encode(text(value).encode()).decode(),
    "sprig.b64dec": lambda value: base64.b64decode(text(value)).decode(),
    "sprig.sha256sum": lambda value: hashlib.sha256(text(value).encode()).hexdigest(),
    "sprig.trunc": lambda length, value: (
        text(value)[: as_int(length)] if as_int(length) >= 0 else text(value)[as_int(length) :]
    ),
    "sprig.substr": lambda start, end, value: text(value)[as_int(start) : as_int(end)],
    "sprig.nospace": lambda value: "".join(text(value).split()),
    "sprig.repeat": repeated,
    "sprig.trimAll": lambda characters, value: text(value).strip(characters),
    "sprig.quote": lambda *values: " ".join(encode(text(value)).decode() for value in values),
    "sprig.squote": lambda *values: " ".join(f"'{text(value)}'" for value in values),
    "sprig.cat": lambda *values: " ".join(map(text, values)),
    "sprig.indent": lambda width, value: indented(as_int(width), text(value)),
    "sprig.nindent": lambda width, value: "\n" + indented(as_int(width), text(value)),
    "sprig.ceil": lambda value: math.ceil(as_float(value)),
    "sprig.floor": lambda value: math.floor(as_float(value)),
    "sprig.toStrings": lambda values: list(map(text, values)),
    "sprig.sortAlpha": lambda values: sorted(map(text, values)),
    "sprig.uniq": lambda values: list({encode(value): value for value in values}.values()),
    "sprig.has": lambda value, values: value in values,
    "sprig.without": lambda values, *removed: [value for value in values if value not in removed],
    "sprig.append": lambda values, value: [*values, value],
    "sprig.prepend": lambda values, value: [value, *values],
    "sprig.concat": lambda *lists: [value for values in lists for value in values],
    "sprig.reverse": lambda values: values[::-1],
    "sprig.rest": lambda values: values[1:],
    "sprig.initial": lambda values: values[:-1],
    "sprig.get": lambda table, key: table.get(key, ""),
    "sprig.hasKey": lambda table, key: key in table,
    "sprig.keys": lambda *tables: [key for table in tables for key in table],
    "sprig.values": lambda table: list(table.values()),
    "sprig.coalesce": lambda *values: next((value for value in values if value not in EMPTY), None),
    "sprig.regexMatch": lambda pattern, value: is_match(pattern, text(value)),
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
}
"""Functions of a list and an expression about `#`, its element."""
