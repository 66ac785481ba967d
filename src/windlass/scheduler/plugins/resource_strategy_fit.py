"""`resource-strategy-fit`: for each resource, whether nodes that are full of it or those that are empty are better."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import Vector, column
from windlass.scheduler.model.jobs import Job, Task
from windlass.scheduler.placing.ranking import Weighted
from windlass.scheduler.placing.shapes import Shape
from windlass.scheduler.placing.use_scores import Amount, Nodes, View

ANNOTATION = "volcano.sh/resource-strategy-scoring-type"
"""Of a pod: which of the two it wants, for all resources."""
LEAST, MOST = "LeastAllocated", "MostAllocated"
WEIGHT = 10
Strategy = tuple[int, str, float]
"""Resource, which of the two, weight."""


class ResourceStrategyFit(Plugin):
    NAME = "resource-strategy-fit"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        weight = arguments.number("resourceStrategyFitWeight", WEIGHT)
        self._weight = weight if weight > 0 else WEIGHT
        self._strategies = _strategies(arguments)

    def open(self, session: Session) -> None:
        self._session = session

    def use_scores(self) -> Weighted:
        return ((self._score, self._weight),)

    def _score(self, view: View) -> Amount:
        return score(view, self._strategies)

    # --- pods that want it otherwise

    def _preference(self, task: Task) -> str | None:
        wish = task.pod.pod.metadata.annotations.get(ANNOTATION)
        return wish if wish in (LEAST, MOST) else None

    def one_at_a_time(self, shape: Shape, job: Job) -> bool:
        task = next(iter(job.pending.values()), None)
        return task is not None and self._preference(task) is not None

    def node_score(self, task: Task) -> Vector | None:
        """What the pod's own wish changes in the score of all pods."""
        wish = self._preference(task)
        if wish is None:
            return None
        table, shape = self._session.cluster.snapshot.table, self._session.placer.shapes.of(task.pod)
        view = Nodes(table, np.arange(len(table), dtype=np.intp), shape)
        wanted = score(view, [(number, wish, weight) for number, _, weight in self._strategies])
        return self._weight * (wanted - score(view, self._strategies)) + np.zeros(len(table))


def score(view: View, strategies: list[Strategy]) -> Amount:
    """0 to 100; 0 where something would not fit."""
    total, fits, weights = view.none, True, 0.0
    for number, which, weight in strategies:
        request = view.shape.asks(number)
        if request <= 0:
            continue
        offered = view.allocatable(number)
        used = view.used(number) + request
        fits = ((used <= offered) | (offered <= 0)) & fits
        share = used / view.pick(offered > 0, offered, 1)
        total = total + weight * (share if which == MOST else 1 - share) * (offered > 0)
        weights += weight
    return view.pick(fits, total * 100 / weights, 0.0) if weights else view.none


def _strategies(arguments: Arguments) -> list[Strategy]:
    given: Any = arguments.raw("resources") or {}
    if not isinstance(given, Mapping):
        arguments.warnings.append(f"resource-strategy-fit: resources: {given!r} is not a mapping")
        given = {}
    given = given or {name: {"type": LEAST, "weight": 1} for name in ("cpu", "memory")}
    found: list[Strategy] = []
    for name, told in given.items():
        where = f"resource-strategy-fit: resources.{name}"
        inner = Arguments(told if isinstance(told, Mapping) else {}, where)
        which, weight = inner.text("type", LEAST), inner.number("weight", 1)
        if which not in (LEAST, MOST):
            inner.warnings.append(f"{where}.type: {which!r} is neither {LEAST} nor {MOST}")
            which = LEAST
        arguments.warnings += inner.warnings
        found.append((column(str(name)), which, weight if weight > 0 else 1.0))
    return found
