"""Reads the platform spec of an executor (KubernetesExecutorConfig): its lists, numbers and input parameters.

Fields that end in Parameter or Json are resolved in the task's DAG. A missing optional value skips its item. Everything
raises ValueError with the field that is wrong.
"""

import json
from collections.abc import Iterator
from typing import Any, cast

from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.values import text
from windlass.kube.json import check_depth


def items(spec: Json, key: str) -> Iterator[tuple[str, Json]]:
    """Yield the objects of a list, each with its place for messages."""
    listed: Any = spec.get(key) or []
    if not isinstance(listed, list):
        raise ValueError(f"{key} is not a list")
    for index, item in enumerate(cast(list[Any], listed)):
        yield f"{key}[{index}]", mapping(item, f"{key}[{index}]")


def mapping(value: Any, where: str) -> Json:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"{where} is not an object")
    return cast(Json, value)


def labels(value: Any, where: str) -> dict[str, str]:
    """Return an object of strings, such as labels or a node selector."""
    return {key: text(one) for key, one in mapping(value, where).items()}


def required(item: Json, key: str, where: str) -> str:
    value = item.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{where}.{key} is required")
    return value


def integer(value: Any, where: str) -> int | None:
    """Return a number, which JSON of protocol buffers writes as a string; None where there is none."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, bool) or int(value) != float(value):
            raise ValueError
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{where} is not an integer: {value!r}") from None


def resolved(context: TaskContext, spec: Any, where: str) -> Any:
    """Return the value of an input-parameter spec; None if it is optional and missing."""
    try:
        return context.resolve(mapping(spec, where))
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


def resolved_json(context: TaskContext, spec: Any, where: str) -> Any:
    """Return a struct or list, which may come as its JSON text."""
    value = resolved(context, spec, where)
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value) if value.strip() else None
        check_depth(found)
        return found
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where} is not JSON: {error}") from error


def object_name(context: TaskContext, item: Json, key: str, where: str) -> str | None:
    """Return the name of a Secret or ConfigMap from `key` or its `…Parameter`; None if the item is skipped."""
    parameter = item.get(f"{key}Parameter")
    if parameter is None:
        return required(item, key, where)
    value = resolved(context, parameter, f"{where}.{key}Parameter")
    return _name(value, f"{where}.{key}Parameter")


def claim_name(context: TaskContext, item: Json, where: str) -> str | None:
    """Return the claim of a pvcMount, also from the fields that pvcNameParameter replaced."""
    if item.get("pvcNameParameter") is not None:
        value = resolved(context, item["pvcNameParameter"], f"{where}.pvcNameParameter")
    elif item.get("constant") is not None:
        value = item["constant"]
    else:
        reference = {key: item[key] for key in ("taskOutputParameter", "componentInputParameter") if item.get(key)}
        if not reference:
            raise ValueError(f"{where}.pvcNameParameter is required")
        value = resolved(context, reference, where)
    return _name(value, f"{where}.pvcNameParameter")


def claim_names(context: TaskContext) -> list[str]:
    """Return the names of the claims that the task mounts."""
    names = [claim_name(context, item, where) for where, item in items(context.platform, "pvcMount")]
    return [name for name in names if name is not None]


def _name(value: Any, where: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        raise ValueError(f"{where} is not a name: {value!r}")
    return value
