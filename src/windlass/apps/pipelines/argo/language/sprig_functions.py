"""Functions of sprig that expressions may call: those that only depend on their arguments."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
# Arguments of expressions are of any type; what a function cannot work with raises.

import hashlib
import math
import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from windlass.apps.pipelines.argo.language.expression_functions import (
    MAX_RANGE,
    MAX_TEXT,
    as_float,
    as_int,
    decoded,
    encoded,
    from_json,
    is_match,
    joined,
    numbers,
    repeated,
    replaced,
    text,
    unique,
)
from windlass.apps.pipelines.argo.language.expression_lexer import ExpressionError
from windlass.kube.json import encode, is_object

EMPTY: tuple[Any, ...] = (None, "", 0, False, [], {})
"""Values that sprig takes for absent."""


def indented(width: int, value: str) -> str:
    if width * (value.count("\n") + 1) > MAX_TEXT:
        raise ExpressionError(f"an indented text may have at most {MAX_TEXT} characters")
    return "\n".join(" " * width + line for line in value.split("\n"))


def words(value: Any) -> list[str]:
    """The words of a text in any of the usual spellings, in lower case."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text(value))
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", spaced) if word]


def dug(*path: Any) -> Any:
    """The value at a path of keys in the object that is the last argument, or the default before it."""
    if len(path) < 3:
        raise ExpressionError("sprig.dig needs a key, a default and an object")
    *keys, default, value = path
    for key in keys:
        if not is_object(value) or key not in value:
            return default
        value = value[key]
    return value


def table(*pairs: Any) -> dict[str, Any]:
    return {text(key): value for key, value in zip(pairs[::2], [*pairs[1::2], ""], strict=False)}


def chunks(size: Any, values: list[Any]) -> list[list[Any]]:
    length = as_int(size)
    if length < 1:
        raise ExpressionError(f"sprig.chunk: {text(size)!r} is not a length")
    return [values[start : start + length] for start in range(0, len(values), length)]


def abbreviated(width: Any, value: Any) -> str:
    length, whole = as_int(width), text(value)
    return whole if length < 4 or len(whole) <= length else f"{whole[: length - 3]}..."


SPRIG: Mapping[str, Callable[..., Any]] = {
    "sprig.trim": lambda value: text(value).strip(),
    "sprig.upper": lambda value: text(value).upper(),
    "sprig.lower": lambda value: text(value).lower(),
    "sprig.title": lambda value: text(value).title(),
    "sprig.replace": lambda old, new, value: replaced(value, old, new),
    "sprig.trimPrefix": lambda prefix, value: text(value).removeprefix(prefix),
    "sprig.trimSuffix": lambda suffix, value: text(value).removesuffix(suffix),
    "sprig.contains": lambda part, value: part in text(value),
    "sprig.hasPrefix": lambda prefix, value: text(value).startswith(prefix),
    "sprig.hasSuffix": lambda suffix, value: text(value).endswith(suffix),
    "sprig.splitList": lambda separator, value: text(value).split(separator),
    "sprig.join": lambda separator, values: joined(values, separator),
    "sprig.default": lambda default, value=None: value if value not in EMPTY else default,
    "sprig.empty": lambda value: value in EMPTY,
    "sprig.ternary": lambda yes, no, test: yes if test else no,
    "sprig.toString": text,
    "sprig.int": as_int,
    "sprig.atoi": as_int,
    "sprig.float64": as_float,
    "sprig.add": lambda *values: sum(map(as_int, values)),
    "sprig.sub": lambda left, right: as_int(left) - as_int(right),
    "sprig.mul": lambda *values: reduce(lambda left, right: as_int(left * right), map(as_int, values), 1),
    "sprig.div": lambda left, right: as_int(as_int(left) / as_int(right)),
    "sprig.mod": lambda left, right: as_int(left) % as_int(right),
    "sprig.max": lambda *values: max(map(as_int, values)),
    "sprig.min": lambda *values: min(map(as_int, values)),
    "sprig.round": lambda value, digits=0: round(as_float(value), as_int(digits)),
    "sprig.list": lambda *values: list(values),
    "sprig.first": lambda values: values[0] if values else None,
    "sprig.last": lambda values: values[-1] if values else None,
    "sprig.untilStep": lambda start, end, step: list(range(as_int(start), as_int(end), as_int(step))[:MAX_RANGE]),
    "sprig.until": lambda end: numbers(0, end),
    "sprig.toJson": lambda value: encode(value).decode(),
    "sprig.fromJson": from_json,
    "sprig.b64enc": encoded,
    "sprig.b64dec": decoded,
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
    "sprig.uniq": unique,
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
    "sprig.dig": dug,
    "sprig.dict": table,
    "sprig.pick": lambda source, *keys: {key: source[key] for key in keys if key in source},
    "sprig.omit": lambda source, *keys: {key: source[key] for key in source if key not in keys},
    "sprig.pluck": lambda key, *tables: [one[key] for one in tables if key in one],
    "sprig.compact": lambda values: [value for value in values if value not in EMPTY],
    "sprig.chunk": chunks,
    "sprig.slice": lambda values, start=0, end=None: values[as_int(start) : None if end is None else as_int(end)],
    "sprig.split": lambda separator, value: {f"_{n}": part for n, part in enumerate(text(value).split(separator))},
    "sprig.snakecase": lambda value: "_".join(words(value)),
    "sprig.kebabcase": lambda value: "-".join(words(value)),
    "sprig.camelcase": lambda value: "".join(word.capitalize() for word in words(value)),
    "sprig.untitle": lambda value: " ".join(word[:1].lower() + word[1:] for word in text(value).split(" ")),
    "sprig.swapcase": lambda value: text(value).swapcase(),
    "sprig.initials": lambda value: "".join(word[0] for word in text(value).split()),
    "sprig.abbrev": abbreviated,
    "sprig.plural": lambda one, many, count: one if as_int(count) == 1 else many,
    "sprig.sha1sum": lambda value: hashlib.sha1(text(value).encode(), usedforsecurity=False).hexdigest(),
    "sprig.sha512sum": lambda value: hashlib.sha512(text(value).encode()).hexdigest(),
    "sprig.int64": as_int,
    "sprig.add1": lambda value: as_int(value) + 1,
    "sprig.addf": lambda *values: sum(map(as_float, values)),
    "sprig.subf": lambda first, *values: as_float(first) - sum(map(as_float, values)),
    "sprig.mulf": lambda *values: math.prod(map(as_float, values)),
    "sprig.divf": lambda first, *values: reduce(lambda left, right: left / as_float(right), values, as_float(first)),
    "sprig.maxf": lambda *values: max(map(as_float, values)),
    "sprig.minf": lambda *values: min(map(as_float, values)),
    "sprig.all": lambda *values: all(value not in EMPTY for value in values),
    "sprig.any": lambda *values: any(value not in EMPTY for value in values),
}
"""Functions of values, by their names in expressions. Those of time, chance and the environment are not among them."""
