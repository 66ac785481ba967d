"""The messages of Kubernetes' schema validation, and its formatting of values."""

from windlass.apiserver.crds.findings import Link, text_of
from windlass.kube.errors import Cause
from windlass.kube.json import Json, encode


def go_float(value: float) -> str:
    """Go's `%v` of a float64: the shortest digits, with an exponent from a million on."""
    if value == 0 or 1e-4 <= abs(value) < 1e6:
        return str(int(value)) if value.is_integer() else repr(value)
    sign = "-" if value < 0 else ""
    digits, _, exponent = f"{abs(value):.17e}".partition("e")
    digits = next(short for n in range(18) if float(short := f"{abs(value):.{n}e}") == abs(value)).partition("e")[0]
    return f"{sign}{digits}e{exponent}"


def quoted(value: Json) -> str:
    """Format a value as Kubernetes' field errors do."""
    if isinstance(value, float):
        return go_float(value)
    return "null" if value is None else encode(value).decode()


def bad(at: Link, value: Json, why: str) -> Cause:
    field = text_of(at)
    return Cause(field, f"Invalid value: {quoted(value)}: {field} in body {why}")


def too_many(at: Link, count: int, limit: int) -> Cause:
    unit = "item" if limit == 1 else "items"
    return Cause(text_of(at), f"Too many: {count}: must have at most {limit} {unit}", "FieldValueTooMany")


def wrong_type(at: Link, wanted: str, got: str) -> Cause:
    field = text_of(at)
    why = f'Invalid value: "{got}": {field} in body must be of type {wanted}: "{got}"'
    return Cause(field, why, "FieldValueTypeInvalid")
