"""The group `autoscaling`: HorizontalPodAutoscaler, stored as v2 and also served as v1.

Fields that v1 lacks (metrics other than CPU, behavior, conditions) are kept in annotations, as in Kubernetes, so that a
client of v1 that reads, changes and writes loses nothing.
"""

from functools import partial
from typing import Any

from windlass.apiserver.builtin.fields import Causes, canonical, check_not_negative, unsupported
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain
from windlass.kube.errors import Cause, invalid, required
from windlass.kube.json import BadJson, Object, dig, dig_list, dig_object, encode, is_list, is_object, parse

_ANNOTATION = "autoscaling.alpha.kubernetes.io/"
_METRIC_FIELDS = {
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
}
_UP = [{"type": "Pods", "value": 4, "periodSeconds": 15}, {"type": "Percent", "value": 100, "periodSeconds": 15}]
_DOWN = [{"type": "Percent", "value": 100, "periodSeconds": 15}]


def _cpu_metric(percent: int) -> Object:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


class Autoscalers(Plain):
    initial_status = {"desiredReplicas": 0}

    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        spec.setdefault("minReplicas", 1)
        if not spec.get("metrics"):
            spec["metrics"] = [_cpu_metric(80)]
        for metric in spec["metrics"]:
            for field in _METRIC_FIELDS.values():
                target = dig_object(metric, field, "target")
                for amount in ("value", "averageValue"):
                    if amount in target:
                        target[amount] = canonical(target[amount])
        behavior = spec.get("behavior")
        if behavior is not None:
            _default_rules(behavior.setdefault("scaleUp", {}), _UP, 0)
            _default_rules(behavior.setdefault("scaleDown", {}), _DOWN, None)

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        least, most = spec.get("minReplicas", 1), spec.get("maxReplicas", 0)
        if least < 1:
            causes.append(invalid("spec.minReplicas", least, "must be greater than or equal to 1"))
        if most < 1:
            causes.append(invalid("spec.maxReplicas", most, "must be greater than 0"))
        if most < least:
            causes.append(invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"))
        for field in ("kind", "name"):
            if not dig(spec, "scaleTargetRef", field):
                causes.append(required(f"spec.scaleTargetRef.{field}"))
        for index, metric in enumerate(dig_list(spec, "metrics")):
            _check_metric(f"spec.metrics[{index}]", metric, causes)
        for direction in ("scaleUp", "scaleDown"):
            _check_rules(f"spec.behavior.{direction}", dig_object(spec, "behavior", direction), causes)
        return causes


def _default_rules(rules: Object, policies: list[Object], window: int | None) -> None:
    rules.setdefault("selectPolicy", "Max")
    if window is not None:
        rules.setdefault("stabilizationWindowSeconds", window)
    if not rules.get("policies"):
        rules["policies"] = [dict(policy) for policy in policies]


def _check_rules(path: str, rules: Object, causes: Causes) -> None:
    check_not_negative(f"{path}.stabilizationWindowSeconds", rules.get("stabilizationWindowSeconds"), causes)
    for index, policy in enumerate(dig_list(rules, "policies")):
        for field in ("value", "periodSeconds"):
            if policy.get(field, 0) <= 0:
                causes.append(
                    invalid(f"{path}.policies[{index}].{field}", policy.get(field, 0), "must be greater than zero")
                )


def _check_metric(path: str, metric: Object, causes: Causes) -> None:
    kind = metric.get("type", "")
    if not kind:
        causes.append(required(f"{path}.type", "must specify a metric source type"))
        return
    field = _METRIC_FIELDS.get(kind)
    if field is None:
        causes.append(unsupported(f"{path}.type", kind, sorted(_METRIC_FIELDS)))
        return
    source = metric.get(field)
    if source is None:
        causes.append(required(f"{path}.{field}", "must populate information for the given metric source"))
        return
    if field in ("resource", "containerResource") and not source.get("name"):
        causes.append(required(f"{path}.{field}.name", "must specify a resource name"))
    target = dig_object(source, "target")
    if not target.get("type"):
        causes.append(required(f"{path}.{field}.target.type", "must specify a metric target type"))
    utilization = target.get("averageUtilization")
    if utilization is not None and utilization < 1:
        causes.append(invalid(f"{path}.{field}.target.averageUtilization", utilization, "must be greater than 0"))


class OldAutoscalers(Autoscalers):
    """The same kind in v1, whose only metric is CPU."""

    def default(self, obj: Object) -> None:
        obj.setdefault("spec", {}).setdefault("minReplicas", 1)

    def validate(self, obj: Object) -> list[Cause]:
        return super().validate(to_v2(obj))


def to_v2(old: Object) -> Object:
    """Convert a v1 autoscaler to the stored version."""
    spec, status = dict(dig_object(old, "spec")), dict(dig_object(old, "status"))
    annotations = dict(dig_object(old, "metadata", "annotations"))
    metrics: list[Any] = []
    percent = spec.pop("targetCPUUtilizationPercentage", None)
    if percent is not None:
        metrics.append(_cpu_metric(percent))
    kept = _taken(annotations, "metrics")
    metrics += kept if is_list(kept) else []
    spec["metrics"] = metrics or [_cpu_metric(80)]
    behavior = _taken(annotations, "behavior")
    if is_object(behavior):
        spec["behavior"] = behavior
    current = status.pop("currentCPUUtilizationPercentage", None)
    shown = _taken(annotations, "current-metrics")
    measured: list[Any] = shown if is_list(shown) else []
    if current is not None:
        source = {"name": "cpu", "current": {"averageUtilization": current}}
        measured = [{"type": "Resource", "resource": source}, *measured]
    if measured:
        status["currentMetrics"] = measured
    conditions = _taken(annotations, "conditions")
    if is_list(conditions):
        status["conditions"] = conditions
    return _rebuilt(old, "autoscaling/v2", annotations, spec, status)


def from_v2(stored: Object) -> Object:
    """Convert a stored autoscaler to v1."""
    spec, status = dict(dig_object(stored, "spec")), dict(dig_object(stored, "status"))
    annotations = dict(dig_object(stored, "metadata", "annotations"))
    others: list[Any] = []
    for metric in spec.pop("metrics", []):
        percent = dig(metric, "resource", "target", "averageUtilization")
        if (
            dig(metric, "resource", "name") == "cpu"
            and percent is not None
            and "targetCPUUtilizationPercentage" not in spec
        ):
            spec["targetCPUUtilizationPercentage"] = percent
        else:
            others.append(metric)
    measured: list[Any] = []
    for metric in dig_list(status, "currentMetrics"):
        percent = dig(metric, "resource", "current", "averageUtilization")
        if dig(metric, "resource", "name") == "cpu" and percent is not None:
            status["currentCPUUtilizationPercentage"] = percent
        else:
            measured.append(metric)
    status.pop("currentMetrics", None)
    status.setdefault("currentReplicas", 0)
    status.setdefault("desiredReplicas", 0)
    for name, value in (
        ("metrics", others),
        ("behavior", spec.pop("behavior", None)),
        ("current-metrics", measured),
        ("conditions", status.pop("conditions", None)),
    ):
        if value:
            annotations[f"{_ANNOTATION}{name}"] = encode(value).decode()
    return _rebuilt(stored, "autoscaling/v1", annotations, spec, status)


def _taken(annotations: Object, name: str) -> Any:
    """Remove an annotation and return its decoded value; None if it is absent."""
    text = annotations.pop(f"{_ANNOTATION}{name}", None)
    if text is None:
        return None
    try:
        return parse(text)
    except BadJson:
        return None


def _rebuilt(obj: Object, api_version: str, annotations: Object, spec: Object, status: Object) -> Object:
    meta = {field: value for field, value in dig_object(obj, "metadata").items() if field != "annotations"}
    if annotations:
        meta["annotations"] = annotations
    rebuilt: Object = {**obj, "apiVersion": api_version, "metadata": meta, "spec": spec}
    if "status" in obj:
        rebuilt["status"] = status
    return rebuilt


_autoscaler = partial(resource, namespaced=True, categories=("all",), subresources=("status",), storage_version="v2")
_NAMES = ("HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa")

RESOURCES = (
    _autoscaler("autoscaling", "v2", *_NAMES, strategy=Autoscalers),
    _autoscaler("autoscaling", "v1", *_NAMES, strategy=OldAutoscalers, to_storage=to_v2, from_storage=from_v2),
)
