"""The representation of JSON in CEL, by its schema: variable types, escaped property names, numbers that are doubles.

`type_name` returns the runtime's type for a schema; `compile_view` the function that converts a JSON value for CEL, or
None if CEL can use it unchanged, as most values.
"""

import base64
import binascii
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from windlass.kube.json import Object, dig_object, is_object

View: TypeAlias = Callable[[Any], Any]

_RESERVED = frozenset(
    (
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import"),
        *("let", "loop", "package", "namespace", "return", "var", "void", "while"),
    )
)
_IDENTIFIER = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*", re.ASCII)
_ESCAPES = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_SPECIAL = re.compile(r"__|[./-]")
_SCALARS = {"integer": "int", "number": "double", "boolean": "bool"}
_DURATION = re.compile(r"(\d++\.?\d*+|\.\d++)(ns|us|µs|μs|ms|s|m|h)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def escape(name: str) -> str | None:
    """The escaped form of a property name in expressions; None if it has none."""
    if name in _RESERVED:
        return f"__{name}__"
    if _IDENTIFIER.fullmatch(name) is None:
        return None
    return _SPECIAL.sub(lambda found: _ESCAPES[found[0]], name)


def is_written(known: str, name: str) -> bool:
    """Whether `name` in an expression refers to the property `known`. Reserved words need no escape after a dot."""
    return escape(known) == name or (known == name and known in _RESERVED)


def type_name(schema: Object) -> str:
    """The type name of a variable of this schema, as in `runtime.type_of`."""
    kind = schema.get("type")
    if schema.get("nullable") is True or schema.get("x-kubernetes-int-or-string") is True:
        return "dyn"
    if kind == "string":
        return {"byte": "bytes", "date-time": "timestamp", "duration": "duration"}.get(
            schema.get("format", ""), "string"
        )
    if kind == "array":
        return f"list({_inner(schema.get('items'))})"
    if kind == "object":
        rest = schema.get("additionalProperties")
        return f"map({_inner(rest)})" if is_object(rest) else "object"
    return _SCALARS.get(str(kind), "dyn")


def _inner(schema: Any) -> str:
    return type_name(schema) if is_object(schema) else "dyn"


def compile_view(schema: Object, *, typed: bool = True) -> View | None:
    """The conversion of a `self` of this schema, or (not `typed`) of a value inside an object.

    Values inside objects are dynamic to the runtime, which then accepts no dates and durations from Python: they stay
    strings, and `fields.with_moments` converts them where a rule reads them.
    """
    kind = schema.get("type")
    if kind == "number":
        return _double
    if kind == "string":
        known = {"bytes": _bytes, "timestamp": _moment, "duration": _span} if typed else {"bytes": _bytes}
        return known.get(type_name(schema))
    if kind == "array" and is_object(items := schema.get("items")):
        inner = compile_view(items, typed=typed)
        return _each(inner) if inner else None
    if is_object(rest := schema.get("additionalProperties")):
        inner = compile_view(rest, typed=typed)
        return _values(inner) if inner else None
    return _properties(dig_object(schema, "properties"))


def _double(value: Any) -> Any:
    return float(value) if value.__class__ is int else value


def _bytes(value: Any) -> Any:
    try:
        return base64.b64decode(value)
    except (binascii.Error, TypeError, ValueError):
        return value


def _moment(value: Any) -> Any:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return value


def _span(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    seconds = sum(float(amount) * _SECONDS[unit] for amount, unit in _DURATION.findall(value))
    try:
        return timedelta(seconds=-seconds if value.startswith("-") else seconds)
    except OverflowError:
        return value


def _each(inner: View) -> View:
    return lambda value: [inner(item) for item in value] if value.__class__ is list else value


def _values(inner: View) -> View:
    return lambda value: {k: inner(item) for k, item in value.items()} if value.__class__ is dict else value


def _properties(properties: Object) -> View | None:
    views: dict[str, View] = {}
    for name, sub in properties.items():
        if is_object(sub) and (inner := compile_view(sub, typed=False)):
            views[name] = inner
    renamed = {name: escaped for name in properties if (escaped := escape(name)) and escaped != name}
    if not views and not renamed:
        return None
    twice = renamed.keys() & _RESERVED

    def view(value: Any) -> Any:
        if value.__class__ is not dict:
            return value
        seen = {renamed.get(name, name): views[name](item) if name in views else item for name, item in value.items()}
        for name in twice & value.keys():
            seen[name] = seen[renamed[name]]
        return seen

    return view
