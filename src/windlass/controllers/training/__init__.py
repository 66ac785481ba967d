"""Training jobs: one engine for every framework; what a framework is stands in `windlass.apis.training.frameworks`."""

from windlass.apis.training.frameworks import FRAMEWORKS
from windlass.apis.training.options import DEFAULTS, Options
from windlass.controllers.training.chainer import reconcile as chainer
from windlass.controllers.training.engine.gang import gang_for
from windlass.controllers.training.engine.reconcile import controller
from windlass.controllers.training.metrics import TrainingMetrics, counting
from windlass.controllers.training.mpi import keys
from windlass.controllers.training.mpi import metrics as mpi_metrics
from windlass.controllers.training.mpi import reconcile as mpi
from windlass.kube.controller import AnyController

CHAINER, MPI = "chainerjob", "mpijob"
"""Kinds that need more than the engine; of MPIJob, those that were made as v2beta1."""


def kinds() -> frozenset[str]:
    """The names of the training kinds, in small letters."""
    return frozenset((*(framework.name.lower() for framework in FRAMEWORKS), CHAINER))


def controllers(options: Options = DEFAULTS, only: frozenset[str] = frozenset()) -> tuple[AnyController, ...]:
    """What runs training jobs: of all kinds, or of those that `only` names."""
    metrics = TrainingMetrics()
    wanted = [(framework.name.lower(), controller(framework, options, metrics.tell)) for framework in FRAMEWORKS]
    more: list[tuple[str, AnyController]] = [
        (MPI, mpi.controller(options)),
        (MPI, keys.CONTROLLER),
        (MPI, mpi_metrics.COUNTING),
        (CHAINER, chainer.controller(options)),
    ]
    counter = counting(metrics, gang_for(options.gang_scheduler))
    return (counter, *(each for name, each in [*wanted, *more] if not only or name in only))
