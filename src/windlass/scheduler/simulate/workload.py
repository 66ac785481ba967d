"""What is simulated: nodes, queues, jobs that arrive. Plain data; cpu in thousandths, all else in units."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from windlass.apis.core_v1 import (
    Container,
    Node,
    NodeSpec,
    NodeStatus,
    Pod,
    PodSpec,
    ResourceList,
    ResourceRequirements,
)
from windlass.apis.wellknown import HOSTNAME_LABEL
from windlass.kube.meta import ObjectMeta
from windlass.scheduler.model.cluster import HyperNode
from windlass.scheduler.model.columns import Vector, vector
from windlass.scheduler.model.jobs import Topology
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.placing.shapes import Shapes

DEFAULT_QUEUE = "default"
Amounts = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class NodeKind:
    """Nodes that are alike: `name`-0, `name`-1 …"""

    name: str
    count: int
    offers: Amounts
    labels: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class QueuePlan:
    """A queue, as its spec has it (`weight`, `capability`, `deserved` …)."""

    name: str
    spec: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def weight(self) -> int:
        return int(str(self.spec.get("weight") or 1))


@dataclass(frozen=True, slots=True)
class Role:
    """Pods of a job that are alike."""

    name: str
    count: int
    asks: Amounts
    least: int = 0
    """How many of them the gang needs, beside its own minimum."""


@dataclass(frozen=True, slots=True)
class JobPlan:
    """A job: it works for `duration` seconds with all its pods, for longer with fewer, not at all below `least`."""

    name: str
    arrival: float
    duration: float
    roles: tuple[Role, ...]
    least: int
    queue: str = DEFAULT_QUEUE
    priority: int = 0
    user: str = ""
    estimate: float | None = None
    """How long its owner says that it takes; None: it is learned from what he ran before."""
    topology: Topology | None = None
    deaths: tuple[tuple[float, int], ...] = ()
    """Pods that die: after which part of the work, and which."""

    @property
    def width(self) -> int:
        return sum(role.count for role in self.roles)

    @property
    def asks(self) -> Vector:
        """What all its pods ask for together."""
        return sum((role.count * pod_amounts(role.asks) for role in self.roles), start=vector({}))

    @property
    def minimum(self) -> Vector:
        """What the pods that it needs ask for, the first roles first."""
        left, total = self.least, vector({})
        for role in self.roles:
            total += min(left, role.count) * pod_amounts(role.asks)
            left -= min(left, role.count)
        return total


@dataclass(frozen=True, slots=True)
class Failures:
    """What goes wrong by itself."""

    pod_death: float = 0.0
    """The part of all pods that die once."""
    nodes_per_hour: float = 0.0
    node_down: float = 1800.0
    """Seconds until a node that failed is back."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """All that there is and all that comes. Jobs are in the order of their arrival."""

    name: str
    nodes: tuple[NodeKind, ...]
    jobs: tuple[JobPlan, ...]
    queues: tuple[QueuePlan, ...] = (QueuePlan(DEFAULT_QUEUE),)
    hyper_nodes: tuple[HyperNode, ...] = ()
    failures: Failures = Failures()
    seed: int = 0

    @property
    def node_names(self) -> list[str]:
        return [f"{kind.name}-{number}" for kind in self.nodes for number in range(kind.count)]

    @property
    def capacity(self) -> Vector:
        return sum((kind.count * vector(kind.offers) for kind in self.nodes), start=vector({}))


def pod_amounts(asks: Amounts) -> Vector:
    return vector({**asks, "pods": 1})


# --- as the scheduler knows them


def node_object(kind: NodeKind, name: str) -> Node:
    offers: ResourceList = {
        resource: _written(resource, amount) for resource, amount in {"pods": 110.0, **kind.offers}.items()
    }
    labels = {HOSTNAME_LABEL: name, **kind.labels}
    return Node(metadata=ObjectMeta(name=name, labels=labels), spec=NodeSpec(), status=NodeStatus(allocatable=offers))


def _written(resource: str, amount: float) -> str:
    return f"{round(amount)}m" if resource == "cpu" else f"{round(amount)}"


class PodMaker:
    """Pods by the thousand: each kind is read once, the others are made like it."""

    def __init__(self) -> None:
        self._templates: dict[tuple[tuple[str, float], ...], PodInfo] = {}
        self._shapes = Shapes()

    def pod(self, name: str, asks: Amounts) -> PodInfo:
        return self.template(asks).like(name, name)

    def template(self, asks: Amounts) -> PodInfo:
        key = tuple(sorted(asks.items()))
        found = self._templates.get(key)
        if found is None:
            container = Container(name="work", resources=ResourceRequirements())
            pod = Pod(metadata=ObjectMeta(name="like", namespace="simulated"), spec=PodSpec(containers=[container]))
            found = PodInfo(pod)
            found.requests = {resource: amount for resource, amount in asks.items() if amount > 0}  # pyright: ignore[reportAttributeAccessIssue] - parts of a GPU too
            found.cpu, found.memory = int(asks.get("cpu", 0)) or found.cpu, int(asks.get("memory", 0)) or found.memory
            self._shapes.of(found)
            self._templates[key] = found
        return found


def racks(names: list[str], rack: int, spine: int) -> tuple[HyperNode, ...]:
    """Nodes in racks of so many, in their order, and racks in spines."""
    found = [
        HyperNode(f"rack-{at // rack}", 1, "rack", frozenset(names[at : at + rack]))
        for at in range(0, len(names), rack)
    ]
    if spine:
        wide = rack * spine
        found += [
            HyperNode(f"spine-{at // wide}", 2, "spine", frozenset(names[at : at + wide]))
            for at in range(0, len(names), wide)
        ]
    return tuple(found)


def draw_deaths(jobs: list[JobPlan], part: float, seed: int) -> list[tuple[tuple[float, int], ...]]:
    """Which pods of each job die and when, the same whatever policy places them."""
    if part <= 0:
        return [()] * len(jobs)
    rng = np.random.default_rng([seed, 77])
    found: list[tuple[tuple[float, int], ...]] = []
    for job in jobs:
        many = int(rng.binomial(job.width, part))
        when = sorted((float(rng.uniform(0.02, 0.98)), int(rng.integers(job.width))) for _ in range(many))
        found.append(tuple(when))
    return found
