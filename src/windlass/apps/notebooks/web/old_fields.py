"""Fields of the spawner of Kubeflow 0.4 and older, which was JupyterHub's, as those of today's form. Pure.

| old                     | today                          |
|-------------------------|--------------------------------|
| `cpu_guarantee`         | `cpu`                          |
| `mem_guarantee`         | `memory`                       |
| `extra_resource_limits` | `gpus`: `{"num", "vendor"}`    |

`image` has kept its name. The old form sent all of them as text, the limits as JSON in a text.
"""

import json
from collections.abc import Callable
from typing import Any

from windlass.apps.notebooks.web.form import BadForm
from windlass.kube.json import Object, is_object
from windlass.kube.quantity import Quantity


def with_todays_fields(body: Object) -> Object:
    """The form with today's fields in the place of old ones. Raises BadForm, which names both where they differ."""
    form = dict(body)
    for old, today, translate, is_same in _FIELDS:
        if old not in form:
            continue
        given = form.pop(old)
        if given in (None, ""):
            continue
        value = translate(old, given)
        if form.get(today) is None:
            form[today] = value
        elif not is_same(form[today], value):
            raise BadForm(f"{old} and {today}: both are given, and they differ")
    return form


def _amount(old: str, given: object) -> str:
    """A quantity of Kubernetes: Kubeflow's spawner passed the text on, so `1G` is less than `1Gi`."""
    text = str(given).strip()
    try:
        Quantity.parse(text)
    except ValueError as error:
        raise BadForm(f"{old}: {text!r} is not an amount") from error
    return text


def _gpus(old: str, given: object) -> Object:
    """One extended resource and its number; none is no GPU."""
    limits: Any = given
    if isinstance(given, str):
        try:
            limits = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise BadForm(f"{old}: is not JSON: {error}") from error
    if not is_object(limits):
        raise BadForm(f"{old}: must be a mapping of a resource to a number")
    wanted = [(vendor, number) for vendor, number in limits.items() if str(number) != "0"]
    if len(wanted) > 1:
        raise BadForm(f"{old}: names {', '.join(sorted(vendor for vendor, _ in wanted))}; the form has one kind of GPU")
    if not wanted:
        return {"num": "none"}
    vendor, number = wanted[0]
    if isinstance(number, bool) or not isinstance(number, int | str) or not str(number).isdecimal():
        raise BadForm(f"{old}.{vendor}: {number!r} is not a number of GPUs")
    return {"num": str(number), "vendor": vendor}


def _is_same_amount(today: object, old: object) -> bool:
    try:
        return Quantity.parse(str(today).strip()) == Quantity.parse(str(old))
    except ValueError:
        return False  # the form says what is wrong with it, where it is alone


def _is_same_gpus(today: Any, old: Any) -> bool:
    return is_object(today) and _number_and_vendor(today) == _number_and_vendor(old)


def _number_and_vendor(gpus: Object) -> tuple[str, object]:
    number = str(gpus.get("num", "none")) or "none"
    return number, None if number == "none" else gpus.get("vendor")


_FIELDS: tuple[tuple[str, str, Callable[[str, object], Any], Callable[[Any, Any], bool]], ...] = (
    ("cpu_guarantee", "cpu", _amount, _is_same_amount),
    ("mem_guarantee", "memory", _amount, _is_same_amount),
    ("extra_resource_limits", "gpus", _gpus, _is_same_gpus),
)
