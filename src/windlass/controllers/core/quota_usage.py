"""How much of a ResourceQuota is used: pure arithmetic over the objects of its namespace."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from windlass.apis.core_v1 import (
    Container,
    PersistentVolumeClaim,
    Pod,
    ResourceList,
    ResourceQuota,
    ScopedSelectorRequirement,
    Service,
)
from windlass.kube.quantity import Quantity

ZERO = Quantity(0)
FINISHED = ("Succeeded", "Failed")
COMPUTE = ("cpu", "memory", "ephemeral-storage")
STORAGE_CLASS = ".storageclass.storage.k8s.io/"
PLAIN_COUNTS = ("configmaps", "secrets", "replicationcontrollers", "resourcequotas")
FROM_OBJECTS = ("pods", "services", "persistentvolumeclaims")


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in a namespace, as far as quotas count it. `counts` are of resources, as `secrets`, `jobs.batch`."""

    pods: Sequence[Pod] = ()
    services: Sequence[Service] = ()
    claims: Sequence[PersistentVolumeClaim] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])


def counted_resource(name: str) -> str | None:
    """The resource whose objects a quota entry just counts and that `Contents` must know the count of."""
    if name in PLAIN_COUNTS:
        return name
    resource = name.removeprefix("count/")
    return resource if resource != name and resource not in FROM_OBJECTS else None


def used(quota: ResourceQuota, contents: Contents) -> dict[str, str]:
    """For each name in `spec.hard`, what is used of it."""
    pods = [pod for pod in contents.pods if in_scope(quota, pod)]
    running = [pod for pod in pods if pod.status.phase not in FINISHED]
    return {name: str(_amount(name, pods, running, contents)) for name in quota.spec.hard}


def _amount(name: str, pods: Sequence[Pod], running: Sequence[Pod], contents: Contents) -> Quantity:
    counted = counted_resource(name)
    if counted is not None:
        return _whole(contents.counts.get(counted, 0))
    if name in ("pods", "count/pods"):
        return _whole(len(running if name == "pods" else pods))
    if name.startswith(("services", "count/services")):
        return _whole(sum(_counts_service(name, service) for service in contents.services))
    if name.endswith(("persistentvolumeclaims", "requests.storage")):
        return _claims(name, contents.claims)
    which, dot, resource = name.partition(".")
    if not dot or which not in ("requests", "limits"):
        which, resource = "requests", name  # `cpu` is short for `requests.cpu`
    return _sum(pod_amount(pod, which, resource) for pod in running)


def _whole(count: int) -> Quantity:
    return Quantity.parse(count)


def _sum(amounts: Iterable[Quantity]) -> Quantity:
    return sum(amounts, ZERO)


def _counts_service(name: str, service: Service) -> int:
    match name:
        case "services.loadbalancers":
            return service.spec.type == "LoadBalancer"
        case "services.nodeports":
            return len(service.spec.ports) if service.spec.type in ("NodePort", "LoadBalancer") else 0
        case _:
            return 1


def _claims(name: str, claims: Sequence[PersistentVolumeClaim]) -> Quantity:
    storage_class, of_class, what = name.rpartition(STORAGE_CLASS)
    chosen = [claim for claim in claims if not of_class or claim.spec.storage_class_name == storage_class]
    if what.endswith("persistentvolumeclaims"):
        return _whole(len(chosen))
    return _sum(Quantity.parse(claim.spec.resources.requests.get("storage", 0)) for claim in chosen)


def pod_amount(pod: Pod, which: str, resource: str) -> Quantity:
    """A pod's request or limit: what it needs at its hungriest, starting or running, and its overhead."""

    def of(container: Container) -> Quantity:
        listed: ResourceList = getattr(container.resources, which)
        return Quantity.parse(listed.get(resource, 0))

    running = _sum(of(container) for container in pod.spec.containers)
    peak, beside = _starting(pod.spec.init_containers, of)
    return max(running + beside, peak) + Quantity.parse(pod.spec.overhead.get(resource, 0))


def _starting(containers: Sequence[Container], of: Callable[[Container], Quantity]) -> tuple[Quantity, Quantity]:
    """The most that init containers need at once, and what those that go on running (sidecars) need."""
    peak, beside = ZERO, ZERO
    for container in containers:
        if container.restart_policy == "Always":
            beside = beside + of(container)
            peak = max(peak, beside)
        else:
            peak = max(peak, beside + of(container))
    return peak, beside


def in_scope(quota: ResourceQuota, pod: Pod) -> bool:
    selector = quota.spec.scope_selector
    wanted = [ScopedSelectorRequirement(scope_name=scope, operator="Exists") for scope in quota.spec.scopes]
    return all(_in_one_scope(r, pod) for r in (*wanted, *(selector.match_expressions if selector else ())))


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
    return not any(
        Quantity.parse(listed.get(resource, 0))
        for container in (*pod.spec.containers, *pod.spec.init_containers)
        for listed in (container.resources.requests, container.resources.limits)
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
    affinity = pod.spec.affinity or {}
    for side in ("podAffinity", "podAntiAffinity"):
        terms = affinity.get(side) or {}
        required = terms.get("requiredDuringSchedulingIgnoredDuringExecution") or []
        preferred = terms.get("preferredDuringSchedulingIgnoredDuringExecution") or []
        for term in (*required, *(weighted.get("podAffinityTerm") or {} for weighted in preferred)):
            if term.get("namespaces") or term.get("namespaceSelector") is not None:
                return True
    return False
