"""What the scheduler needs to know of a pod, read from it once."""

from functools import cached_property

from windlass.apis.core_v1 import Json, Node, Pod
from windlass.apis.quota_usage import add, container_requests, pod_amounts
from windlass.kube.meta import Key
from windlass.kube.quantity import Quantity
from windlass.scheduler.model.amounts import A_NODE, A_POD, amounts_of, whole
from windlass.scheduler.model.columns import PODS, Vector, vector
from windlass.scheduler.model.pod_groups import DEFAULT
from windlass.scheduler.model.terms import Term, preferred_terms, required_terms

UNSAID_CPU, UNSAID_MEMORY = 100, 200 * 1024 * 1024  # what a pod that asks for nothing counts as when nodes are scored
FINISHED = ("Succeeded", "Failed")
Port = tuple[str, str, int]
"""Host address, protocol, port."""


class PodInfo:
    """A pod, with its requests as whole numbers: cpu in thousandths, all else in units."""

    def __init__(self, pod: Pod) -> None:
        self.pod = pod
        self.key: Key = pod.metadata.key
        self.uid = pod.metadata.uid or f"{self.key}"
        self.priority = pod.spec.priority or 0
        self.scheduler = pod.spec.scheduler_name or DEFAULT
        self.requests = requests_of(pod)
        self.cpu = self.requests.get("cpu", 0) or UNSAID_CPU
        self.memory = self.requests.get("memory", 0) or UNSAID_MEMORY
        self.ports = ports_of(pod)
        self.claims = claims_of(pod)
        self.is_ending = bool(pod.metadata.deletion_timestamp)
        affinity = pod.spec.affinity or {}
        has_terms = bool(affinity.get("podAffinity") or affinity.get("podAntiAffinity"))
        self.affinity: tuple[Term, ...] = required_terms(pod, "podAffinity") if has_terms else ()
        self.anti_affinity: tuple[Term, ...] = required_terms(pod, "podAntiAffinity") if has_terms else ()
        self.preferred: tuple[Term, ...] = preferred_terms(pod, "podAffinity") if has_terms else ()
        self.preferred_anti: tuple[Term, ...] = preferred_terms(pod, "podAntiAffinity") if has_terms else ()
        self.preferences = (*((term, 1) for term in self.preferred), *((term, -1) for term in self.preferred_anti))
        """Preferred terms, with 1 for those that draw it and -1 for those that repel it."""
        self.shape: object = None
        """What it has in common with pods that are alike; filled in by who looks for that."""

    def like(self, name: str, uid: str) -> "PodInfo":
        """Another pod that is the same in all but name: one of many, without reading the pod again."""
        self.vector  # noqa: B018 - read once, for all of them
        other = object.__new__(PodInfo)
        other.__dict__.update(self.__dict__)
        other.key, other.uid, other.is_ending = Key(self.key.namespace, name), uid, False
        return other

    @cached_property
    def vector(self) -> Vector:
        """Its requests, and itself as one pod."""
        amounts = vector(self.requests)
        amounts[PODS] = 1
        return amounts

    @property
    def claim_keys(self) -> list[Key]:
        return [Key(self.key.namespace, name) for name, _ in self.claims]

    @cached_property
    def tolerations(self) -> list[Json]:
        return [
            {"key": one.key, "operator": one.operator, "value": one.value, "effect": one.effect}
            for one in self.pod.spec.tolerations
        ]


def requests_of(pod: Pod) -> dict[str, int]:
    amounts = pod_amounts(pod, container_requests)
    if pod.spec.overhead:
        add(amounts, {name: Quantity.parse(amount) for name, amount in pod.spec.overhead.items()})
    return {name: whole(name, amount, A_POD) for name, amount in amounts.items() if amount.nano > 0}


def offers_of(node: Node) -> dict[str, int]:
    return amounts_of(node.status.allocatable or node.status.capacity, A_NODE)


def ports_of(pod: Pod) -> tuple[Port, ...]:
    sidecars = [one for one in pod.spec.init_containers if one.restart_policy == "Always"]
    return tuple(
        (port.host_ip or "0.0.0.0", port.protocol or "TCP", port.host_port)
        for container in (*pod.spec.containers, *sidecars)
        for port in container.ports
        if port.host_port
    )


def claims_of(pod: Pod) -> tuple[tuple[str, bool], ...]:
    """Names of the claims that it mounts, and whether each is one of its own (an ephemeral volume)."""
    found: list[tuple[str, bool]] = []
    for volume in pod.spec.volumes:
        if volume.persistent_volume_claim is not None:
            found.append((volume.persistent_volume_claim.claim_name, False))
        elif volume.ephemeral is not None:
            found.append((f"{pod.metadata.name}-{volume.name}", True))
    return tuple(found)


def claim_keys_of(pod: Pod) -> list[Key]:
    return [Key(pod.metadata.namespace, name) for name, _ in claims_of(pod)]
