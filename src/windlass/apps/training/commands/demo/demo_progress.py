"""The demo's progress: the state of each replica, and its losses. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from windlass.apps.training.jobs.state.job_state import job_state, replica_name, replicas
from windlass.kube.json import dig, dig_list

EPOCH = re.compile(r"epoch (\d+)/(\d+) loss ([\d.]+)")
ACCURACY = re.compile(r"accuracy ([\d.]+)")
BARS = "▁▂▃▄▅▆▇█"


@dataclass
class Replica:
    """A pod of the job."""

    state: str = "-"
    epoch: int = 0
    epochs: int = 0
    losses: list[float] = field(default_factory=list[float])

    @property
    def loss(self) -> str:
        return f"{self.losses[-1]:.3f}" if self.losses else "-"

    @property
    def curve(self) -> str:
        """The losses as a row of bars, scaled to the highest."""
        top = max(self.losses, default=0.0) or 1.0
        return "".join(BARS[min(len(BARS) - 1, int(loss / top * len(BARS)))] for loss in self.losses)


@dataclass
class Progress:
    """Updated with log lines and objects as they arrive."""

    replicas: dict[str, Replica] = field(default_factory=dict[str, Replica])
    state: str = "Pending"
    ready: int = 0
    total: int = 0
    accuracy: float | None = None

    def read_line(self, replica: str, text: str) -> Replica:
        """Read a line of a replica's log, and return the replica."""
        one = self.replicas.setdefault(replica, Replica())
        if match := EPOCH.search(text):
            one.epoch, one.epochs = int(match[1]), int(match[2])
            one.losses.append(float(match[3]))
        if match := ACCURACY.search(text):
            self.accuracy = float(match[1])
        return one

    def update(self, job: Mapping[str, Any] | None, pods: list[dict[str, Any]]) -> None:
        if job is not None:
            self.state, (self.ready, self.total) = job_state(job), replicas(job)
        for pod in pods:
            self.replicas.setdefault(replica_name(pod), Replica()).state = pod_state(pod)


def pod_state(pod: Mapping[str, Any]) -> str:
    """The reason for which a pod waits, or its phase."""
    for status in dig_list(pod, "status", "containerStatuses"):
        waits = dig(status, "state", "waiting", "reason")
        if waits:
            return str(waits)
    return str(dig(pod, "status", "phase") or "Pending")
