"""`nodeorder`: Kubernetes' own scores, with weights that one may set."""

from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.model.columns import CPU, GPU, MEMORY
from windlass.scheduler.placing.ranking import Weighted
from windlass.scheduler.placing.use_scores import Amount, UseScore, View, fullest_first, least_allocated
from windlass.scheduler.scores import Score, pod_affinity, preferences, spread

_THOROUGH: tuple[tuple[str, Score, float], ...] = (
    ("tainttoleration.weight", preferences.taints, 3),
    ("nodeaffinity.weight", preferences.node_affinity, 2),
    ("podtopologyspread.weight", spread.score, 2),
    ("podaffinity.weight", pod_affinity.score, 2),
)


class NodeOrder(Plugin):
    NAME = "nodeorder"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        by_use: list[tuple[UseScore, float]] = [
            (least_allocated, arguments.number("leastrequested.weight", 1)),
            (fullest_first, arguments.number("mostrequested.weight", 0)),
            (balanced, arguments.number("balancedresource.weight", 1)),
        ]
        self._by_use: Weighted = tuple((score, weight) for score, weight in by_use if weight)
        found = ((score, arguments.number(name, default)) for name, score, default in _THOROUGH)
        self._thorough = tuple((score, weight) for score, weight in found if weight)

    def use_scores(self) -> Weighted:
        return self._by_use

    def thorough_scores(self) -> tuple[tuple[Score, float], ...]:
        return self._thorough


def balanced(view: View) -> Amount:
    """100 where cpu, memory and GPUs would be used to the same share; of those that the node has."""
    total, squares, count = view.none, view.none, view.none
    for column in (CPU, MEMORY, GPU):
        offered = view.allocatable(column)
        there = offered > 0
        used = view.least((view.used(column) + view.shape.asks(column)) / view.pick(there, offered, 1), 1.0) * there
        total, squares, count = total + used, squares + used * used, count + there
    count = view.most(count, 1)
    variance = view.most(squares / count - (total / count) ** 2, 0.0)
    return view.trunc((1 - view.root(variance)) * 100)
