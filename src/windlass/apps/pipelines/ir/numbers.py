"""Numbers of a specification: protobuf writes the integer 3 as 3.0, and components that take integers refuse that."""

from typing import Any

from windlass.kube.json import is_list, is_object

MAX_SAFE_INTEGER = 2**53 - 1


def integral(value: Any) -> Any:
    """The value with integers instead of floats such as 3.0, also inside of lists and objects."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= MAX_SAFE_INTEGER else value
    if is_list(value):
        return [integral(item) for item in value]
    if is_object(value):
        return {key: integral(item) for key, item in value.items()}
    return value


def normalized(value: Any, parameter_type: str) -> Any:
    """The value of a parameter of that type: only where a float is declared, 3.0 stays a float."""
    return value if parameter_type == "NUMBER_DOUBLE" and isinstance(value, float) else integral(value)
