"""How busy nodes are, from what metrics.k8s.io says of them: averages of ten minutes, in percent of what they offer."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_object
from windlass.scheduler.model.amounts import amounts_of
from windlass.scheduler.model.cluster import Usage
from windlass.scheduler.model.parsing import seconds_of

WINDOW = 600.0
Offers = Mapping[str, Mapping[str, int]]
"""What each node offers, by name: cpu in thousandths, memory in bytes."""


@dataclass(slots=True)
class NodeUsage:
    """Collects NodeMetrics as they come; `now` is what to put on the cluster (`Cluster.usage`)."""

    _samples: dict[str, deque[Usage]] = field(default_factory=dict[str, "deque[Usage]"])

    def add(self, metrics: Iterable[Json], offers: Offers) -> None:
        """One that is no later than the last of its node says nothing new; what cannot be read is left out."""
        for one in metrics:
            name = str(dig(one, "metadata", "name") or "")
            sample = _sample(one, offers.get(name, {}))
            if sample is None:
                continue
            known = self._samples.setdefault(name, deque())
            if not known or sample.at > known[-1].at:
                known.append(sample)
            while known[-1].at - known[0].at > WINDOW:
                known.popleft()
        for name in [name for name in self._samples if name not in offers]:
            del self._samples[name]

    def now(self) -> dict[str, Usage]:
        return {name: _average(samples) for name, samples in self._samples.items()}


def _sample(metrics: Json, offers: Mapping[str, int]) -> Usage | None:
    try:
        used = amounts_of(dig_object(metrics, "usage"))
    except ValueError:
        return None
    at = seconds_of(dig(metrics, "timestamp"))
    if not at or not offers.get("cpu") or not offers.get("memory"):
        return None
    cpu, memory = (100 * used.get(name, 0) / offers[name] for name in ("cpu", "memory"))
    return Usage(cpu, memory, at)


def _average(samples: deque[Usage]) -> Usage:
    number = len(samples)
    return Usage(sum(one.cpu for one in samples) / number, sum(one.memory for one in samples) / number, samples[-1].at)
