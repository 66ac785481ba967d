"""LimitRange: defaults for containers that ask for nothing, and bounds for those that ask."""

from collections.abc import Iterable, Iterator
from typing import Any

from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.api import Api
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.quantity import Quantity

_ANNOTATION = "kubernetes.io/limit-ranger"
_RANGES = "/limitranges"


class LimitRanges(Plugin):
    """Applies to pods and claims of a namespace that has LimitRanges."""

    kinds = frozenset({"/pods", "/persistentvolumeclaims"})

    def __init__(self, api: Api) -> None:
        self._api = api

    def _items(self, namespace: str, kind: str) -> Iterator[Object]:
        for limit_range in self._api.read_all(_RANGES, namespace):
            for item in dig_list(limit_range, "spec", "limits"):
                if item.get("type") == kind:
                    yield item

    def mutate(self, attributes: Attributes) -> None:
        pod = attributes.obj
        if pod is None or attributes.resource.store_key != "/pods" or not self._api.store.count(_RANGES):
            return
        told: list[str] = []
        for item in self._items(attributes.namespace, "Container"):
            for container in _containers(pod):
                told += _fill(container, dig_object(item, "default"), dig_object(item, "defaultRequest"))
        if told:
            annotations: Object = pod["metadata"].setdefault("annotations", {})
            annotations[_ANNOTATION] = f"LimitRanger plugin set: {'; '.join(told)}"

    def validate(self, attributes: Attributes) -> None:
        if attributes.obj is None or not self._api.store.count(_RANGES):
            return
        problems: list[str] = []
        if attributes.resource.store_key == "/pods":
            for item in self._items(attributes.namespace, "Container"):
                for container in _containers(attributes.obj):
                    resources = dig_object(container, "resources")
                    problems += _out_of_bounds(
                        item, "Container", dig_object(resources, "requests"), dig_object(resources, "limits")
                    )
            for item in self._items(attributes.namespace, "Pod"):
                problems += _out_of_bounds(
                    item, "Pod", _total(attributes.obj, "requests"), _total(attributes.obj, "limits")
                )
        else:
            resources = dig_object(attributes.obj, "spec", "resources")
            for item in self._items(attributes.namespace, "PersistentVolumeClaim"):
                requests = dig_object(resources, "requests")
                problems += _out_of_bounds(item, "PersistentVolumeClaim", requests, requests)
        if problems:
            raise attributes.forbid(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")


def _containers(pod: Object) -> Iterable[Object]:
    return [*dig_list(pod, "spec", "initContainers"), *dig_list(pod, "spec", "containers")]


def _fill(container: Object, limits: Object, requests: Object) -> list[str]:
    """Set what the container does not; what was set, in the annotation's words."""
    if not limits and not requests:
        return []
    resources: Object = container.setdefault("resources", {})
    told: list[str] = []
    own_limits, own_requests = dict(dig_object(resources, "limits")), dict(dig_object(resources, "requests"))
    # A request that is not given follows the container's own limit before the range's default.
    wanted = {**requests, **{name: value for name, value in own_limits.items() if name in requests or name in limits}}
    for kind, own, given in (("request", own_requests, {**limits, **wanted}), ("limit", own_limits, limits)):
        set_now = [name for name in given if name not in own]
        if kind == "request":
            set_now = [name for name in set_now if name in requests or name in own_limits or name in limits]
        for name in set_now:
            own[name] = given[name]
        if set_now:
            told.append(f"{', '.join(sorted(set_now))} {kind} for container {container.get('name')}")
    if own_limits:
        resources["limits"] = own_limits
    if own_requests:
        resources["requests"] = own_requests
    return told


def _total(pod: Object, kind: str) -> Object:
    """What a pod asks for: all its containers together, or its greediest init container."""
    totals: dict[str, Any] = {}
    for container in dig_list(pod, "spec", "containers"):
        for name, value in dig_object(container, "resources", kind).items():
            totals[name] = totals[name] + Quantity.parse(value) if name in totals else Quantity.parse(value)
    for container in dig_list(pod, "spec", "initContainers"):
        for name, value in dig_object(container, "resources", kind).items():
            asked = Quantity.parse(value)
            totals[name] = max(totals[name], asked) if name in totals else asked
    return {name: str(value) for name, value in totals.items()}


def _out_of_bounds(item: Object, kind: str, requests: Object, limits: Object) -> list[str]:
    problems: list[str] = []
    for name, bound in dig_object(item, "min").items():
        asked = requests.get(name)
        if asked is None:
            problems.append(f"minimum {name} usage per {kind} is {bound}.  No request is specified")
        elif Quantity.parse(asked) < Quantity.parse(bound):
            problems.append(f"minimum {name} usage per {kind} is {bound}, but request is {asked}")
    for name, bound in dig_object(item, "max").items():
        asked = limits.get(name)
        word = "request" if kind == "PersistentVolumeClaim" else "limit"
        if asked is None:
            problems.append(f"maximum {name} usage per {kind} is {bound}.  No limit is specified")
        elif Quantity.parse(asked) > Quantity.parse(bound):
            problems.append(f"maximum {name} usage per {kind} is {bound}, but {word} is {asked}")
    for name, bound in dig_object(item, "maxLimitRequestRatio").items():
        problems += _ratio_problem(name, kind, str(bound), dig(requests, name), dig(limits, name))
    return problems


def _ratio_problem(name: str, kind: str, bound: str, request: Any, limit: Any) -> list[str]:
    if request is None or limit is None:
        missing = "request" if request is None else "limit"
        return [
            f"{name} max limit to request ratio per {kind} is {bound}, but no {missing} is specified or {missing} is 0"
        ]
    asked, most = Quantity.parse(request).milli(), Quantity.parse(limit).milli()
    if not asked or most <= Quantity.parse(bound).milli() * asked / 1000:
        return []
    return [f"{name} max limit to request ratio per {kind} is {bound}, but provided ratio is {most / asked:.6f}"]
