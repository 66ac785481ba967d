"""`usage`: nodes that are busy in fact, whatever is asked of them, get no more pods; less busy ones are better.

What it knows is in `Cluster.usage`, which the running scheduler fills: averages of some minutes, in percent.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from windlass.apis.reasons import NodeCause
from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import Mask, Vector
from windlass.scheduler.model.jobs import Task

FRESH = 300.0  # seconds after which a measurement is of no account


class Usage(Plugin):
    NAME = "usage"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self._weight = arguments.number("usage.weight", 5)
        self._weights = (arguments.number("cpu.weight", 1), arguments.number("memory.weight", 1))
        given = arguments.raw("thresholds")
        limits: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        thresholds = Arguments(limits, "usage: thresholds")
        self._limits = (thresholds.number("cpu", 80), thresholds.number("mem", 80))
        arguments.warnings += thresholds.warnings

    def open(self, session: Session) -> None:
        self._session = session
        self._read: tuple[Mask, Mask, Vector] | None = None

    def node_mask(self, task: Task) -> Mask | None:
        cpu, memory, _ = self._now()
        return ~(cpu | memory) if cpu.any() or memory.any() else None

    def node_cause(self, task: Task) -> NodeCause:
        return NodeCause("CpuLoad" if self._now()[0].any() else "MemoryLoad")

    def node_score(self, task: Task) -> Vector | None:
        score = self._now()[2]
        return score if self._session.cluster.usage else None

    def _now(self) -> tuple[Mask, Mask, Vector]:
        """Which nodes use too much cpu, which too much memory, and how good each is; read once a cycle."""
        cluster = self._session.cluster
        size = len(cluster.snapshot.table)
        if self._read is None or len(self._read[0]) != size:
            cpu, memory, score = np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_), np.zeros(size)
            for name, usage in cluster.usage.items():
                number = cluster.snapshot.table.index.get(name)
                if number is None or self._session.now - usage.at > FRESH:
                    continue
                cpu[number], memory[number] = usage.cpu > self._limits[0], usage.memory > self._limits[1]
                score[number] = self._score(usage.cpu, usage.memory)
            self._read = (cpu, memory, score)
        return self._read

    def _score(self, cpu: float, memory: float) -> float:
        total = sum(self._weights)
        if not total:
            return 0.0
        idle = self._weights[0] * (100 - cpu) / 100 + self._weights[1] * (100 - memory) / 100
        return 100 * self._weight * idle / total
