"""Validation of a Job's indexes and policies: backoffLimitPerIndex, podFailurePolicy, successPolicy."""

from typing import Any

from windlass.apiserver.builtin.fields import Causes, check_label_key, check_not_negative, unsupported
from windlass.kube.errors import Cause, duplicate, invalid, required, too_many
from windlass.kube.json import Object, dig, dig_list, dig_object

_NEEDS_INDEXES = "requires indexed completion mode"
_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS = ("In", "NotIn")
_STATUSES = ("False", "True", "Unknown")
_MAX_RULES, _MAX_CONDITIONS, _MAX_EXIT_CODES = 20, 20, 255
_MOST_PARALLEL, _MANY_COMPLETIONS, _MAX_OF_MANY = 100_000, 100_000, 10_000


def check_policies(path: str, spec: Object, causes: Causes) -> None:
    if spec.get("completionMode") == "Indexed":
        _check_indexed(path, spec, causes)
    else:
        for field in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(field) is not None:
                causes.append(invalid(f"{path}.{field}", spec[field], _NEEDS_INDEXES))
        if spec.get("successPolicy") is not None:
            causes.append(invalid(f"{path}.successPolicy", spec["successPolicy"], _NEEDS_INDEXES))
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        causes.append(required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified"))
    if spec.get("podFailurePolicy") is not None:
        _check_failure_policy(f"{path}.podFailurePolicy", spec, causes)


def _check_indexed(path: str, spec: Object, causes: Causes) -> None:
    completions, parallelism = spec.get("completions"), spec.get("parallelism") or 0
    max_failed = spec.get("maxFailedIndexes")
    if parallelism > _MOST_PARALLEL:
        why = f"must be less than or equal to {_MOST_PARALLEL} when completion mode is Indexed"
        causes.append(invalid(f"{path}.parallelism", parallelism, why))
    if completions is None:
        return
    if max_failed is not None and max_failed > completions:
        causes.append(invalid(f"{path}.maxFailedIndexes", max_failed, "must be less than or equal to completions"))
    if spec.get("backoffLimitPerIndex") is not None and completions > _MANY_COMPLETIONS:
        _check_many(path, parallelism, max_failed, causes)
    if spec.get("successPolicy") is not None:
        _check_success_policy(f"{path}.successPolicy", spec, completions, causes)


def _check_many(path: str, parallelism: int, max_failed: int | None, causes: Causes) -> None:
    if max_failed is None:
        why = f"must be specified when completions is above {_MANY_COMPLETIONS}"
        causes.append(required(f"{path}.maxFailedIndexes", why))
    limit = f"must be less than or equal to {_MAX_OF_MANY} when completions are above {_MANY_COMPLETIONS}"
    why = f"{limit} and used with backoff limit per index"
    if parallelism > _MAX_OF_MANY:
        causes.append(invalid(f"{path}.parallelism", parallelism, why))
    if max_failed is not None and max_failed > _MAX_OF_MANY:
        causes.append(invalid(f"{path}.maxFailedIndexes", max_failed, why))


# --- podFailurePolicy


def _check_failure_policy(path: str, spec: Object, causes: Causes) -> None:
    rules: list[Any] = dig_list(spec, "podFailurePolicy", "rules")
    if len(rules) > _MAX_RULES:
        causes.append(too_many(f"{path}.rules", len(rules), _MAX_RULES))
    for number, rule in enumerate(rules):
        _check_rule(f"{path}.rules[{number}]", rule, spec, causes)


def _check_rule(path: str, rule: Object, spec: Object, causes: Causes) -> None:
    action = rule.get("action") or ""
    if action == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
        causes.append(invalid(f"{path}.action", action, "requires the backoffLimitPerIndex to be set"))
    else:
        _check_choice(f"{path}.action", action, _ACTIONS, causes)
    codes, conditions = rule.get("onExitCodes"), dig_list(rule, "onPodConditions")
    if codes is not None:
        _check_exit_codes(f"{path}.onExitCodes", codes, spec, causes)
    if len(conditions) > _MAX_CONDITIONS:
        causes.append(too_many(f"{path}.onPodConditions", len(conditions), _MAX_CONDITIONS))
    for number, condition in enumerate(conditions):
        where = f"{path}.onPodConditions[{number}]"
        check_label_key(f"{where}.type", condition.get("type") or "", causes)
        _check_choice(f"{where}.status", condition.get("status") or "", _STATUSES, causes)
    if codes is not None and conditions:
        causes.append(_without_value(path, "specifying both OnExitCodes and OnPodConditions is not supported"))
    if codes is None and not conditions:
        causes.append(_without_value(path, "specifying one of OnExitCodes and OnPodConditions is required"))


def _check_choice(path: str, value: str, supported: tuple[str, ...], causes: Causes) -> None:
    if not value:
        listed = " ".join(f'"{name}"' for name in supported)
        causes.append(required(path, f"valid values: [{listed}]"))
    elif value not in supported:
        causes.append(unsupported(path, value, supported))


def _without_value(path: str, why: str) -> Cause:
    return Cause(path, f"Invalid value: {why}")


def _check_exit_codes(path: str, codes: Object, spec: Object, causes: Causes) -> None:
    operator = codes.get("operator") or ""
    _check_choice(f"{path}.operator", operator, _OPERATORS, causes)
    name = codes.get("containerName")
    if name is not None and name not in _container_names(spec):
        why = "must be one of the container or initContainer names in the pod template"
        causes.append(invalid(f"{path}.containerName", name, why))
    values: list[int] = codes.get("values") or []
    if not values:
        causes.append(invalid(f"{path}.values", values, "at least one value is required"))
    elif len(values) > _MAX_EXIT_CODES:
        causes.append(too_many(f"{path}.values", len(values), _MAX_EXIT_CODES))
    for number, value in enumerate(values):
        if operator == "In" and value == 0:
            causes.append(invalid(f"{path}.values[{number}]", value, "must not be 0 for the In operator"))
        if value in values[:number]:
            causes.append(duplicate(f"{path}.values[{number}]", value))
    if values != sorted(values):
        causes.append(invalid(f"{path}.values", values, "must be ordered"))


def _container_names(spec: Object) -> set[str]:
    pod = dig_object(spec, "template", "spec")
    return {dig(one, "name") for field in ("containers", "initContainers") for one in dig_list(pod, field)}


# --- successPolicy


def _check_success_policy(path: str, spec: Object, completions: int, causes: Causes) -> None:
    rules: list[Any] = dig_list(spec, "successPolicy", "rules")
    if not rules:
        why = "at least one rules must be specified when the successPolicy is specified"
        causes.append(required(f"{path}.rules", why))
    if len(rules) > _MAX_RULES:
        causes.append(too_many(f"{path}.rules", len(rules), _MAX_RULES))
    for number, rule in enumerate(rules):
        _check_success_rule(f"{path}.rules[{number}]", rule, completions, causes)


def _check_success_rule(path: str, rule: Object, completions: int, causes: Causes) -> None:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        causes.append(required(path, "at least one of succeededCount or succeededIndexes must be specified"))
    named: int | None = None
    if indexes is not None:
        try:
            named = _count_indexes(indexes, completions)
        except ValueError as bad:
            causes.append(invalid(f"{path}.succeededIndexes", indexes, f"error parsing succeededIndexes: {bad}"))
    if count is None:
        return
    check_not_negative(f"{path}.succeededCount", count, causes)
    if count > completions:
        why = f"must be less than or equal to {completions} (the number of specified completions)"
        causes.append(invalid(f"{path}.succeededCount", count, why))
    if named is not None and count > named:
        which = "the number of indexes in the specified succeededIndexes field"
        causes.append(invalid(f"{path}.succeededCount", count, f"must be less than or equal to {named} ({which})"))


def _count_indexes(text: str, completions: int) -> int:
    """Count the indexes in text such as `0,3-5`; raises ValueError with Kubernetes' message."""
    total, last = 0, -1
    for part in text.split(",") if text else []:
        limits = part.split("-")
        if len(limits) > 2:
            rule = "an index interval can have at most two parts separated by '-'"
            raise ValueError(f'the fragment "{part}" violates the requirement that {rule}')
        for limit in limits:
            if not limit.isdecimal():
                raise ValueError(f'cannot convert string to integer for index: "{limit}"')
            if int(limit) >= completions:
                raise ValueError(f'too large index: "{limit}"')
        first, final = int(limits[0]), int(limits[-1])
        if first <= last or (len(limits) == 2 and final <= first):
            before, now = (last, first) if first <= last else (first, final)
            raise ValueError(f"non-increasing order, previous: {before}, current: {now}")
        total, last = total + final - first + 1, final
    return total
