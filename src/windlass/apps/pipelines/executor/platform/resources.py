"""The requests and limits of a task's container."""

from typing import Any

from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.placeholders import Scope, resolve_text
from windlass.apps.pipelines.executor.platform.quantities import quantity
from windlass.apps.pipelines.executor.values import section, text

AMOUNTS = (
    ("limits", "cpu", "resourceCpuLimit", "cpuLimit", ""),
    ("requests", "cpu", "resourceCpuRequest", "cpuRequest", ""),
    ("limits", "memory", "resourceMemoryLimit", "memoryLimit", "G"),
    ("requests", "memory", "resourceMemoryRequest", "memoryRequest", "G"),
)
"""What is set, by which field, by which field of older SDKs, and the unit of that one."""


def resources(context: TaskContext, scope: Scope) -> Json:
    """Return the ResourceRequirements of `container.resources`. Raises ValueError with the field."""
    spec = section(context.executor, "container", "resources")
    amounts: Json = {}
    for side, name, key, old_key, unit in AMOUNTS:
        amount = _resolved(spec.get(key), scope)
        if amount:
            amounts.setdefault(side, {})[name] = quantity(amount, f"resources.{key}")
        elif spec.get(old_key):
            amounts.setdefault(side, {})[name] = quantity(f"{text(spec[old_key])}{unit}", f"resources.{old_key}")
    accelerator = section(spec, "accelerator")
    kind = _resolved(accelerator.get("resourceType") or accelerator.get("type"), scope)
    count = _resolved(accelerator.get("resourceCount") or accelerator.get("count"), scope)
    if kind and count:
        amounts.setdefault("limits", {})[kind] = quantity(count, "resources.accelerator.resourceCount")
    return amounts


def _resolved(value: Any, scope: Scope) -> str:
    if value is None:
        return ""
    return resolve_text(value if isinstance(value, str) else text(value), scope).strip()
