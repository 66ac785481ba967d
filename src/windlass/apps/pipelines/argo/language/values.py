"""Values of parameters: always text, as in Argo; numbers, booleans and structures become their JSON."""

from typing import Any

from windlass.kube.json import encode

EPSILON = 1e15


def text_of(value: Any) -> str:
    """A parameter's value as text."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < EPSILON:
        return str(int(value))
    return encode(value).decode()
