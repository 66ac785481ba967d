"""The metrics of an autoscaler, asked of the three metrics APIs, each turned into a replica count and its status."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from windlass.apis.core_v1 import Json, Pod
from windlass.controllers.core.autoscaling_counts import (
    Count,
    NoMetrics,
    Sample,
    Tolerance,
    by_average,
    by_shared_average,
    by_utilization,
    by_value,
    group,
)
from windlass.kube.api import Api
from windlass.kube.errors import ApiError, NotFound
from windlass.kube.json import dig, dig_list, dig_object
from windlass.kube.kind import Kind
from windlass.kube.meta import parse_time
from windlass.kube.moments import span
from windlass.kube.quantity import Quantity
from windlass.kube.selector import from_object
from windlass.kube.view import untyped

RESOURCE = Kind(group="metrics.k8s.io", version="v1beta1", name="PodMetrics", plural="pods")
FAILURES = {
    "Resource": "FailedGetResourceMetric",
    "ContainerResource": "FailedGetContainerResourceMetric",
    "Pods": "FailedGetPodsMetric",
    "Object": "FailedGetObjectMetric",
    "External": "FailedGetExternalMetric",
}
CUSTOM_VERSIONS = ("v1beta2", "v1beta1")
_NOT_SERVED = "the server could not find the requested resource"
_FIELDS = {"ContainerResource": "containerResource"}


@dataclass(frozen=True, slots=True)
class Target:
    """What is scaled: its pods by `selector`, and how many it has."""

    namespace: str
    selector: str
    replicas: int
    status_replicas: int
    pods: list[Pod]
    tolerance: Tolerance
    now: datetime


@dataclass(frozen=True, slots=True)
class Proposal:
    replicas: int
    name: str
    status: Json


class Failed(Exception):
    """A metric that could not be had; `reason` is the condition's."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


async def proposal_of(metric: Json, target: Target, api: Api) -> Proposal:
    kind = str(metric.get("type"))
    try:
        if kind in ("Resource", "ContainerResource"):
            return await _resource(kind, dig_object(metric, _FIELDS.get(kind, "resource")), target, api)
        if kind == "Pods":
            return await _pods(dig_object(metric, "pods"), target, api)
        if kind == "Object":
            return await _object(dig_object(metric, "object"), target, api)
        return await _external(dig_object(metric, "external"), target, api)
    except (ApiError, NoMetrics, ValueError) as error:
        raise Failed(FAILURES.get(kind, "InvalidMetricSourceType"), f"{_prefix(kind, metric)}{error}") from error


def _prefix(kind: str, metric: Json) -> str:
    if kind in ("Resource", "ContainerResource"):
        source = dig_object(metric, _FIELDS.get(kind, "resource"))
        utilization = dig(source, "target", "averageUtilization") is not None
        what = "utilization" if utilization else "resource usage"
        return f"failed to get {source.get('name')} {what}: "
    return f"unable to get {kind.lower()} metric {dig(metric, kind.lower(), 'metric', 'name')}: "


# --- what pods use


async def _resource(kind: str, source: Json, target: Target, api: Api) -> Proposal:
    resource, container = str(source["name"]), str(source.get("container") or "")
    samples = await _samples(resource, container, target, api)
    groups = group(target.pods, samples, cpu=resource == "cpu", now=target.now)
    field = "containerResource" if kind == "ContainerResource" else "resource"
    shown: Json = {"name": resource, **({"container": container} if container else {})}
    label = f"{resource} {'container resource' if container else 'resource'}"
    percent = dig(source, "target", "averageUtilization")
    if percent is not None:
        requests = _requests(target.pods, resource, container)
        count = by_utilization(target.replicas, percent, samples, requests, groups, target.tolerance)
        label += " utilization (percentage of request)"
        shown["current"] = {"averageUtilization": count.utilization, "averageValue": _amount(count.average, resource)}
    else:
        count = by_average(target.replicas, _milli(source, "averageValue"), samples, groups, target.tolerance)
        shown["current"] = {"averageValue": _amount(count.average, resource)}
    return Proposal(count.replicas, label, {"type": kind, field: shown})


async def _samples(resource: str, container: str, target: Target, api: Api) -> dict[str, Sample]:
    found = (await api.list(untyped(RESOURCE), target.namespace, labels=target.selector)).items
    samples: dict[str, Sample] = {}
    for item in found:
        used = [
            dig(part, "usage", resource)
            for part in dig_list(item, "containers")
            if not container or part.get("name") == container
        ]
        if used and all(amount is not None for amount in used):
            value = sum(Quantity.parse(amount).milli() for amount in used)
            samples[item["metadata"]["name"]] = Sample(value, _moment(item, target.now), _window(item))
    if not samples:
        raise NoMetrics(f"unable to get metrics for resource {resource}: no metrics returned from resource metrics API")
    return samples


def _moment(item: Json, now: datetime) -> datetime:
    return parse_time(item["timestamp"]) if item.get("timestamp") else now.astimezone(UTC)


def _window(item: Json) -> timedelta:
    """`30s`, `1m0s`: a Go duration of minutes and seconds."""
    text, seconds, digits = str(item.get("window") or "60s"), 0.0, ""
    for letter in text:
        if letter in "hms":
            seconds += float(digits or 0) * {"h": 3600, "m": 60, "s": 1}[letter]
            digits = ""
        elif letter.isdigit() or letter == ".":
            digits += letter
    return span(seconds)


def _requests(pods: list[Pod], resource: str, container: str) -> dict[str, int]:
    requests: dict[str, int] = {}
    for pod in pods:
        sidecars = [one for one in pod.spec.init_containers if one.restart_policy == "Always"]
        total = 0
        for one in (*pod.spec.containers, *sidecars):
            if container and one.name != container:
                continue
            asked = one.resources.requests.get(resource)
            if asked is None:
                raise NoMetrics(f"missing request for {resource} in container {one.name} of Pod {pod.metadata.name}")
            total += Quantity.parse(asked).milli()
        requests[pod.metadata.name] = total
    return requests


# --- what others measure


def _value(item: Json) -> int:
    return Quantity.parse(item["value"]).milli()


def _selector(source: Json) -> str:
    """Which of a metric's series are meant."""
    return str(from_object(dig(source, "metric", "selector") or {}))


async def _custom(path: str, source: Json, namespace: str, api: Api, *, labels: str = "") -> list[Json]:
    """The values of a metric, of the newest version of the custom metrics API that is served."""
    selector = _selector(source)
    query = {"metricLabelSelector": selector} if selector else {}
    for version in CUSTOM_VERSIONS:
        kind = Kind(group="custom.metrics.k8s.io", version=version, name="MetricValue", plural=path)
        try:
            return (await api.list(untyped(kind), namespace, labels=labels, query=query)).items
        except NotFound as error:
            if str(error) != _NOT_SERVED:
                raise
    raise NoMetrics("no custom metrics API (custom.metrics.k8s.io) registered")


async def _pods(source: Json, target: Target, api: Api) -> Proposal:
    name = str(dig(source, "metric", "name"))
    found = await _custom(f"pods/*/{name}", source, target.namespace, api, labels=target.selector)
    samples = {
        str(dig(item, "describedObject", "name")): Sample(_value(item), _moment(item, target.now)) for item in found
    }
    if not samples:
        raise NoMetrics("no metrics returned from custom metrics API")
    groups = group(target.pods, samples, cpu=False, now=target.now)
    count = by_average(target.replicas, _milli(source, "averageValue"), samples, groups, target.tolerance)
    shown: Json = {"metric": source.get("metric"), "current": {"averageValue": str(Quantity.of_milli(count.average))}}
    return Proposal(count.replicas, f"pods metric {name}", {"type": "Pods", "pods": shown})


async def _object(source: Json, target: Target, api: Api) -> Proposal:
    name, described = str(dig(source, "metric", "name")), dig_object(source, "describedObject")
    kind = await api.find_kind(str(described.get("apiVersion") or "v1"), str(described.get("kind")))
    path = f"{kind.group_resource}/{described.get('name')}/{name}"
    if kind.group_resource == "namespaces":  # its own, whichever is named: an autoscaler sees no other
        path = f"metrics/{name}"
    found = await _custom(path, source, target.namespace, api)
    if not found:
        raise NoMetrics("no metrics returned from custom metrics API")
    count, current = _shared(source, _value(found[0]), target)
    shown: Json = {"metric": source.get("metric"), "describedObject": described, "current": current}
    return Proposal(count.replicas, f"{described.get('kind')} metric {name}", {"type": "Object", "object": shown})


async def _external(source: Json, target: Target, api: Api) -> Proposal:
    name = str(dig(source, "metric", "name"))
    kind = Kind(group="external.metrics.k8s.io", version="v1beta1", name="ExternalMetricValue", plural=name)
    found = (await api.list(untyped(kind), target.namespace, labels=_selector(source))).items
    if not found:
        raise NoMetrics("no metrics returned from external metrics API")
    count, current = _shared(source, sum(_value(item) for item in found), target)
    shown: Json = {"metric": source.get("metric"), "current": current}
    return Proposal(count.replicas, f"external metric {name}", {"type": "External", "external": shown})


def _shared(source: Json, usage: int, target: Target) -> tuple[Count, Json]:
    if dig(source, "target", "averageValue") is not None:
        wanted = _milli(source, "averageValue")
        count = by_shared_average(target.status_replicas, wanted, usage, target.tolerance)
        return count, {"averageValue": str(Quantity.of_milli(count.average))}
    ready = sum(pod.status.phase == "Running" and _is_ready(pod) for pod in target.pods)
    count = by_value(target.replicas, ready, _milli(source, "value"), usage, target.tolerance)
    return count, {"value": str(Quantity.of_milli(usage))}


def _is_ready(pod: Pod) -> bool:
    return any(one.type == "Ready" and one.status == "True" for one in pod.status.conditions)


def _milli(source: Mapping[str, object], field: str) -> int:
    return Quantity.parse(dig(source, "target", field)).milli()


def _amount(milli: int, resource: str) -> str:
    """Bytes are shown whole, CPU in thousandths of a core."""
    return str(Quantity.of_milli(milli)) if resource == "cpu" else str(Quantity(milli // 1000 * 10**9))
