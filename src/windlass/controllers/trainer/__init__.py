"""TrainJobs: each becomes a JobSet, as its runtime says."""

from windlass.controllers.trainer import keys, reconcile
from windlass.controllers.trainer.gang import ALL_GANGS, Gangs
from windlass.kube.controller import AnyController

NAME = "trainjob"
"""What `--enable-scheme` calls them."""


def controllers(gangs: Gangs = ALL_GANGS) -> tuple[AnyController, ...]:
    return (reconcile.controller(gangs), keys.CONTROLLER)
