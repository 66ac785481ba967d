"""Whether the manager looks after TrainJobs, and after the JobSets that they are made of."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.kube.controller import AnyController

COSCHEDULER = "scheduler-plugins-scheduler"
"""Whose groups Windlass' own scheduler knows by that name; what a cluster calls it only the cluster knows."""


def trainer_controllers(asked: frozenset[str], *, is_embedded: bool) -> "tuple[AnyController, ...]":
    """Here unless other schemes are named; on a cluster, which may have Trainer and JobSet of its own, if asked."""
    from windlass.controllers import jobset, trainer

    def is_wanted(name: str) -> bool:
        return name in asked or (not asked and is_embedded)

    jobs = trainer.controllers(COSCHEDULER if is_embedded else "") if is_wanted(trainer.NAME) else ()
    sets = jobset.controllers() if is_wanted(jobset.NAME) else ()
    return (*jobs, *sets)
