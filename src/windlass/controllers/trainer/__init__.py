"""TrainJobs: each becomes a JobSet, as its runtime says."""

from windlass.controllers.trainer import keys, reconcile
from windlass.kube.controller import AnyController

NAME = "trainjob"
"""What `--enable-scheme` calls them."""


def controllers(coscheduler: str = "") -> tuple[AnyController, ...]:
    return (reconcile.controller(coscheduler), keys.CONTROLLER)
