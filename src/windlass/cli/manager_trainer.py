"""Whether the manager looks after TrainJobs, and after the JobSets that they are made of."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.controllers.trainer.gang import Gangs
    from windlass.kube.api import Api
    from windlass.kube.controller import AnyController

COSCHEDULER = "scheduler-plugins-scheduler"
"""Whose groups Windlass' own scheduler knows by that name; what a cluster calls it only the cluster knows."""


async def trainer_controllers(api: "Api", asked: frozenset[str], *, is_embedded: bool) -> "tuple[AnyController, ...]":
    """Here unless other schemes are named; on a cluster, which may have Trainer and JobSet of its own, if asked."""
    from windlass.controllers import jobset, trainer

    def is_wanted(name: str) -> bool:
        return name in asked or (not asked and is_embedded)

    sets = jobset.controllers() if is_wanted(jobset.NAME) else ()
    if not is_wanted(trainer.NAME):
        return sets
    return (*trainer.controllers(own_gangs() if is_embedded else await _gangs_of(api)), *sets)


def own_gangs() -> "Gangs":
    """Those of Windlass' own server."""
    from windlass.controllers.trainer.gang import Gangs

    return Gangs(coscheduler=COSCHEDULER)


async def _gangs_of(api: "Api") -> "Gangs":
    """Those of a cluster, which need not have any."""
    from windlass.controllers.trainer.gang import ALL_GANGS, Gangs

    return Gangs(served=ALL_GANGS.served & {kind.api_version for kind in await api.served() if kind.name == "PodGroup"})
