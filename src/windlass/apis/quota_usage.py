"""Usage of ResourceQuotas: pure arithmetic, for the admission plug-in that enforces and the controller that reports.

Each object has a usage: an amount for every name that a quota may limit (`pods`, `requests.cpu`, `count/pods` …).
Usages add up; a quota's `used` is their sum over the objects in its scope, for the names in its `spec.hard`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from windlass.apis.core_v1 import (
    Container,
    PersistentVolumeClaim,
    Pod,
    ResourceList,
    ResourceQuota,
    ScopedSelectorRequirement,
    Service,
)
from windlass.apis.wellknown import BETA_STORAGE_CLASS_ANNOTATION
from windlass.kube.json import dig, dig_list
from windlass.kube.quantity import Quantity

Usage: TypeAlias = dict[str, Quantity]

ZERO = Quantity(0)
ONE = Quantity.parse(1)
FINISHED = ("Succeeded", "Failed")
COMPUTE = ("cpu", "memory", "ephemeral-storage")
STORAGE_CLASS = ".storageclass.storage.k8s.io/"
PLAIN_COUNTS = ("configmaps", "secrets", "replicationcontrollers", "resourcequotas")
FROM_OBJECTS = ("pods", "services", "persistentvolumeclaims")
_MUST_BE_SAID = frozenset(prefix + name for prefix in ("", "requests.", "limits.") for name in COMPUTE[:2])


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a namespace that quotas count. `counts` is by resource, as in `secrets` or `jobs.batch`."""

    pods: Sequence[Pod] = ()
    services: Sequence[Service] = ()
    claims: Sequence[PersistentVolumeClaim] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])


def used(quota: ResourceQuota, contents: Contents) -> dict[str, str]:
    """Compute the usage of each name in `spec.hard`."""
    totals: Usage = {}
    for pod in contents.pods:
        if in_scope(quota, pod):
            add(totals, pod_usage(pod))
    if not is_scoped(quota):
        for service in contents.services:
            add(totals, service_usage(service))
        for claim in contents.claims:
            add(totals, claim_usage(claim))
        for resource, count in contents.counts.items():
            totals |= dict.fromkeys(count_names(resource), Quantity.parse(count))
    return {name: str(totals.get(name, ZERO)) for name in quota.spec.hard}


def add(totals: Usage, usage: Usage) -> None:
    """Add `usage` to `totals`, in place."""
    for name, amount in usage.items():
        known = totals.get(name)
        totals[name] = amount if known is None else known + amount


def subtract(totals: Usage, usage: Usage) -> None:
    for name, amount in usage.items():
        totals[name] = totals.get(name, ZERO) - amount


# What one object uses


def counted_resource(name: str) -> str | None:
    """The resource whose objects a quota entry counts, and whose count `Contents` must provide."""
    if name in PLAIN_COUNTS:
        return name
    resource = name.removeprefix("count/")
    return resource if resource != name and resource not in FROM_OBJECTS else None


def count_names(resource: str) -> tuple[str, ...]:
    """The quota entries that count the objects of a resource (`secrets`, `jobs.batch`)."""
    return (resource, f"count/{resource}") if resource in PLAIN_COUNTS else (f"count/{resource}",)


def service_usage(service: Service) -> Usage:
    spec = service.spec
    usage = {"services": ONE, "count/services": ONE}
    if spec.type == "LoadBalancer":
        usage["services.loadbalancers"] = ONE
    if spec.type in ("NodePort", "LoadBalancer"):
        wanted = spec.type == "NodePort" or spec.allocate_load_balancer_node_ports is not False
        ports = spec.ports if wanted else [port for port in spec.ports if port.node_port]
        usage["services.nodeports"] = Quantity.parse(len(ports))
    return usage


def claim_usage(claim: PersistentVolumeClaim) -> Usage:
    usage = {"persistentvolumeclaims": ONE, "count/persistentvolumeclaims": ONE}
    storage = Quantity.parse(claim.spec.resources.requests.get("storage", 0))
    if storage:
        usage["requests.storage"] = storage
    storage_class = claim.metadata.annotations.get(BETA_STORAGE_CLASS_ANNOTATION) or claim.spec.storage_class_name
    if storage_class:
        usage[f"{storage_class}{STORAGE_CLASS}persistentvolumeclaims"] = ONE
        if storage:
            usage[f"{storage_class}{STORAGE_CLASS}requests.storage"] = storage
    return usage


def pod_usage(pod: Pod) -> Usage:
    """The usage of a pod. A terminated pod counts as an object and uses no resources."""
    if pod.status.phase in FINISHED:
        return {"count/pods": ONE}
    usage = {"count/pods": ONE, "pods": ONE}
    overhead = _sum([pod.spec.overhead])
    requests, limits = pod_amounts(pod, container_requests), pod_amounts(pod, container_limits)
    add(requests, overhead)
    for resource, amount in requests.items():
        usage |= dict.fromkeys(_request_names(resource), amount)
    for resource, amount in limits.items():
        if resource in COMPUTE:
            usage[f"limits.{resource}"] = amount + overhead.get(resource, ZERO)
    return usage


def _request_names(resource: str) -> tuple[str, ...]:
    if resource in COMPUTE or resource.startswith("hugepages-"):
        return resource, f"requests.{resource}"
    return (f"requests.{resource}",) if is_extended(resource) else ()


def is_extended(resource: str) -> bool:
    """Whether the resource is offered by a device plugin, such as `nvidia.com/gpu`."""
    return "/" in resource and "kubernetes.io/" not in resource


Listed: TypeAlias = Callable[[Container], ResourceList]


def container_requests(container: Container) -> ResourceList:
    return container.resources.requests


def container_limits(container: Container) -> ResourceList:
    return container.resources.limits


def pod_amounts(pod: Pod, listed: Listed) -> Usage:
    """A pod's requests or limits: the larger of what it needs while starting and while running."""
    spec = pod.spec
    totals = _sum(map(listed, spec.containers))
    if spec.init_containers:
        peak, beside = _starting(spec.init_containers, listed)
        add(totals, beside)
        for name, amount in peak.items():
            totals[name] = max(totals.get(name, ZERO), amount)
    if spec.resources is not None:  # what is said of the pod as a whole stands instead
        whole = spec.resources.requests if listed is container_requests else spec.resources.limits
        totals |= {name: Quantity.parse(amount) for name, amount in whole.items()}
    return totals


def _sum(lists: Iterable[ResourceList]) -> Usage:
    totals: Usage = {}
    for listed in lists:
        for name, amount in listed.items():
            parsed, known = Quantity.parse(amount), totals.get(name)
            totals[name] = parsed if known is None else known + parsed
    return totals


def _starting(containers: Sequence[Container], listed: Listed) -> tuple[Usage, Usage]:
    """The maximum that init containers need at once, and the sum of those that keep running (sidecars)."""
    peak: Usage = {}
    beside: Usage = {}
    for container in containers:
        now = _sum([listed(container)])
        if container.restart_policy == "Always":
            add(beside, now)
            now = beside
        else:
            add(now, beside)
        for name, amount in now.items():
            peak[name] = max(peak.get(name, ZERO), amount)
    return peak, beside


def unspecified_resources(pod: Pod, limited: Iterable[str]) -> str:
    """Containers that lack an amount of a limited resource: where cpu or memory is limited, each must set one."""
    wanted = sorted(_MUST_BE_SAID.intersection(limited))
    if not wanted or pod.spec.resources is not None:
        return ""
    missing: dict[str, set[str]] = {}
    for container in (*pod.spec.containers, *pod.spec.init_containers):
        for name in wanted:
            which, _, resource = name.rpartition(".")
            if resource not in (container_limits if which == "limits" else container_requests)(container):
                missing.setdefault(name, set()).add(container.name)
    listed = (f"{name} for: {','.join(sorted(containers))}" for name, containers in missing.items())
    return f"must specify {'; '.join(listed)}" if missing else ""


# Scopes


def is_scoped(quota: ResourceQuota) -> bool:
    """Whether a quota applies to some pods only; such a quota counts nothing but pods."""
    return bool(quota.spec.scopes or (quota.spec.scope_selector and quota.spec.scope_selector.match_expressions))


def requirements(quota: ResourceQuota) -> list[ScopedSelectorRequirement]:
    selector = quota.spec.scope_selector
    wanted = [ScopedSelectorRequirement(scope_name=scope, operator="Exists") for scope in quota.spec.scopes]
    return [*wanted, *(selector.match_expressions if selector else ())]


def in_scope(quota: ResourceQuota, pod: Pod) -> bool:
    return all(_in_one_scope(requirement, pod) for requirement in requirements(quota))


def _in_one_scope(requirement: ScopedSelectorRequirement, pod: Pod) -> bool:
    match requirement.scope_name:
        case "Terminating":
            return (pod.spec.active_deadline_seconds or 0) > 0
        case "NotTerminating":
            return not (pod.spec.active_deadline_seconds or 0) > 0
        case "BestEffort":
            return is_best_effort(pod)
        case "NotBestEffort":
            return not is_best_effort(pod)
        case "PriorityClass":
            return _class_holds(requirement, pod.spec.priority_class_name)
        case "CrossNamespacePodAffinity":
            return _reaches_other_namespaces(pod)
        case _:
            return False


def is_best_effort(pod: Pod) -> bool:
    sets = [container.resources for container in (*pod.spec.containers, *pod.spec.init_containers)]
    return not any(
        Quantity.parse(listed.get(resource, 0))
        for resources in (sets if pod.spec.resources is None else [pod.spec.resources])
        for listed in (resources.requests, resources.limits)
        for resource in COMPUTE[:2]
    )


def _class_holds(requirement: ScopedSelectorRequirement, name: str) -> bool:
    match requirement.operator:
        case "In":
            return name in requirement.values
        case "NotIn":
            return name not in requirement.values
        case "DoesNotExist":
            return not name
        case _:
            return bool(name)


def _reaches_other_namespaces(pod: Pod) -> bool:
    for side in ("podAffinity", "podAntiAffinity"):
        required = dig_list(pod.spec.affinity, side, "requiredDuringSchedulingIgnoredDuringExecution")
        preferred = dig_list(pod.spec.affinity, side, "preferredDuringSchedulingIgnoredDuringExecution")
        for term in (*required, *(dig(weighted, "podAffinityTerm") for weighted in preferred)):
            if dig(term, "namespaces") or dig(term, "namespaceSelector") is not None:
                return True
    return False
