"""What is known of nodes and of the pods on them, kept up to date change by change.

A pod counts on its node from when the scheduler decides (it is assumed there) until it has ended or is gone. Pure: no
clock, no I/O. Predicates and scores read it; tests and simulations fill it by hand.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from windlass.apis.core_v1 import Json, Node, PersistentVolume, PersistentVolumeClaim
from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.kube.meta import Key
from windlass.scheduler.pod_info import PodInfo, Port, amounts_of

ANY_ADDRESS = "0.0.0.0"


class NodeInfo:
    """One node: what it offers, what is asked of it. `node` is None while pods name a node that is not there."""

    __slots__ = ("allocatable", "blocked", "cpu", "labels", "memory", "name", "node", "pods", "ports", "requested")

    def __init__(self, name: str) -> None:
        self.name = name
        self.node: Node | None = None
        self.labels: dict[str, str] = {}
        self.allocatable: dict[str, int] = {}
        self.blocked = False  # has taints or is cordoned
        self.pods: dict[str, PodInfo] = {}
        self.requested: defaultdict[str, int] = defaultdict(int)
        self.cpu = self.memory = 0  # requested, where pods that ask for nothing count too
        self.ports: defaultdict[Port, int] = defaultdict(int)

    def set(self, node: Node | None) -> None:
        self.node = node
        self.labels = node.metadata.labels if node else {}
        self.allocatable = amounts_of(node.status.allocatable or node.status.capacity) if node else {}
        self.blocked = bool(node and (node.spec.taints or node.spec.unschedulable))

    def add(self, pod: PodInfo) -> None:
        self._count(pod, 1)
        self.pods[pod.uid] = pod

    def remove(self, uid: str) -> None:
        self._count(self.pods.pop(uid), -1)

    def _count(self, pod: PodInfo, sign: int) -> None:
        for name, amount in pod.requests.items():
            self.requested[name] += sign * amount
        self.cpu += sign * pod.cpu
        self.memory += sign * pod.memory
        for port in pod.ports:
            self.ports[port] += sign
            if not self.ports[port]:
                del self.ports[port]


class Snapshot:
    """All nodes, and what else a decision may read."""

    def __init__(self) -> None:
        self._all: dict[str, NodeInfo] = {}
        self._where: dict[str, NodeInfo] = {}
        self._sorted: list[NodeInfo] | None = []
        self.repelling: dict[str, PodInfo] = {}
        """Pods that have required anti-affinity, by uid."""
        self.attracting: dict[str, PodInfo] = {}
        self.nominated: dict[str, tuple[PodInfo, str]] = {}
        """Pods for which room is being made, by uid, and on which node."""
        self.claims: dict[Key, PersistentVolumeClaim] = {}
        self.volumes: dict[str, PersistentVolume] = {}
        self.classes: dict[str, Json] = {}
        self.namespaces: dict[str, dict[str, str]] = {}
        self.budgets: dict[Key, PodDisruptionBudget] = {}
        self.users: defaultdict[Key, set[str]] = defaultdict(set)
        """Uids of the pods that use a claim."""
        self.reserved: dict[str, Key] = {}
        """Volumes that were promised to a claim and are not bound yet."""

    # --- nodes

    @property
    def nodes(self) -> list[NodeInfo]:
        """Those that are there, by name."""
        if self._sorted is None:
            self._sorted = sorted((one for one in self._all.values() if one.node), key=lambda one: one.name)
        return self._sorted

    def node(self, name: str) -> NodeInfo | None:
        found = self._all.get(name)
        return found if found is not None and found.node is not None else None

    def put_node(self, node: Node) -> None:
        info = self._info(node.metadata.name)
        if info.node is None:
            self._sorted = None
        info.set(node)

    def remove_node(self, name: str) -> None:
        info = self._all.get(name)
        if info is None:
            return
        info.set(None)
        self._sorted = None
        if not info.pods:
            del self._all[name]

    def _info(self, name: str) -> NodeInfo:
        if name not in self._all:
            self._all[name] = NodeInfo(name)
        return self._all[name]

    # --- pods on nodes

    def add_pod(self, pod: PodInfo, node: str) -> None:
        """It is on that node, or will be; whatever was known of it before is replaced."""
        self.remove_pod(pod.uid)
        info = self._where[pod.uid] = self._info(node)
        info.add(pod)
        self.nominated.pop(pod.uid, None)
        if pod.anti_affinity:
            self.repelling[pod.uid] = pod
        if pod.attracts:
            self.attracting[pod.uid] = pod
        for name, _ in pod.claims:
            self.users[Key(pod.key.namespace, name)].add(pod.uid)

    def remove_pod(self, uid: str) -> None:
        info = self._where.pop(uid, None)
        if info is None:
            return
        pod = info.pods[uid]
        info.remove(uid)
        self.repelling.pop(uid, None)
        self.attracting.pop(uid, None)
        for name, _ in pod.claims:
            key = Key(pod.key.namespace, name)
            self.users[key].discard(uid)
            if not self.users[key]:
                del self.users[key]
        if info.node is None and not info.pods:
            self._all.pop(info.name, None)

    def node_of(self, uid: str) -> NodeInfo | None:
        return self._where.get(uid)

    @contextmanager
    def supposing(self, *, gone: Iterable[PodInfo] = (), there: Iterable[PodInfo] = (), node: str) -> Iterator[None]:
        """As if some pods were not on a node, or others were, for the length of a block."""
        gone, there, kept = list(gone), list(there), dict(self.nominated)
        for pod in gone:
            self.remove_pod(pod.uid)
        for pod in there:
            self.add_pod(pod, node)
        try:
            yield
        finally:
            for pod in there:
                self.remove_pod(pod.uid)
            for pod in gone:
                self.add_pod(pod, node)
            self.nominated = kept
