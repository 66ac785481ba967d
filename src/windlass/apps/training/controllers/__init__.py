"""Training jobs: one engine for every framework; what a framework is stands in `windlass.apps.training.frameworks`."""

from collections.abc import Iterator
from dataclasses import replace

from windlass.apis.scheduling_volcano_v1beta1 import VOLCANO_SCHEDULER
from windlass.apps.training.controllers.chainer import reconcile as chainer
from windlass.apps.training.controllers.engine.gang import KUBE_BATCH, gang_for
from windlass.apps.training.controllers.engine.reconcile import controller
from windlass.apps.training.controllers.metrics import TrainingMetrics, counting
from windlass.apps.training.controllers.mpi import keys
from windlass.apps.training.controllers.mpi import metrics as mpi_metrics
from windlass.apps.training.controllers.mpi import reconcile as mpi
from windlass.apps.training.frameworks import FRAMEWORKS
from windlass.apps.training.options import DEFAULTS, Options
from windlass.controllers.context import Context
from windlass.kube.controller import AnyController, Service

CHAINER, MPI = "chainerjob", "mpijob"
"""Kinds that need more than the engine; of MPIJob, those that were made as v2beta1."""


def kinds() -> frozenset[str]:
    """The names of the training kinds, in small letters."""
    return frozenset((*(framework.name.lower() for framework in FRAMEWORKS), CHAINER))


def controllers(options: Options = DEFAULTS, only: frozenset[str] = frozenset()) -> tuple[AnyController, ...]:
    """What runs training jobs, of all kinds or of those that `only` names."""
    metrics = TrainingMetrics()
    frameworks = [framework for framework in FRAMEWORKS if not only or framework.name.lower() in only]
    wanted: list[AnyController] = [controller(framework, options, metrics.event_for) for framework in frameworks]
    if not only or MPI in only:
        wanted += [mpi.controller(options), keys.CONTROLLER, mpi_metrics.COUNTING]
    if not only or CHAINER in only:
        wanted.append(chainer.controller(options))
    counter = counting(metrics, gang_for(options.used_gang_scheduler), frameworks)
    threads = options.controller_threads
    return (counter, *(each if isinstance(each, Service) else replace(each, workers=threads) for each in wanted))


def app_controllers(context: Context) -> tuple[AnyController, ...]:
    return controllers(context.options_of(Options), context.schemes & kinds())


def controllers_of_all_configurations() -> Iterator[AnyController]:
    """With each scheduler of gangs: what they see and make together is what a manager may have to do."""
    for scheduler in ("", VOLCANO_SCHEDULER, KUBE_BATCH, "scheduler-plugins-scheduler"):
        yield from controllers(Options(gang_scheduler=scheduler))
