"""Children whose name something else has: they are left alone, and the object that wants them reports it. Pure."""

from windlass.apis.wellknown import NAME_CONFLICT
from windlass.kube.meta import Object
from windlass.kube.plan import Event, Outcome
from windlass.kube.refusals import NotOurs


def is_controlled_by(owner: Object, child: Object) -> bool:
    """Whether the child is the owner's own, not one of another object that wants the same name."""
    controller = child.metadata.controller
    return controller is not None and controller.uid == owner.metadata.uid


def report_conflict(owner: Object, outcome: Outcome) -> Event | None:
    """The event of a child that belongs to something else; None for every other outcome."""
    if isinstance(outcome.error, NotOurs):
        return Event(reason=NAME_CONFLICT, message=outcome.server_message, warning=True)
    return None
