"""Finds nodes for pods that are alike, many at a time. What it may not decide by arithmetic it asks predicates for.

The quick way is for pods of which only the nodes and their use matter; the thorough one also looks at neighbours,
ports, volumes and preferences, node by node. Both answer the same.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from windlass.apis.reasons import NodeCause, insufficient
from windlass.scheduler.model.columns import TOLERANCE, Mask, Vector, name_of
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.placing.ranking import Ranking, Weighted, has_room, rate, rate_one, room_for
from windlass.scheduler.placing.shapes import Shape, Shapes
from windlass.scheduler.placing.use_scores import Nodes, OneNode, balanced_allocation, least_allocated
from windlass.scheduler.predicates import NODE_ONLY, Check, checks, first_refusal, prepare_only, refusal_of
from windlass.scheduler.predicates.verdict import Refusal
from windlass.scheduler.scores import THOROUGH, Score

RANKINGS = 512  # kept at once


@dataclass(frozen=True)
class Profile:
    """How nodes are rated: by use, and by scores that are computed node by node."""

    by_use: Weighted = ((least_allocated, 1), (balanced_allocation, 1))
    thorough: tuple[tuple[Score, float], ...] = THOROUGH


KUBERNETES = Profile()
"""As kube-scheduler rates by default."""


class Placer:
    """Of one snapshot and one profile."""

    def __init__(self, snapshot: Snapshot, profile: Profile = KUBERNETES) -> None:
        self._snapshot, self.profile = snapshot, profile
        self.shapes = Shapes()
        self._rankings: dict[int, Ranking] = {}
        self._allowed: dict[Hashable, Mask] = {}
        self._refusing: dict[Hashable, dict[NodeCause, int]] = {}
        self._version = (-1, -1)

    # --- which nodes at all

    def _renew(self) -> None:
        version = (self._snapshot.table.version, self._snapshot.nodes_version)
        if version != self._version:
            self._version = version
            self._rankings.clear()
            self._allowed.clear()
            self._refusing.clear()

    def allowed(self, shape: Shape) -> Mask:
        """The nodes that the shape may be on, however full they are."""
        self._renew()
        found = self._allowed.get(shape.where)
        if found is None:
            found, self._refusing[shape.where] = self._check_nodes(shape)
            self._allowed[shape.where] = found
        return found

    def _check_nodes(self, shape: Shape) -> tuple[Mask, dict[NodeCause, int]]:
        table = self._snapshot.table
        allowed = table.present[: len(table)].copy()
        causes: dict[NodeCause, int] = {}
        questions = prepare_only(NODE_ONLY, shape.pod, self._snapshot)
        if isinstance(questions, Refusal):
            return np.zeros(len(table), dtype=np.bool_), {questions.causes[0]: int(allowed.sum())}
        for node in self._snapshot.nodes:
            if not shape.is_choosy and not node.blocked:
                continue
            refusal = first_refusal(questions, node)
            if refusal is not None:
                allowed[table.index[node.name]] = False
                for cause in refusal.causes:
                    causes[cause] = causes.get(cause, 0) + 1
        return allowed, causes

    def is_quick(self, shape: Shape) -> bool:
        """Only the nodes themselves and their use matter for it."""
        snapshot = self._snapshot
        if not shape.plain or shape.has_preferences or snapshot.repelling or snapshot.attracting or snapshot.nominated:
            return False
        return not snapshot.has_soft_taints

    # --- placing

    def fill(self, pods: Sequence[PodInfo], *, within: Mask | None = None, extra: Vector | None = None) -> list[str]:
        """Put pods of one shape on nodes in the snapshot, in order, until one finds none; answers the nodes.

        `within` narrows the nodes down, `extra` is added to their rates.
        """
        shape = self.shapes.of(pods[0])
        if not self.is_quick(shape):
            return self._fill_thoroughly(pods, within, extra)
        nodes = self._fill_by_rank(shape, pods, within) if extra is None else []
        if len(nodes) < len(pods) and (within is not None or extra is not None):
            nodes += self._fill_once(shape, pods[len(nodes) :], within, extra)
        return nodes

    def ranking(self, shape: Shape) -> Ranking:
        self._renew()
        found = self._rankings.get(id(shape))
        if found is None or found.shape is not shape:
            if len(self._rankings) >= RANKINGS:
                self._rankings.clear()
            found = Ranking(self._snapshot.table, shape, self.profile.by_use, self.allowed(shape))
            self._rankings[id(shape)] = found
        return found

    def _fill_by_rank(self, shape: Shape, pods: Sequence[PodInfo], within: Mask | None) -> list[str]:
        """As long as the best node of all is one of those that count."""
        ranking, names = self.ranking(shape), self._snapshot.table.names
        nodes: list[str] = []
        while (left := len(pods) - len(nodes)) > 0:
            number = ranking.best()
            if number is None or (within is not None and not within[number]):
                break
            many = self._stays_best(ranking, number, left) if left > 1 else 1
            self._snapshot.add_alike(pods[len(nodes) : len(nodes) + many], names[number])
            nodes += [names[number]] * many
        return nodes

    def _stays_best(self, ranking: Ranking, number: int, wanted: int) -> int:
        """How many pods in a row the best node gets before another one is better."""
        many = min(wanted, self._slots(ranking.shape, number))
        other = ranking.next_best() if many > 1 else None
        if other is None:
            return max(many, 1)
        before = self._snapshot.table.names[number] < other[1]
        for more in range(1, many):
            found = ranking.rates.of(number, more)
            if found < other[0] or (found == other[0] and not before):
                return more
        return many

    def _slots(self, shape: Shape, number: int) -> int:
        table = self._snapshot.table
        free = [
            (
                table.allocatable.item(column, number)
                - table.used.item(column, number)
                - table.kept.item(column, number)
                + TOLERANCE
            )
            // amount
            for column, amount in zip(shape.columns, shape.amounts, strict=True)
        ]
        return int(min(free))

    def slots(self, shape: Shape, *, future: bool = False, within: Mask | None = None) -> Vector:
        """How many pods of the shape each node has room for."""
        table = self._snapshot.table
        found = np.full(len(table), np.inf)
        for column, amount in zip(shape.columns, shape.amounts, strict=True):
            free = table.free(column, future=future)
            np.minimum(found, np.floor((free + TOLERANCE) / amount), out=found)
        return np.where(
            self.allowed(shape) if within is None else self.allowed(shape) & within, np.maximum(found, 0), 0
        )

    def _fill_once(self, shape: Shape, pods: Sequence[PodInfo], within: Mask | None, extra: Vector | None) -> list[str]:
        """As by rank, but for this question alone."""
        table = self._snapshot.table
        allowed = self.allowed(shape) if within is None else self.allowed(shape) & within
        rows = np.flatnonzero(allowed)
        rows = rows[room_for(table, shape, rows)]
        if not len(rows):
            return []
        rows = rows[np.argsort(np.array([table.names[number] for number in rows]), kind="stable")]
        bonus = np.zeros(len(rows)) if extra is None else extra.take(rows)
        rates = rate(Nodes(table, rows, shape), self.profile.by_use) + bonus
        nodes: list[str] = []
        for pod in pods:
            at = int(rates.argmax())
            if rates[at] == -np.inf:
                break
            number = int(rows[at])
            nodes.append(table.names[number])
            self._snapshot.add_pod(pod, nodes[-1])
            rates[at] = -np.inf
            if has_room(table, shape, number):
                rates[at] = rate_one(OneNode(table, number, shape), self.profile.by_use) + bonus[at]
        return nodes

    # --- the thorough way

    def _fill_thoroughly(self, pods: Sequence[PodInfo], within: Mask | None, extra: Vector | None) -> list[str]:
        nodes: list[str] = []
        for pod in pods:
            node = self.best_thoroughly(pod, within, extra)
            if node is None:
                break
            self._snapshot.add_pod(pod, node.name)
            nodes.append(node.name)
        return nodes

    def best_thoroughly(self, pod: PodInfo, within: Mask | None = None, extra: Vector | None = None) -> NodeInfo | None:
        """The best node for one pod, all things considered."""
        shape, table = self.shapes.of(pod), self._snapshot.table
        allowed = self.allowed(shape) if within is None else self.allowed(shape) & within
        rows = np.flatnonzero(allowed)
        rows = rows[room_for(table, shape, rows)]
        questions = checks(pod, self._snapshot)
        if isinstance(questions, Refusal):
            return None
        possible = [node for number in rows.tolist() if (node := self._free_of(pod, number, questions)) is not None]
        if not possible:
            return None
        possible.sort(key=lambda node: node.name)
        rows = np.array([table.index[node.name] for node in possible], dtype=np.intp)
        rates = rate(Nodes(table, rows, shape), self.profile.by_use)
        if extra is not None:
            rates += extra.take(rows)
        for score, weight in self.profile.thorough:
            found = score(pod, self._snapshot, possible)
            if found is not None:
                rates += weight * np.array(found)
        return possible[int(rates.argmax())]

    def _free_of(self, pod: PodInfo, number: int, questions: list[tuple[str, Check]]) -> NodeInfo | None:
        node = self._snapshot.node(self._snapshot.table.names[number])
        if node is None or refusal_of(pod, node, questions, self._snapshot) is not None:
            return None
        return node

    # --- why not

    def reasons(self, pod: PodInfo, *, future: bool = False) -> tuple[int, dict[NodeCause, int]]:
        """How many nodes there are, and how many of them refuse the pod for each cause."""
        shape, table = self.shapes.of(pod), self._snapshot.table
        nodes = int(table.present[: len(table)].sum())
        allowed = self.allowed(shape)
        found = dict(self._refusing[shape.where])
        enough = allowed.copy()
        for column, amount in zip(shape.columns, shape.amounts, strict=True):
            lacks = allowed & (table.free(column, future=future) + TOLERANCE < amount)
            enough &= ~lacks
            if lacks.any():
                found[insufficient(name_of(column))] = int(lacks.sum())
        if not self.is_quick(shape):
            self._ask_each(pod, enough, found)
        return nodes, found

    def _ask_each(self, pod: PodInfo, enough: Mask, found: dict[NodeCause, int]) -> None:
        questions = checks(pod, self._snapshot)
        if isinstance(questions, Refusal):
            found[questions.causes[0]] = int(enough.sum())
            return
        for number in np.flatnonzero(enough).tolist():
            node = self._snapshot.node(self._snapshot.table.names[number])
            refusal = first_refusal(questions, node) if node is not None else None
            for cause in refusal.causes if refusal is not None else ():
                found[cause] = found.get(cause, 0) + 1
