"""LimitRange: default requests and limits of containers, and bounds on them."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apis.quota_usage import container_limits, container_requests, pod_amounts
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.api import Api
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.quantity import Quantity

ANNOTATION = "kubernetes.io/limit-ranger"
_RANGES = "/limitranges"
_PODS = "/pods"
_CLAIMS = "/persistentvolumeclaims"

Amounts: TypeAlias = dict[str, Quantity]


class LimitRanges(Plugin):
    """Applies the LimitRanges of a namespace to its pods and claims."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def applies(self, operation: str, store_key: str, subresource: str) -> bool:
        """Skip updates of pods other than a resize: only a resize changes the resources of containers."""
        if store_key == _PODS:
            return (operation, subresource) in (("CREATE", ""), ("UPDATE", "resize"))
        return store_key == _CLAIMS and operation in ("CREATE", "UPDATE") and not subresource

    def _ranges(self, attributes: Attributes) -> list[Object]:
        if not self._api.store.count(_RANGES, attributes.namespace):
            return []
        found = self._api.read_all(_RANGES, attributes.namespace)
        return sorted(found, key=lambda limit_range: limit_range["metadata"]["name"])

    def mutate(self, attributes: Attributes) -> None:
        if attributes.resource.store_key == _PODS and attributes.obj is not None:
            for limit_range in self._ranges(attributes):
                _fill_pod(attributes.obj, _items(limit_range, "Container"))

    def validate(self, attributes: Attributes) -> None:
        obj, ranges = attributes.obj, self._ranges(attributes)
        if not ranges or obj is None or dig(obj, "metadata", "deletionTimestamp"):
            return
        problems_of = pod_problems if attributes.resource.store_key == _PODS else claim_problems
        for limit_range in ranges:
            problems = list(dict.fromkeys(problems_of(limit_range, obj)))
            if problems:
                raise attributes.forbid(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")


def _items(limit_range: Object, kind: str) -> list[Object]:
    return [item for item in dig_list(limit_range, "spec", "limits") if item.get("type") == kind]


# Defaults


def _fill_pod(pod: Object, items: list[Object]) -> None:
    limits: Object = {}
    requests: Object = {}
    for item in items:
        limits |= dig_object(item, "default")
        requests |= dig_object(item, "defaultRequest")
    told = [
        words
        for kind, field in (("container", "containers"), ("init container", "initContainers"))
        for container in dig_list(pod, "spec", field)
        for words in _fill(container, kind, limits, requests)
    ]
    if told:
        annotations: Object = pod["metadata"].setdefault("annotations", {})
        annotations[ANNOTATION] = f"LimitRanger plugin set: {'; '.join(told)}"


def _fill(container: Object, kind: str, limits: Object, requests: Object) -> Iterator[str]:
    """Set the missing resources of a container; return those that were set, in the annotation's wording."""
    for field, word, defaults in (("requests", "request", requests), ("limits", "limit", limits)):
        given = dig_object(container, "resources", field)
        lacking = {name: amount for name, amount in defaults.items() if name not in given}
        if lacking:
            container.setdefault("resources", {})[field] = {**given, **lacking}
            yield f"{', '.join(sorted(lacking))} {word} for {kind} {container.get('name')}"


# Bounds


def pod_problems(limit_range: Object, obj: Object) -> Iterator[str]:
    """Return the violations of a range by a pod, in Kubernetes' wording."""
    pod = msgspec.convert(obj, Pod)
    for item in _items(limit_range, "Container"):
        for container in (*pod.spec.containers, *pod.spec.init_containers):
            yield from _problems(item, _parsed(container.resources.requests), _parsed(container.resources.limits))
    for item in _items(limit_range, "Pod"):
        yield from _problems(item, pod_amounts(pod, container_requests), pod_amounts(pod, container_limits))


def claim_problems(limit_range: Object, obj: Object) -> Iterator[str]:
    requests = _parsed(dig_object(obj, "spec", "resources", "requests"))
    for item in _items(limit_range, "PersistentVolumeClaim"):
        yield from _each(item, "min", lambda name, bound: _below(name, bound, requests, {}))
        yield from _each(item, "max", lambda name, bound: _above(name, bound, requests, "request", {}))


def _parsed(amounts: Object) -> Amounts:
    return {name: Quantity.parse(amount) for name, amount in amounts.items()}


def _problems(item: Object, requests: Amounts, limits: Amounts) -> Iterator[str]:
    yield from _each(item, "min", lambda name, bound: _below(name, bound, requests, limits))
    yield from _each(item, "max", lambda name, bound: _above(name, bound, limits, "limit", requests))
    for name, bound in sorted(_parsed(dig_object(item, "maxLimitRequestRatio")).items()):
        if why := _beyond_ratio(bound, requests.get(name), limits.get(name)):
            yield f"{name} max limit to request ratio per {item['type']} is {bound}, but {why}"


def _each(item: Object, field: str, problem: Callable[[str, Quantity], str]) -> Iterator[str]:
    for name, bound in sorted(_parsed(dig_object(item, field)).items()):
        if why := problem(name, bound):
            yield f"{field}imum {name} usage per {item['type']} is {bound}{why}"


def _below(name: str, bound: Quantity, requests: Amounts, limits: Amounts) -> str:
    if name not in requests:
        return ".  No request is specified"
    if requests[name] < bound:
        return f", but request is {requests[name]}"
    return f", but limit is {limits[name]}" if name in limits and limits[name] < bound else ""


def _above(name: str, bound: Quantity, asked: Amounts, word: str, requests: Amounts) -> str:
    if name not in asked:
        return f".  No {word} is specified"
    if asked[name] > bound:
        return f", but {word} is {asked[name]}"
    return f", but request is {requests[name]}" if name in requests and requests[name] > bound else ""


def _beyond_ratio(bound: Quantity, request: Quantity | None, limit: Quantity | None) -> str:
    if not request:
        return "no request is specified or request is 0"
    if not limit:
        return "no limit is specified or limit is 0"
    ratio = limit.nano / request.nano
    return f"provided ratio is {ratio:.6f}" if ratio * 1000 > bound.milli() else ""
