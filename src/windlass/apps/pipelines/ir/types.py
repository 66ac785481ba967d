"""The types of parameters, and which JSON values they take."""

from typing import Any, Final

from windlass.apps.pipelines.ir.numbers import integral
from windlass.kube.json import is_list, is_object

STRING: Final = "STRING"
TASK_FINAL_STATUS: Final = "TASK_FINAL_STATUS"
TASK_CONFIG: Final = "TASK_CONFIG"

KINDS: Final = {
    "STRING": "a string",
    "NUMBER_INTEGER": "an integer",
    "NUMBER_DOUBLE": "a number",
    "BOOLEAN": "a boolean",
    "LIST": "a list",
    "STRUCT": "an object",
    "TASK_FINAL_STATUS": "an object",
    "TASK_CONFIG": "an object",
}
"""What a value of each type must be."""
_KIND_OF_TYPE: Final = {**KINDS, "NUMBER_INTEGER": "a number"}


def kind_of(value: Any) -> str:
    """The kind of a JSON value, in the words of `KINDS`."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case _:
            return "a list" if is_list(value) else "an object" if is_object(value) else "unknown"


def matches(value: Any, parameter_type: str) -> bool:
    """Whether a parameter of that type takes the value, without any conversion. An undeclared type takes all.

    JSON has one kind of number: 3.0 is an integer, 1.5 is none.
    """
    if parameter_type == "NUMBER_INTEGER" and isinstance(value, float):
        return isinstance(integral(value), int)
    return _KIND_OF_TYPE.get(parameter_type) in (None, kind_of(value))


def mismatch(value: Any, parameter_type: str) -> str:
    """Why a parameter of that type does not take the value; empty if it does."""
    if matches(value, parameter_type):
        return ""
    given = str(value) if isinstance(value, float) else kind_of(value)
    return f"must be {KINDS[parameter_type]} ({parameter_type}), not {given}"


def mismatch_in_pipeline(value: Any, parameter_type: str) -> str:
    """Why no task can have the default or constant; empty if it can. A STRING becomes the JSON text of any value."""
    return "" if value is None or parameter_type == STRING else mismatch(value, parameter_type)


def is_literal(value: Any, literals: list[Any]) -> bool:
    """Whether the value is one of the literals; `true` is not 1, but 3.0 is 3."""
    return any(kind_of(value) == kind_of(literal) and value == literal for literal in literals)
