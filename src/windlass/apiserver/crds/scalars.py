"""Validation of strings and numbers against a schema, and of any value against an `enum`."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from windlass.apiserver.crds.findings import Finding, Link, text_of
from windlass.apiserver.crds.formats import format_check
from windlass.apiserver.crds.words import bad, go_float, quoted
from windlass.formats.patterns import Matcher, matcher
from windlass.kube.errors import Cause
from windlass.kube.json import Object, dig_list, encode

Check: TypeAlias = Callable[[Any, Link, list[Finding]], None]


def string_steps(schema: Object) -> list[Check]:
    steps: list[Check] = []
    if isinstance(longest := schema.get("maxLength"), int):
        steps.append(partial(_max_length, longest))
    if isinstance(shortest := schema.get("minLength"), int) and shortest > 0:
        steps.append(partial(_min_length, shortest))
    if isinstance(pattern := schema.get("pattern"), str) and pattern:
        steps.append(_pattern_step(pattern))
    if (name := str(schema.get("format") or "")) and (known := format_check(name)):
        steps.append(partial(_format, name, known))
    return steps


def _max_length(limit: int, value: str, at: Link, out: list[Finding]) -> None:
    if len(value) > limit:
        unit = "byte" if limit == 1 else "bytes"
        why = f"Too long: may not be more than {limit} {unit}"
        out.append((at, Cause(text_of(at), why, "FieldValueTooLong")))


def _min_length(limit: int, value: str, at: Link, out: list[Finding]) -> None:
    if len(value) < limit:
        out.append((at, bad(at, value, f"should be at least {limit} chars long")))


def _pattern_step(pattern: str) -> Check:
    match: Matcher | None = None  # compiled with the first value: most patterns of a schema never meet one

    def check(value: str, at: Link, out: list[Finding]) -> None:
        nonlocal match
        if match is None:
            match = matcher(pattern)
        if not match(value):
            out.append((at, bad(at, value, f"should match '{pattern}'")))

    return check


def _format(name: str, known: Callable[[str], bool], value: str, at: Link, out: list[Finding]) -> None:
    if not known(value):
        field = text_of(at)
        why = f"Invalid value: {quoted(value)}: {field} in body must be of type {name}: {quoted(value)}"
        out.append((at, Cause(field, why, "FieldValueTypeInvalid")))


# numbers


def number_steps(schema: Object) -> list[Check]:
    steps: list[Check] = []
    if (step := schema.get("multipleOf")) is not None:
        steps.append(partial(_multiple_of, step))
    if (limit := schema.get("maximum")) is not None:
        steps.append(partial(_maximum, limit, schema.get("exclusiveMaximum") is True))
    if (limit := schema.get("minimum")) is not None:
        steps.append(partial(_minimum, limit, schema.get("exclusiveMinimum") is True))
    if schema.get("type") == "integer":
        steps.append(_int64)
    return steps


_SAFE_INTEGER = 2**53 - 1


def is_json_integer(value: float) -> bool:
    """Whether a number that was written as a float counts as an integer."""
    return abs(value) <= _SAFE_INTEGER and value.is_integer()


def clamped_float(value: float) -> float:
    """Convert an integer that Go's decoder reads as a float."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _int64(value: float, at: Link, out: list[Finding]) -> None:
    if not -(2**63) <= value < 2**63:
        why = f'Invalid value: "": Checked value must be of type integer (default format) in {text_of(at)}'
        out.append((at, Cause("<nil>", why)))


def _multiple_of(step: float, value: float, at: Link, out: list[Finding]) -> None:
    if isinstance(value, int) and isinstance(step, int) and step:
        exact = value % step == 0
    else:
        ratio = clamped_float(value) / step if step else 0.0
        exact = ratio.is_integer()
    if not exact:
        out.append((at, bad(at, value, f"should be a multiple of {number(value, step)}")))


def _maximum(limit: float, exclusive: bool, value: float, at: Link, out: list[Finding]) -> None:
    if value > limit or (exclusive and value == limit):
        words = "should be less than" if exclusive else "should be less than or equal to"
        out.append((at, bad(at, value, f"{words} {number(value, limit)}")))


def _minimum(limit: float, exclusive: bool, value: float, at: Link, out: list[Finding]) -> None:
    if value < limit or (exclusive and value == limit):
        words = "should be greater than" if exclusive else "should be greater than or equal to"
        out.append((at, bad(at, value, f"{words} {number(value, limit)}")))


def number(value: float, limit: float) -> str:
    """Format a bound as Go does: as an integer beside an integer, else as the shortest float."""
    if isinstance(value, int) and float(limit).is_integer():
        return str(int(limit))
    return go_float(float(limit))


# enums


def enum_step(schema: Object) -> Check | None:
    values = dig_list(schema, "enum")
    if not values:
        return None
    listed = ", ".join(f'"{value}"' if isinstance(value, str) else f'"{encode(value).decode()}"' for value in values)
    hashable = frozenset((type(v), v) for v in values if isinstance(v, str | bool))

    def check(value: Any, at: Link, out: list[Finding]) -> None:
        if isinstance(value, str | bool):
            if (type(value), value) in hashable:
                return
        elif any(value == known and not isinstance(known, bool) for known in values):
            return
        why = f"Unsupported value: {quoted(value)}: supported values: {listed}"
        out.append((at, Cause(text_of(at), why, "FieldValueNotSupported")))

    return check
