"""Regular expressions of users, matched in linear time by the RE2 of the CEL runtime."""

from functools import cache
from importlib import import_module
from typing import Any


class BadPattern(ValueError):
    """The pattern is not a regular expression."""


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern matches somewhere in the text. Raises BadPattern."""
    environment, expression = _program()
    try:
        value = expression.eval(environment.Activation({"text": text, "pattern": pattern}))
    except RuntimeError as error:
        raise BadPattern(f"{pattern!r} is not a regular expression: {error}") from None
    if value.type().name() == "ERROR":
        raise BadPattern(f"{pattern!r} is not a regular expression")
    return bool(value.plain_value())


@cache
def _program() -> tuple[Any, Any]:
    cel = import_module("cel_expr_python.cel")
    environment = cel.NewEnv(variables={"text": cel.Type.STRING, "pattern": cel.Type.STRING})
    return environment, environment.compile("text.matches(pattern)")
