"""ResourceQuotas and LimitRanges: limits on a namespace and on its objects."""

from collections.abc import Iterable

from windlass.apiserver.builtin.fields import (
    Causes,
    canonicalize,
    check_each,
    check_immutable,
    check_quantity,
    label_key_problems,
    quantity,
    unsupported,
)
from windlass.apiserver.builtin.strategy import Plain
from windlass.kube.errors import Cause, duplicate, forbidden, invalid, required
from windlass.kube.json import Object, dig, dig_list, dig_object

_SCOPES = (
    "BestEffort",
    "CrossNamespacePodAffinity",
    "NotBestEffort",
    "NotTerminating",
    "PriorityClass",
    "Terminating",
    "VolumeAttributesClass",
)
_COMPUTE = ("cpu", "memory", "ephemeral-storage")
_COUNTED = (
    "pods",
    "replicationcontrollers",
    "services",
    "resourcequotas",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
)
_STANDARD_QUOTA = frozenset(
    (
        *_COMPUTE,
        *_COUNTED,
        "storage",
        "requests.storage",
        *(f"{p}.{r}" for p in ("requests", "limits") for r in _COMPUTE),
    )
)


_POD_COMPUTE = frozenset(("cpu", "memory", *(f"{p}.{r}" for p in ("requests", "limits") for r in ("cpu", "memory"))))
_SCOPED_RESOURCES = {
    "BestEffort": frozenset(("pods",)),
    "VolumeAttributesClass": frozenset(("persistentvolumeclaims", "requests.storage")),
}
_OPPOSITES = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))


class Quotas(Plain):
    returns_deleted = True

    def default(self, obj: Object) -> None:
        canonicalize(dig_object(obj, "spec", "hard"))

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        for name, value in dig_object(obj, "spec", "hard").items():
            field = f"spec.hard[{name}]"
            check_each(field, name, _quota_name_problems(name), causes)
            parsed = check_quantity(field, value, causes)
            if parsed is not None and (name in _COUNTED or name.startswith("count/")) and parsed.milli() % 1000:
                causes.append(invalid(field, value, "must be an integer"))
        _check_scopes(obj, causes)
        _check_scope_selector(obj, causes)
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        check_immutable("spec.scopes", dig(new, "spec", "scopes"), dig(old, "spec", "scopes"), causes)
        return causes


def _quota_name_problems(name: str) -> tuple[str, ...]:
    problems = label_key_problems(name)
    if problems:
        return problems
    if "/" in name or name in _STANDARD_QUOTA or name.startswith(("hugepages-", "requests.hugepages-")):
        return ()
    return ("must be a standard resource for quota",)


def _check_scopes(obj: Object, causes: Causes) -> None:
    scopes = dig_list(obj, "spec", "scopes")
    for scope in scopes:
        if scope not in _SCOPES:
            causes.append(invalid("spec.scopes", scopes, "unsupported scope"))
        for _ in _resources_out_of_scope(obj, scope):
            causes.append(invalid("spec.scopes", scopes, "unsupported scope applied to resource"))
    for pair in _OPPOSITES:
        if set(pair) <= set(scopes):
            causes.append(invalid("spec.scopes", scopes, "conflicting scopes"))


def _resources_out_of_scope(obj: Object, scope: str) -> list[str]:
    """Return the limited standard resources that a quota with this scope cannot count."""
    if scope not in _SCOPES:
        return []
    countable = _SCOPED_RESOURCES.get(scope, _POD_COMPUTE | {"pods"})
    return sorted(name for name in dig_object(obj, "spec", "hard") if name in _STANDARD_QUOTA - countable)


def _check_scope_selector(obj: Object, causes: Causes) -> None:
    path = "spec.scopeSelector.matchExpressions"
    for expression in dig_list(obj, "spec", "scopeSelector", "matchExpressions"):
        scope, operator = expression.get("scopeName", ""), expression.get("operator", "")
        values = dig_list(expression, "values")
        if scope not in _SCOPES:
            causes.append(invalid(f"{path}.scopeName", scope, "unsupported scope"))
        for _ in _resources_out_of_scope(obj, scope):
            selector = dig(obj, "spec", "scopeSelector")
            causes.append(invalid(path, selector, "unsupported scope applied to resource"))
        if operator in ("In", "NotIn"):
            if not values:
                why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
                causes.append(required(f"{path}.values", why))
        elif operator in ("Exists", "DoesNotExist"):
            if values:
                why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
                causes.append(invalid(f"{path}.values", values, why))
        else:
            causes.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))


class LimitRanges(Plain):
    allows_create_on_update = True

    def default(self, obj: Object) -> None:
        for item in dig_list(obj, "spec", "limits"):
            for field in _LIMIT_FIELDS:
                canonicalize(dig_object(item, field))
            if item.get("type") != "Container":
                continue
            limits: Object = item.setdefault("default", {})
            requests: Object = item.setdefault("defaultRequest", {})
            _fill(limits, dig_object(item, "max"))
            _fill(requests, limits)
            _fill(requests, dig_object(item, "min"))

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        seen: set[str] = set()
        for index, item in enumerate(dig_list(obj, "spec", "limits")):
            path = f"spec.limits[{index}]"
            kind = item.get("type", "")
            if kind not in ("Container", "PersistentVolumeClaim", "Pod") and "/" not in kind:
                causes.append(_bad_type(f"{path}.type", kind))
            if kind in seen:
                causes.append(duplicate(f"{path}.type", kind))
            seen.add(kind)
            _check_item(path, kind, item, causes)
        return causes


_LIMIT_FIELDS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")


def _fill(target: Object, source: Object) -> None:
    for name, value in source.items():
        target.setdefault(name, value)


def _bad_type(field: str, kind: str) -> Cause:
    if not kind:
        return required(field)
    return unsupported(field, kind, ("Container", "PersistentVolumeClaim", "Pod"))


def _check_item(path: str, kind: str, item: Object, causes: Causes) -> None:
    before = len(causes)
    for field in _LIMIT_FIELDS:
        for name, value in dig_object(item, field).items():
            check_quantity(f"{path}.{field}[{name}]", value, causes)
    if kind == "Pod":
        for field in ("default", "defaultRequest"):
            if item.get(field):
                causes.append(forbidden(f"{path}.{field}", "may not be specified when `type` is 'Pod'"))
    if kind == "PersistentVolumeClaim" and not _names(item, ("min", "max")) & {"storage"}:
        causes.append(
            required(f"{path}.limits", "either minimum or maximum storage value is required, but neither was provided")
        )
    if len(causes) == before:
        for name in sorted(_names(item, _LIMIT_FIELDS)):
            _check_order(path, name, item, causes)


def _names(item: Object, fields: Iterable[str]) -> set[str]:
    return {name for field in fields for name in dig_object(item, field)}


_ORDER = (
    ("min", "max", "min", "min value {} is greater than max value {}"),
    ("min", "defaultRequest", "defaultRequest", "min value {} is greater than default request value {}"),
    ("defaultRequest", "max", "defaultRequest", "default request value {} is greater than max value {}"),
    ("defaultRequest", "default", "defaultRequest", "default request value {} is greater than default limit value {}"),
    ("min", "default", "default", "min value {} is greater than default value {}"),
    ("default", "max", "default", "default value {} is greater than max value {}"),
)


def _check_order(path: str, name: str, item: Object, causes: Causes) -> None:
    for low, high, named, why in _ORDER:
        lower, higher = dig(item, low, name), dig(item, high, name)
        if lower is None or higher is None:
            continue
        small, large = quantity(lower), quantity(higher)
        if small is not None and large is not None and large < small:
            value = dig(item, named, name)
            causes.append(invalid(f"{path}.{named}[{name}]", value, why.format(lower, higher)))
