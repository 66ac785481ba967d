"""What is known of nodes and of the pods on them, kept up to date change by change.

A pod counts on its node from when the scheduler decides (it is assumed there) until it has ended or is gone. The
snapshot alone changes the sums of a node: it adds what a pod asks for when it comes, and subtracts the same when it
goes, together with its share of what is being released. Pure: no clock, no I/O. Predicates and scores read it; tests
and simulations fill it by hand.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from windlass.apis.core_v1 import Json, Node, PersistentVolume, PersistentVolumeClaim
from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.kube.meta import Key
from windlass.scheduler.model.columns import Vector, vector
from windlass.scheduler.model.node_table import NodeTable
from windlass.scheduler.model.pod_info import PodInfo, Port, offers_of
from windlass.scheduler.model.tallies import Tallies
from windlass.scheduler.model.terms import Term

ANY_ADDRESS = "0.0.0.0"
K = TypeVar("K", bound=Hashable)


class NodeInfo:
    """One node: what it offers, what is asked of it. `node` is None while pods name a node that is not there."""

    __slots__ = (
        "allocatable", "blocked", "cpu", "ending", "labels", "memory", "name", "node", "pods", "ports", "promises",
        "requested",
    )  # fmt: skip

    def __init__(self, name: str) -> None:
        self.name = name
        self.node: Node | None = None
        self.labels: dict[str, str] = {}
        self.allocatable: dict[str, int] = {}
        self.blocked = False  # has taints or is cordoned
        self.pods: dict[str, PodInfo] = {}
        self.ending: dict[str, Vector] = {}
        """Pods there that are being terminated, by uid, with what each will release."""
        self.promises: dict[str, Vector] = {}
        """Pods that are to have room there, by uid, with what each asks for."""
        self.requested: defaultdict[str, int] = defaultdict(int)
        self.cpu = self.memory = 0  # requested, where pods that ask for nothing count too
        self.ports: defaultdict[Port, int] = defaultdict(int)

    def set(self, node: Node | None) -> None:
        self.node = node
        self.labels = node.metadata.labels if node else {}
        self.allocatable = offers_of(node) if node else {}
        self.blocked = bool(node and (node.spec.taints or node.spec.unschedulable))

    def count(self, pod: PodInfo, number: int) -> None:
        """So many like this one came, or went if it is negative."""
        for name, amount in pod.requests.items():
            self.requested[name] += number * amount
        self.cpu += number * pod.cpu
        self.memory += number * pod.memory
        for port in pod.ports:
            self.ports[port] += number
            if not self.ports[port]:
                del self.ports[port]

    @property
    def is_forgotten(self) -> bool:
        """Neither the node is there nor anything that belongs to it."""
        return self.node is None and not self.pods and not self.promises


class Snapshot:
    """All nodes, and what else a decision may read."""

    def __init__(self) -> None:
        self._all: dict[str, NodeInfo] = {}
        self._where: dict[str, NodeInfo] = {}
        self._promised: dict[str, NodeInfo] = {}
        self._sorted: list[NodeInfo] | None = []
        self._soft: set[str] = set()
        self.nodes_version = 0
        """Grows whenever a node comes, changes or goes."""
        self._tallies = Tallies()
        self.table = NodeTable()
        """Nodes and what is asked of them, once more, as arrays."""
        self.repelling: defaultdict[Term, Counter[str]] = defaultdict(Counter[str])
        """Required anti-affinity of the pods that are there: how many have it, by node."""
        self.attracting: defaultdict[tuple[Term, int], Counter[str]] = defaultdict(Counter[str])
        """What they would like near them (1) or not (-1), likewise; a required affinity is a wish here too."""
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
        self.table.put(info.name, vector(info.allocatable))
        self._note_soft_taints(info)
        self.nodes_version += 1

    def remove_node(self, name: str) -> None:
        info = self._all.get(name)
        if info is None:
            return
        info.set(None)
        self._note_soft_taints(info)
        self._sorted = None
        self.nodes_version += 1
        self.table.absent(name)
        self._forget_if_gone(info)

    def _note_soft_taints(self, info: NodeInfo) -> None:
        if info.node is not None and any(taint.effect == "PreferNoSchedule" for taint in info.node.spec.taints):
            self._soft.add(info.name)
        else:
            self._soft.discard(info.name)

    @property
    def has_soft_taints(self) -> bool:
        """Some node asks to be avoided."""
        return bool(self._soft)

    def _forget_if_gone(self, info: NodeInfo) -> None:
        if info.is_forgotten:
            self._all.pop(info.name, None)
            self.table.drop(info.name)

    def _info(self, name: str) -> NodeInfo:
        if name not in self._all:
            self._all[name] = NodeInfo(name)
            self.table.absent(name)
        return self._all[name]

    # --- pods on nodes

    def add_pod(self, pod: PodInfo, node: str) -> None:
        """It is on that node, or will be; whatever was known of it before is replaced."""
        self.add_alike((pod,), node)

    def add_alike(self, pods: Sequence[PodInfo], node: str) -> None:
        """The same for pods that ask for the same."""
        told: set[str] = set()
        for pod in pods:
            if self.is_ending(pod.uid):
                told.add(pod.uid)
            self.remove_pod(pod.uid)
        info, first = self._info(node), pods[0]
        info.count(first, len(pods))
        self.table.use(self.table.index[node], first.vector, first.cpu, first.memory, len(pods))
        for pod in pods:
            self._where[pod.uid] = info
            info.pods[pod.uid] = pod
            self.nominated.pop(pod.uid, None)
            self._count_terms(pod, node, 1)
            self._tallies.add(pod, node, 1)
            for name, _ in pod.claims:
                self.users[Key(pod.key.namespace, name)].add(pod.uid)
            if pod.is_ending or pod.uid in told:
                self.set_ending(pod.uid, True)

    def remove_pod(self, uid: str) -> None:
        info = self._where.get(uid)
        if info is None:
            return
        self.set_ending(uid, False)
        del self._where[uid]
        pod = info.pods.pop(uid)
        info.count(pod, -1)
        self.table.use(self.table.index[info.name], pod.vector, pod.cpu, pod.memory, -1)
        if not info.pods:
            self.table.unused(self.table.index[info.name])
        self._count_terms(pod, info.name, -1)
        self._tallies.add(pod, info.name, -1)
        for name, _ in pod.claims:
            key = Key(pod.key.namespace, name)
            self.users[key].discard(uid)
            if not self.users[key]:
                del self.users[key]
        self._forget_if_gone(info)

    def forget(self, uid: str, claims: Iterable[Key]) -> None:
        """The pod is gone, or will not be on its node: volumes promised to its claims are free if nobody uses these."""
        self.remove_pod(uid)
        unused = {claim for claim in claims if claim not in self.users}
        for volume in [name for name, claim in self.reserved.items() if claim in unused]:
            del self.reserved[volume]

    # --- what nodes will have

    def set_ending(self, uid: str, ending: bool) -> None:
        """The pod is being evicted, or stays after all. Pods whose deletion has begun are known to end."""
        info = self._where.get(uid)
        if info is None or (uid in info.ending) is ending:
            return
        if ending:
            amounts = info.ending[uid] = info.pods[uid].vector
        else:
            amounts = info.ending.pop(uid)
        self.table.release(self.table.index[info.name], amounts, 1 if ending else -1, left=len(info.ending))

    def is_ending(self, uid: str) -> bool:
        info = self._where.get(uid)
        return info is not None and uid in info.ending

    def ending(self) -> list[tuple[PodInfo, str]]:
        """Pods that are being terminated, each with its node."""
        found = (info for info in self._all.values() if info.ending)
        return [(info.pods[uid], info.name) for info in found for uid in info.ending]

    def promise(self, uid: str, node: str, amounts: Vector) -> None:
        """A pod that waits is to have room on that node; only one node is promised to a pod at a time."""
        self.withdraw(uid)
        info = self._info(node)
        info.promises[uid] = amounts
        self._promised[uid] = info
        self.table.promise(self.table.index[node], amounts, 1, left=len(info.promises))

    def withdraw(self, uid: str) -> None:
        """No room is promised to the pod any more."""
        info = self._promised.pop(uid, None)
        if info is None:
            return
        amounts = info.promises.pop(uid)
        self.table.promise(self.table.index[info.name], amounts, -1, left=len(info.promises))
        self._forget_if_gone(info)

    def promised_to(self, uid: str) -> str:
        """The node on which a member of a gang is promised room; empty if there is none."""
        info = self._promised.get(uid)
        return info.name if info is not None else ""

    # --- what pods say of their neighbours

    def _count_terms(self, pod: PodInfo, node: str, sign: int) -> None:
        if not (pod.anti_affinity or pod.preferences or pod.affinity):
            return
        for term in pod.anti_affinity:
            _count(self.repelling, term, node, sign)
        for wish in (*pod.preferences, *((term, 1) for term in pod.affinity)):
            _count(self.attracting, wish, node, sign)

    def tally(self, rule: Hashable, counts_for: Callable[[PodInfo], bool]) -> Mapping[str, int]:
        """How many pods of each node `counts_for` says yes to; `rule` names the question."""
        there = ((info.name, info.pods.values()) for info in self._all.values() if info.pods)
        return self._tallies.of(rule, counts_for, there)

    def put_namespace(self, name: str, labels: dict[str, str] | None) -> None:
        """None: it is gone."""
        if self.namespaces.get(name) == labels:
            return
        if labels is None:
            del self.namespaces[name]
        else:
            self.namespaces[name] = labels
        self._tallies.clear()

    def pods_on(self, name: str) -> list[PodInfo]:
        """Also where the node itself is not there."""
        info = self._all.get(name)
        return list(info.pods.values()) if info is not None else []

    def node_of(self, uid: str) -> NodeInfo | None:
        return self._where.get(uid)

    @contextmanager
    def supposing(self, *, gone: Iterable[PodInfo] = (), there: Iterable[PodInfo] = (), node: str) -> Iterator[None]:
        """As if some pods were not on a node, or others were, for the length of a block."""
        gone, there, kept = list(gone), list(there), dict(self.nominated)
        ending = {pod.uid for pod in gone if self.is_ending(pod.uid)}
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
                self.set_ending(pod.uid, pod.uid in ending)
            self.nominated = kept


def _count(counts: defaultdict[K, Counter[str]], key: K, node: str, sign: int) -> None:
    nodes = counts[key]
    nodes[node] += sign
    if not nodes[node]:
        del nodes[node]
    if not nodes:
        del counts[key]
