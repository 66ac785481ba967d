"""`network-topology-aware`: gangs whose pods talk much are near each other in the network (HyperNodes).

Hard: all of it in one hyper node of an allowed tier, the lowest first. Soft: the same if that can be, else in as few
of the smallest hyper nodes (racks) as will do. Other pods: rather where hyper nodes are full already.
"""

from collections.abc import Sequence

import numpy as np

from windlass.scheduler.framework.parts import nodes_of, whole
from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.cluster import HyperNode
from windlass.scheduler.model.columns import Rows, Vector, column
from windlass.scheduler.model.jobs import Job, Part, Task
from windlass.scheduler.plugins.network_topology_aware.closeness import Closeness, Watched
from windlass.scheduler.plugins.network_topology_aware.minimal_racks import MinimalRacks

BINPACK = "hypernode.binpack"
DOMAINS = "hypernode.gradient.evict.max-hypernodes"
_A_TIE = 1e-6


class NetworkTopologyAware(Plugin):
    NAME = "network-topology-aware"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self._weight = arguments.number("weight", 1)
        weights = {name: arguments.number(f"{BINPACK}.{name}", 1) for name in ("cpu", "memory")}
        listed = [name.strip() for name in arguments.text(f"{BINPACK}.resources").split(",") if name.strip()]
        weights |= {name: arguments.number(f"{BINPACK}.resources.{name}", 1) for name in listed}
        self._weights = [(column(name), weight) for name, weight in weights.items() if weight > 0]
        self._normal_pods = arguments.flag(f"{BINPACK}.normal-pod.enable", True)
        self._fading = arguments.number(f"{BINPACK}.normal-pod.fading", 0.8)
        self.domains = int(arguments.number(DOMAINS, 8))
        """In how many hyper nodes at most a whole gang looks for victims."""
        self._watched = Watched()

    def open(self, session: Session) -> None:
        self._session = session
        self._rated: tuple[Part, Vector] | None = None
        """How full hyper nodes would be with a part, before any of it is placed."""

    @property
    def _near(self) -> Closeness:
        return self._watched.of(self._session.cluster)

    # --- where a gang may be

    def hyper_nodes(self, job: Job, part: Part | None = None) -> Sequence[Sequence[HyperNode]] | None:
        part = part or whole(job)
        if part.topology is None:
            return None
        return self._hard(part) if part.topology.hard else self._soft(part)

    def _hard(self, part: Part) -> list[list[HyperNode]]:
        near, highest = self._near, self._highest(part)
        return by_tier(near.with_room(near.holding(part.there, highest), part.needs))

    def _highest(self, part: Part) -> int:
        """The tier up to which it may be spread; below all there are if the name is of none."""
        topology, near = part.topology, self._near
        if topology is None or (topology.highest_tier is None and not topology.highest_name):
            return near.root.tier
        if topology.highest_tier is not None:
            return topology.highest_tier
        named = near.tier_named(topology.highest_name)
        return named if named is not None else min(near.tiers) - 1

    def _soft(self, part: Part) -> list[list[HyperNode]]:
        """By tier; within one those first that need the fewest racks. In the end: anywhere."""
        near = self._near
        fewest = MinimalRacks(self._session, near, part)
        groups: list[list[HyperNode]] = []
        for group in by_tier(near.holding(part.there, near.root.tier)):
            by_number: dict[int, list[HyperNode]] = {}
            for hyper_node in group:
                found = fewest.narrowed(hyper_node)
                if found is not None:
                    by_number.setdefault(found[0], []).append(found[1])
            groups += [by_number[racks] for racks in sorted(by_number)]
            groups.append(near.with_room(group, part.needs))
        return [*[group for group in groups if group], [near.root]]

    # --- which is best

    def hyper_node_score(self, job: Job, hyper_node: HyperNode, part: Part | None = None) -> float:
        """The fuller it would be the better; of equal ones that which has more of the job's pods."""
        part = part or whole(job)
        number = self._near.number.get(id(hyper_node))
        if number is None:
            score = float(self._binpack(self._near.rows(hyper_node), part.asked)[0])
        else:
            if self._rated is None or self._rated[0] is not part:
                self._rated = (part, self._binpack(None, part.asked))
            score = float(self._rated[1][number])
        share = 0.0
        if part.there:
            share = sum(task.node in hyper_node.nodes for task in job.tasks.values()) / len(job.tasks)
        return 100 * self._weight * score + _A_TIE * share

    def _binpack(self, rows: Rows | None, request: Vector) -> Vector:
        """How full some nodes would be together; without `rows` that of each hyper node."""
        near, table, total, weights = self._near, self._session.cluster.snapshot.table, np.zeros(1), np.zeros(1)
        for number, weight in self._weights:
            if request[number] <= 0:
                continue
            both = table.allocatable[number], table.used[number]
            offered, used = (near.sums(one) if rows is None else one.take(rows).sum(keepdims=True) for one in both)
            there = offered > 0
            total = total + weight * there * (used + request[number]) / np.where(there, offered, 1)
            weights = weights + weight * there
        found = total / np.where(weights > 0, weights, 1)
        return found if rows is not None else np.broadcast_to(found, len(near.all))

    # --- which node

    def node_score(self, task: Task) -> Vector | None:
        job = task.job
        if job.topology is not None:
            return None if job.topology.hard else self._nearness(job)
        if job.sub_groups or not self._normal_pods or not self._session.cluster.hyper_nodes:
            return None
        return self._fullness(task.request)

    def _nearness(self, job: Job) -> Vector | None:
        """100 for nodes of the job's own hyper node, 0 for those that have only the root in common with it."""
        near, there = self._near, nodes_of(job.tasks.values())
        lowest, highest = near.tiers[0], near.root.tier
        if not there or lowest == highest:
            return None
        own = near.smallest_with(there)
        return 100 * self._weight * (highest - near.tiers_to(own)) / (highest - lowest)

    def _fullness(self, request: Vector) -> Vector:
        """How full a node's hyper nodes would be; those of higher tiers count for less."""
        near, size = self._near, len(self._session.cluster.snapshot.table)
        total, weights, full = np.zeros(size), np.zeros(size), self._binpack(None, request)
        for number, one in enumerate(near.all[:-1]):
            rows, weight = near.rows(one), self._fading ** (one.tier - 1)
            total[rows] += weight * full[number]
            weights[rows] += weight
        return 100 * self._weight * total / np.where(weights > 0, weights, 1)


def by_tier(hyper_nodes: Sequence[HyperNode]) -> list[list[HyperNode]]:
    tiers = sorted({one.tier for one in hyper_nodes})
    return [[one for one in hyper_nodes if one.tier == tier] for tier in tiers]
