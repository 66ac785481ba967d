"""Values of parameters: checked against their declared types, and as text."""

import json
import math
from decimal import Decimal
from typing import Any, cast

from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.kube.json import check_depth

MAX_SAFE_INTEGER = 2**53 - 1
"""The largest integer that JSON numbers carry exactly."""
MAX_NESTING = 100
"""Far from the depth at which Python gives up."""
STRUCTS = ("STRUCT", "TASK_FINAL_STATUS", "TASK_CONFIG")
TASK_CONFIG = "TASK_CONFIG"


def section(spec: Json, *keys: str) -> Json:
    """Return the object at a path of keys; empty where there is none."""
    value: Any = spec
    for key in keys:
        value = cast(Json, value).get(key) if isinstance(value, dict) else None
    return cast(Json, value) if isinstance(value, dict) else {}


def declared_inputs(context: TaskContext) -> Json:
    return section(context.component, "inputDefinitions", "parameters")


def normalized(value: Any, depth: int = 0) -> Any:
    """Return the value with integral numbers as integers, as components with `List[int]` need them.

    Raises ValueError for NaN and infinity, which JSON does not have, and for values in too many lists and structs.
    """
    if depth > MAX_NESTING:
        raise ValueError(f"a value has more than {MAX_NESTING} lists or structs in each other")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a JSON number")
        return int(value) if value.is_integer() and abs(value) <= MAX_SAFE_INTEGER else value
    if isinstance(value, list):
        return [normalized(item, depth + 1) for item in cast(list[Any], value)]
    if isinstance(value, dict):
        return {key: normalized(item, depth + 1) for key, item in cast(Json, value).items()}
    return value


def json_text(value: Any) -> str:
    """Return compact JSON with the keys in their order."""
    return json.dumps(normalized(value), ensure_ascii=False, separators=(",", ":"))


def text(value: Any) -> str:
    """Return a parameter as the text that replaces its placeholder."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and math.isfinite(value) and not value.is_integer():
        return format(Decimal(repr(value)), "f")
    return json_text(value)


def typed(name: str, value: Any, parameter_type: str) -> Any:
    """Check a value against the declared type. A STRING takes the JSON text of any other value. Raises ValueError."""
    value = normalized(value)
    match parameter_type:
        case "STRING":
            return value if isinstance(value, str) else json_text(value)
        case "NUMBER_INTEGER":
            is_valid = isinstance(value, int) and not isinstance(value, bool)
        case "NUMBER_DOUBLE":
            is_valid = isinstance(value, int | float) and not isinstance(value, bool)
        case "BOOLEAN":
            is_valid = isinstance(value, bool)
        case "LIST":
            is_valid = isinstance(value, list)
        case _ if parameter_type in STRUCTS:
            is_valid = isinstance(value, dict)
        case _:
            raise ValueError(f"parameter {name}: parameterType {parameter_type!r} is not known")
    if not is_valid:
        raise ValueError(f"parameter {name} must be {parameter_type}, and is {_shortened(json_text(value))}")
    return value


def parsed(name: str, content: str, parameter_type: str) -> Any:
    """Read a value from the text of an output file. Raises ValueError."""
    if parameter_type == "STRING":
        return content
    if parameter_type == "BOOLEAN" and content.strip().lower() in ("1", "t", "true", "0", "f", "false"):
        return content.strip().lower() in ("1", "t", "true")
    try:
        value = json.loads(content)
        check_depth(value)
    except (ValueError, RecursionError):
        value = _number(content) if parameter_type.startswith("NUMBER_") else content
    return typed(name, value, parameter_type)


def input_values(context: TaskContext) -> Json:
    """Return the task's parameters with the component's defaults, typed; missing optional ones are left out.

    Raises ValueError for a missing required parameter, a wrong type, or a value that is none of the literals.
    """
    values: Json = {}
    for name, declared in declared_inputs(context).items():
        value = context.parameters.get(name)
        if value is None:
            value = declared.get("defaultValue")
        kind = str(declared.get("parameterType") or "")
        if value is not None:
            values[name] = typed(name, value, kind)
            check_literals(name, values[name], declared)
        elif not declared.get("isOptional") and "defaultValue" not in declared and kind != TASK_CONFIG:
            raise ValueError(f"parameter {name} is required and has no value")
    undeclared = {name: value for name, value in context.parameters.items() if name not in values}
    return values | {name: normalized(value) for name, value in undeclared.items() if value is not None}


def check_literals(name: str, value: Any, declared: Json) -> None:
    """Raises ValueError if the declaration lists literals and the value is none of them."""
    literals = normalized(declared.get("literals") or [])
    if literals and not any(type(value) is type(literal) and value == literal for literal in literals):
        raise ValueError(
            f"parameter {name} must be one of {json_text(literals)}, and is {_shortened(json_text(value))}"
        )


def _number(content: str) -> Any:
    try:
        value = float(content)
    except ValueError:
        return content
    return value if math.isfinite(value) else content


def _shortened(value: str) -> str:
    return value if len(value) <= 100 else f"{value[:100]}…"
