"""Which workloads the recycle bin stops itself, and which it leaves to the object that made them."""

from windlass.kube.meta import Object

STARTERS = frozenset({"CronJob", "CronWorkflow", "JobFlow", "ScheduledWorkflow"})
"""Kinds that start others: stopping them does not stop what they have started."""


def is_root(obj: Object) -> bool:
    """Whether no other object stops this one along with itself, and would undo a change of it."""
    controller = obj.metadata.controller
    return controller is None or controller.kind in STARTERS
