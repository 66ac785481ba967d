"""How many pods of each node a rule is about: counted when first asked, then kept up to date pod by pod.

So a decision about affinity or spread costs by the number of nodes, however many pods they have.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from windlass.scheduler.model.pod_info import PodInfo

MAX_KEPT = 64  # each is updated with every pod that comes or goes


@dataclass(slots=True)
class Tally:
    """One rule's pods, by the name of their node."""

    counts_for: Callable[[PodInfo], bool]
    by_node: Counter[str] = field(default_factory=Counter[str])

    def add(self, pod: PodInfo, node: str, sign: int) -> None:
        if self.counts_for(pod):
            self.by_node[node] += sign


class Tallies:
    """Those that were asked for last. `rule` identifies them; pods of one rule must not change their mind."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Tally] = OrderedDict()

    def of(
        self, rule: Hashable, counts_for: Callable[[PodInfo], bool], there: Iterable[tuple[str, Iterable[PodInfo]]]
    ) -> Mapping[str, int]:
        """By node; `there` is every pod by its node, read only when the rule is new."""
        found = self._kept.get(rule)
        if found is None:
            found = self._kept[rule] = Tally(counts_for)
            for node, pods in there:
                for pod in pods:
                    found.add(pod, node, 1)
            if len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(rule)
        return found.by_node

    def add(self, pod: PodInfo, node: str, sign: int) -> None:
        """A pod came to the node (1) or left it (-1)."""
        for tally in self._kept.values():
            tally.add(pod, node, sign)

    def clear(self) -> None:
        """What pods are judged by has changed: count again when asked."""
        self._kept.clear()
