"""Pods that ask for the same and may go to the same nodes are of one shape: what is found out for one holds for all."""

from collections.abc import Hashable
from functools import cached_property

import msgspec
import numpy as np

from windlass.scheduler.model.columns import Rows, Vector
from windlass.scheduler.model.pod_info import PodInfo


class Shape:
    """What decides where a pod may be. `plain`: nothing about the pods that are on a node already, but their use."""

    def __init__(self, pod: PodInfo) -> None:
        self.pod = pod
        self.request: Vector = pod.vector
        self.asked: Rows = np.flatnonzero(self.request)
        self.columns: tuple[int, ...] = tuple(int(one) for one in self.asked)
        self.amounts: tuple[float, ...] = tuple(float(self.request[one]) for one in self.asked)
        self._asks = dict(zip(self.columns, self.amounts, strict=True))
        self.felt = (float(pod.cpu), float(pod.memory))
        self.plain = is_plain(pod)
        self.where = nodes_key(pod)
        """The same for all shapes that may go to the same nodes."""

    def asks(self, column: int) -> float:
        return self._asks.get(column, 0.0)

    @cached_property
    def is_choosy(self) -> bool:
        """Whether a node without taints may be refused."""
        spec = self.pod.pod.spec
        return bool(spec.node_selector or spec.affinity or spec.node_name)

    @cached_property
    def has_preferences(self) -> bool:
        affinity = self.pod.pod.spec.affinity or {}
        return bool(affinity.get("nodeAffinity"))


def is_plain(pod: PodInfo) -> bool:
    """Only resources and the node itself decide; not its neighbours, ports or volumes."""
    spec = pod.pod.spec
    return not (
        pod.ports
        or pod.claims
        or pod.affinity
        or pod.anti_affinity
        or pod.preferences
        or spec.topology_spread_constraints
        or spec.resource_claims
    )


def nodes_key(pod: PodInfo) -> Hashable:
    """What of a pod decides which nodes it may be on, whatever is there."""
    spec = pod.pod.spec
    affinity = (spec.affinity or {}).get("nodeAffinity")
    if not spec.node_selector and not affinity and not spec.tolerations and not spec.node_name:
        return None
    told = [spec.node_selector, affinity, spec.tolerations, spec.node_name]
    return msgspec.json.encode(told, order="deterministic")


def shape_key(pod: PodInfo) -> Hashable:
    asked = tuple(sorted(pod.requests.items()))
    if not is_plain(pod):
        return pod.uid
    return asked, pod.cpu, pod.memory, nodes_key(pod)


class Shapes:
    """All shapes that were seen lately."""

    KEPT = 4096

    def __init__(self) -> None:
        self._known: dict[Hashable, Shape] = {}

    def of(self, pod: PodInfo) -> Shape:
        found = pod.shape
        if isinstance(found, Shape):
            return found
        key = shape_key(pod)
        shape = self._known.get(key)
        if shape is None:
            if len(self._known) >= self.KEPT:
                self._known.clear()
            shape = self._known[key] = Shape(pod)
        pod.shape = shape
        return shape
