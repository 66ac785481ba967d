"""TrainJobs: each becomes a JobSet, as its runtime says."""

from windlass.apps.trainer.controllers import keys, reconcile
from windlass.apps.trainer.gang import ALL_GANGS, EMBEDDED_GANGS, Gangs
from windlass.controllers.context import Context
from windlass.kube.controller import AnyController


def controllers(gangs: Gangs = ALL_GANGS) -> tuple[AnyController, ...]:
    return (reconcile.controller(gangs), keys.CONTROLLER)


def app_controllers(context: Context) -> tuple[AnyController, ...]:
    return controllers(EMBEDDED_GANGS if context.is_embedded else _gangs_served_by(context))


def _gangs_served_by(context: Context) -> Gangs:
    """A cluster need not have any kind of PodGroup."""
    served = {kind.api_version for kind in context.served if kind.name == "PodGroup"}
    return Gangs(served=ALL_GANGS.served & served)
