"""Validation of pods for Volcano's scheduler: the disruption budget of their job."""

import re

from windlass.apis.wellknown import JDB_MAX_UNAVAILABLE_ANNOTATION, JDB_MIN_AVAILABLE_ANNOTATION
from windlass.apps.volcano.wording import listed
from windlass.kube.json import Object, dig, dig_object

SCHEDULER = "volcano"
BUDGETS = (JDB_MIN_AVAILABLE_ANNOTATION, JDB_MAX_UNAVAILABLE_ANNOTATION)


def pod_problem(pod: Object) -> str:
    """Return the first error, with the message of Volcano's webhook; empty if the pod is valid."""
    annotations = dig_object(pod, "metadata", "annotations")
    if not annotations or dig(pod, "spec", "schedulerName") != SCHEDULER:
        return ""
    found = [name for name in BUDGETS if name in annotations]
    for name in found:
        problem = _budget_problem(name, str(annotations[name]))
        if problem:
            return problem
    return f"not allow configure multiple annotations <{listed(BUDGETS)}> at same time" if len(found) > 1 else ""


def _budget_problem(name: str, value: str) -> str:
    if re.fullmatch(r"[+-]?[0-9]+", value):
        return "" if int(value) > 0 else f'invalid value <"{value}"> for {name}, it must be a positive integer'
    number = value.replace("%", "")
    if not re.fullmatch(r"[+-]?[0-9]+", number):
        return f'invalid value strconv.Atoi: parsing "{number}": invalid syntax for {name}'
    if not 0 < int(number) < 100:
        return f'invalid value <"{value}"> for {name}, it must be a valid percentage which between 1% ~ 99%'
    return ""
