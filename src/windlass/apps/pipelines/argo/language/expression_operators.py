"""What operators of expressions do with values; a value of another type raises ExpressionError."""

import operator
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from windlass.apps.pipelines.argo.language.expression_functions import MAX_BITS, is_match, text
from windlass.apps.pipelines.argo.language.expression_lexer import ExpressionError
from windlass.kube.json import is_list, is_object

MAX_POWER = 4096

Operator: TypeAlias = Callable[[Any, Any], Any]
_OPERATORS: tuple[tuple[str, Operator], ...] = (
    ("-", operator.sub),
    ("*", operator.mul),
    ("/", lambda left, right: left / right),
    ("%", operator.mod),
    ("<", operator.lt),
    ("<=", operator.le),
    (">", operator.gt),
    (">=", operator.ge),
)
_ARITHMETIC: Mapping[str, Operator] = dict(_OPERATORS)


def applied(symbol: str, left: Any, right: Any) -> Any:
    match symbol:
        case "==" | "!=":
            is_same = left == right and isinstance(left, bool) == isinstance(right, bool)
            return is_same if symbol == "==" else not is_same
        case "in" | "not in":
            is_in = left in right if is_list(right) or is_object(right) else False
            return is_in if symbol == "in" else not is_in
        case "contains":
            return right in left
        case "startsWith":
            return text(left).startswith(text(right))
        case "endsWith":
            return text(left).endswith(text(right))
        case "matches":
            return is_match(right, text(left))
        case "+":
            return left + right if isinstance(left, str) and isinstance(right, str) else number(left) + number(right)
        case "**":
            if abs(number(right)) > MAX_POWER:
                raise ExpressionError(f"an exponent may be at most {MAX_POWER}")
            if isinstance(left, int) and left.bit_length() * abs(number(right)) > MAX_BITS:
                raise ExpressionError(f"a number may have at most {MAX_BITS} bits")
            return number(left) ** number(right)
        case _:
            if isinstance(left, str) and isinstance(right, str) and symbol in ("<", "<=", ">", ">="):
                return _ARITHMETIC[symbol](left, right)
            return _ARITHMETIC[symbol](number(left), number(right))


def number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ExpressionError(f"{text(value)!r} is not a number")
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ExpressionError(f"a number may have at most {MAX_BITS} bits")
    return value


def boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ExpressionError(f"{text(value)!r} is not a boolean")
    return value


def list_value(value: Any) -> list[Any]:
    if not is_list(value):
        raise ExpressionError(f"{text(value)!r} is not a list")
    return value


def member(value: Any, name: str) -> Any:
    if value is None:
        return None
    if not is_object(value):
        raise ExpressionError(f"{text(value)!r} has no member {name}")
    return value.get(name)


def item(value: Any, key: Any) -> Any:
    if is_object(value):
        return value.get(key)
    if is_list(value) or isinstance(value, str):
        return value[int(number(key))]
    raise ExpressionError(f"{text(value)!r} has no items")
