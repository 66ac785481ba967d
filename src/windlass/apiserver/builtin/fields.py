"""Validation of single fields that many kinds share, with Kubernetes' messages.

Every `check_*` function appends errors to `causes` and returns nothing, so that a whole object is validated into one
list. A valid value costs one cached lookup or one regular expression match: pods are validated on every write.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, TypeAlias

from windlass.kube import names
from windlass.kube.errors import Cause, forbidden, invalid, required
from windlass.kube.errors import unsupported as unsupported
from windlass.kube.json import Object
from windlass.kube.quantity import Quantity

Causes: TypeAlias = list[Cause]

IMMUTABLE = "field is immutable"
NOT_NEGATIVE = "must be greater than or equal to 0"
PORT_RANGE = "must be between 1 and 65535, inclusive"
MAX_INT32 = 2**31 - 1

_dns_label = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?").fullmatch
_percent = re.compile(r"[0-9]+%").fullmatch


def too_long(field: str, limit: int) -> Cause:
    """The error of a value that is too long, in the wording of Kubernetes versions that count bytes."""
    return Cause(field, f"Too long: may not be more than {limit} bytes", "FieldValueTooLong")


@lru_cache(maxsize=8192)
def label_key_problems(key: str) -> tuple[str, ...]:
    return tuple(names.label_key_errors(key))


@lru_cache(maxsize=8192)
def label_value_problems(value: str) -> tuple[str, ...]:
    return tuple(names.label_value_errors(value))


def check_each(field: str, value: object, problems: Sequence[str], causes: Causes) -> None:
    """Append one cause for each problem of the value."""
    for problem in problems:
        causes.append(invalid(field, value, problem))


def check_dns_label(field: str, value: str, causes: Causes) -> None:
    if not _dns_label(value):
        check_each(field, value, names.dns_label_errors(value), causes)


def check_subdomain(field: str, value: str, causes: Causes) -> None:
    check_each(field, value, names.dns_subdomain_errors(value), causes)


def check_label_key(field: str, value: str, causes: Causes) -> None:
    check_each(field, value, label_key_problems(value), causes)


def check_label_value(field: str, value: str, causes: Causes) -> None:
    check_each(field, value, label_value_problems(value), causes)


def check_labels(field: str, labels: dict[str, str], causes: Causes) -> None:
    """Validate labels; errors in keys and values are both reported at the map itself, as in Kubernetes."""
    for key, value in labels.items():
        problems = label_key_problems(key)
        if problems:
            check_each(field, key, problems, causes)
        problems = label_value_problems(value)
        if problems:
            check_each(field, value, problems, causes)


def check_label_selector(field: str, selector: Object | None, causes: Causes) -> None:
    """Validate a metav1.LabelSelector: matchLabels and matchExpressions."""
    if not selector:
        return
    labels = selector.get("matchLabels")
    if labels:
        check_labels(f"{field}.matchLabels", labels, causes)
    for index, expression in enumerate(selector.get("matchExpressions") or ()):
        check_requirement(f"{field}.matchExpressions[{index}]", expression, causes)


def check_requirement(field: str, expression: Object, causes: Causes) -> None:
    """Validate a label selector requirement."""
    operator, values = expression.get("operator", ""), expression.get("values") or ()
    if operator in ("In", "NotIn"):
        if not values:
            causes.append(required(f"{field}.values", "must be specified when `operator` is 'In' or 'NotIn'"))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            causes.append(
                forbidden(f"{field}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
            )
    else:
        causes.append(invalid(f"{field}.operator", operator, "not a valid selector operator"))
    check_label_key(f"{field}.key", expression.get("key", ""), causes)
    for index, value in enumerate(values):
        check_label_value(f"{field}.values[{index}]", value, causes)


@lru_cache(maxsize=4096)
def _parsed(value: str | int | float) -> Quantity | str:
    try:
        return Quantity.parse(value)
    except ValueError as error:
        return str(error)


def quantity(value: str | int | float) -> Quantity | None:
    """Parse a quantity; None if it is invalid."""
    parsed = _parsed(value)
    return None if isinstance(parsed, str) else parsed


@lru_cache(maxsize=4096)
def canonical(value: str | int | float) -> str | int | float:
    """The canonical form of a quantity (`0.5` is `500m`); an invalid value is left for validation."""
    parsed = _parsed(value)
    return value if isinstance(parsed, str) else str(parsed)


def canonicalize(quantities: dict[str, Any]) -> None:
    """Convert all quantities of a resource list to canonical form, in place."""
    for name, value in quantities.items():
        text = canonical(value)
        if text is not value:
            quantities[name] = text


def check_quantity(field: str, value: str | int | float, causes: Causes) -> Quantity | None:
    """Return a valid, non-negative quantity; otherwise None, with a cause."""
    parsed = _parsed(value)
    if isinstance(parsed, str):
        causes.append(invalid(field, value, parsed))
        return None
    if parsed < ZERO:
        causes.append(invalid(field, value, NOT_NEGATIVE))
        return None
    return parsed


ZERO = Quantity.parse("0")


def check_not_negative(field: str, value: int | None, causes: Causes) -> None:
    if value is not None and value < 0:
        causes.append(invalid(field, value, NOT_NEGATIVE))


def check_port(field: str, value: int, causes: Causes) -> None:
    if not 0 < value < 65536:
        causes.append(invalid(field, value, PORT_RANGE))


def check_port_or_name(field: str, value: int | str | None, causes: Causes) -> None:
    """Validate the port of a probe or service: a number, or the name of a container port."""
    if isinstance(value, str):
        check_each(field, value, names.port_name_errors(value), causes)
    else:
        check_port(field, value or 0, causes)


def check_int_or_percent(field: str, value: int | str, causes: Causes) -> None:
    """Validate a non-negative number or percentage."""
    if isinstance(value, str):
        if not _percent(value):
            causes.append(invalid(field, value, _PERCENT))
    else:
        check_not_negative(field, value, causes)


_PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)


def percent_of(value: int | str | None) -> int | None:
    """The number before the `%`; None if the value is not a percentage."""
    return int(value[:-1]) if isinstance(value, str) and _percent(value) else None


def check_hundred_percent_or_less(field: str, value: int | str, causes: Causes) -> None:
    percent = percent_of(value)
    if percent is not None and percent > 100:
        causes.append(invalid(field, value, "must not be greater than 100%"))


def check_enum(field: str, value: str, supported: Sequence[str], causes: Causes) -> None:
    """Validate a required value from a closed set."""
    if value not in supported:
        causes.append(unsupported(field, value, supported) if value else required(field))


def check_immutable(field: str, new: Any, old: Any, causes: Causes) -> None:
    if new != old:
        causes.append(invalid(field, new, IMMUTABLE))


def check_ip(field: str, value: str, causes: Causes) -> None:
    if not is_ip(value):
        causes.append(invalid(field, value, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"))


@lru_cache(maxsize=4096)
def is_ip(value: str) -> bool:
    try:
        ip_address(value)
    except ValueError:
        return False
    return True
