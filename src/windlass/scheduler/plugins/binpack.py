"""`binpack`: the fuller node is better, so that large pods find whole nodes."""

from windlass.apis.wellknown import NVIDIA_GPU
from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.model.columns import CPU, GPU, column
from windlass.scheduler.placing.ranking import Weighted
from windlass.scheduler.placing.use_scores import Amount, View

GPU_WEIGHT = 10.0
"""Of nvidia.com/gpu where nobody says otherwise: GPUs are what gangs wait for."""
CPU_BESIDE_A_GPU = 10_000.0
"""Thousandths of a core that a pod with a GPU needs beside it, where that must be guessed."""


class Binpack(Plugin):
    NAME = "binpack"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self._weight = arguments.number("binpack.weight", 1)
        weights = {"cpu": arguments.number("binpack.cpu", 1), "memory": arguments.number("binpack.memory", 1)}
        listed = [name.strip() for name in arguments.text("binpack.resources").split(",") if name.strip()]
        weights |= {name: arguments.number(f"binpack.resources.{name}", 1) for name in listed}
        if not listed:
            weights[NVIDIA_GPU] = arguments.number("binpack.resources.nvidia.com/gpu", GPU_WEIGHT)
        self._sparing = arguments.number("binpack.sparing.weight", 0, least=0)
        self._weights = tuple((column(name), weight) for name, weight in weights.items() if weight > 0)

    def use_scores(self) -> Weighted:
        scores = (self._score, self._weight), (sparing, self._sparing)
        return tuple((score, weight) for score, weight in scores if weight)

    def _score(self, view: View) -> Amount:
        """The weighted share of what is asked that would be in use; 0 where it would be more than there is."""
        total, fits, weights = view.none, True, 0.0
        for number, weight in self._weights:
            request = view.shape.asks(number)
            if request <= 0:
                continue
            offered = view.allocatable(number)
            used = view.used(number) + request
            fits = (used <= offered) & fits
            total = total + weight * used / view.pick(offered > 0, offered, 1)
            weights += weight
        return 100 * total / weights * fits if weights else total


def sparing(view: View) -> Amount:
    """Pods that need much cpu beside a GPU, or no GPU, should not be where GPUs would then lie idle for want of cpu.

    The part of the node's GPUs that could be used if all its pods were like this one; for a pod without a GPU the part
    of its cpu that its GPUs leave over. What is used now does not matter: its neighbours may be gone before it is.
    """
    gpus, cpus = view.allocatable(GPU), view.most(view.allocatable(CPU), 1)
    gpu, cpu = view.shape.asks(GPU), view.shape.asks(CPU)
    if gpu > 0:
        part = cpus * gpu / (view.most(gpus, 1) * cpu) if cpu > 0 else 1.0
        return 100 * view.least(part, 1.0)
    return 100 * view.most(1 - gpus * CPU_BESIDE_A_GPU / cpus, 0.0)
