"""Conditions and selectors: expressions in CEL over the inputs of a task, with the function `parseJson`.

The runtime is imported when the first expression is compiled. It limits what an expression may cost, so that none can
block the process (docs/decisions/0003).
"""

import json
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from windlass.kube.json import check_depth, encode, is_list, is_object

_STATUS = re.compile(r"^[A-Z_]+: |\s*\[[A-Z_]+\]$")


class ExpressionError(ValueError):
    """An expression that cannot be compiled, or that failed on its values."""


def check_condition(source: str) -> None:
    """Raise ExpressionError for a condition that cannot be compiled, or whose result is never a boolean."""
    result = _compiled(source).return_type().name()
    if result not in ("BOOL", "DYN"):
        raise ExpressionError(f"the condition is of type {result.lower()}, not a boolean")


def check_selector(source: str) -> None:
    """Raise ExpressionError for a selector that cannot be compiled."""
    _compiled(source)


def is_met(source: str, parameters: Mapping[str, Any]) -> bool:
    """Whether a condition holds for the inputs of a task.

    All numbers are doubles, as in protobuf's values: conditions written for Kubeflow convert them with `int(…)`.
    """
    try:
        values = {name: _with_doubles(value) for name, value in parameters.items()}
    except OverflowError as error:
        raise ExpressionError("a number is too large") from error
    inputs = {"parameter_values": values, "parameters": {name: _tagged(value) for name, value in values.items()}}
    result = _evaluate(source, {"inputs": inputs})
    if not isinstance(result, bool):
        raise ExpressionError(f"the condition gave {result!r}, not a boolean")
    return result


def select(source: str, value: Any) -> Any:
    """What a `parameterExpressionSelector` takes out of a value, whose JSON text is `string_value`."""
    try:
        text = value if isinstance(value, str) else encode(value).decode()
    except UnicodeEncodeError as error:
        raise ExpressionError(_message(error)) from error
    return _evaluate(source, {"string_value": text})


def _evaluate(source: str, variables: dict[str, Any]) -> Any:
    expression = _compiled(source)
    try:
        result = expression.eval(_environment().Activation({"inputs": {}, "string_value": "", **variables}))
    except (RuntimeError, OverflowError, UnicodeEncodeError) as error:  # the latter for what CEL has no values for
        raise ExpressionError(_message(error)) from error
    if result.type().name() == "ERROR":
        raise ExpressionError(_message(result.plain_value()))
    return result.plain_value()


@lru_cache(maxsize=4096)
def _compiled(source: str) -> Any:
    try:
        return _environment().compile(source)
    except RuntimeError as error:
        raise ExpressionError(_message(error)) from error


@cache
def _environment() -> Any:
    cel = import_module("cel_expr_python.cel")
    types = cel.Type
    overload = cel.Overload(
        id="parse_json_string",
        return_type=types.DYN,
        parameters=[types.STRING],
        is_member=False,
        impl=_parse_json,
    )
    return cel.NewEnv(
        variables={"inputs": types.Map(types.STRING, types.DYN), "string_value": types.STRING},
        extensions=[cel.CelExtension("pipelines", [cel.FunctionDecl("parseJson", [overload])])],
    )


def _parse_json(text: str) -> Any:
    try:
        value = json.loads(text)
        check_depth(value)  # CEL's values are made by recursion in C++
        return value
    except (ValueError, RecursionError) as error:
        raise ValueError(f"parseJson: not JSON: {error}") from error


def _message(error: object) -> str:
    text = _STATUS.sub("", _STATUS.sub("", str(error)))
    return " ".join(text.split("\n | ")[0].split())


def _with_doubles(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if is_list(value):
        return [_with_doubles(item) for item in value]
    if is_object(value):
        return {key: _with_doubles(item) for key, item in value.items()}
    return value


def _tagged(value: Any) -> dict[str, Any]:
    """A value in the older form, such as `inputs.parameters['x'].string_value`."""
    match value:
        case bool():
            return {"bool_value": value}
        case float():
            whole = {"int_value": int(value)} if value.is_integer() else {}
            return {"double_value": value, "number_value": value, **whole}
        case str():
            return {"string_value": value}
        case _:
            return {"list_value": value} if is_list(value) else {"struct_value": value}
