"""A plan: what a reconcile decided, in the order in which it happens.

The actions are carried out one after the other, then the status is written, then the events are recorded. An action
that the server answers with an error ends the plan; the object is reconciled again later. A process that is killed
half-way leaves the actions behind it done and those ahead undone, so a plan must put what a later reconcile relies on
(a count, a mark) before what destroys the evidence.

    Plan([Patch(job, counted), Apply(service(job)), *map(Create, pods), *map(Delete, surplus)], status=status)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal, TypeAlias

from windlass.kube.errors import ApiError
from windlass.kube.json import Object as Json
from windlass.kube.meta import Struct
from windlass.kube.objects import AnyObject


@dataclass(frozen=True, slots=True)
class Patch:
    """Merge `patch` into an object, unless the object has changed since it was observed."""

    obj: AnyObject
    patch: Json


@dataclass(frozen=True, slots=True)
class PatchStatus:
    """Merge `status` into the status of an object, unless the object has changed since it was observed."""

    obj: AnyObject
    status: Json


@dataclass(frozen=True, slots=True)
class CreateUnowned:
    """Create an object that outlives the owner (a claim), unless the name exists."""

    obj: AnyObject


@dataclass(frozen=True, slots=True)
class Adopt:
    """Make an object that has no controller a child, unless the owner is gone or being deleted."""

    obj: AnyObject


@dataclass(frozen=True, slots=True)
class Apply:
    """Apply a child server-side, with the fields that the controller owns."""

    obj: AnyObject


@dataclass(frozen=True, slots=True)
class Create:
    """Create a child once and leave it as it is from then on (a pod)."""

    obj: AnyObject


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete an object; with `foreground`, only after all that belongs to it is gone.

    A foreground deletion keeps the name taken, so another object of that name starts with nothing left over.
    """

    obj: AnyObject
    foreground: bool = field(default=False, kw_only=True)


Action: TypeAlias = Patch | PatchStatus | CreateUnowned | Adopt | Apply | Create | Delete


def delete_foreground(obj: AnyObject) -> Delete:
    return Delete(obj, foreground=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A Kubernetes Event on the object, which `kubectl describe` shows."""

    reason: str
    message: str
    warning: bool = False


Verb: TypeAlias = Literal["apply", "create", "delete", "patch"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """An action that was carried out, or refused with `error`: what `Controller.event_for` turns into an event.

    Of applied children only refusals are reported: that a child is as wanted is nothing new.
    """

    verb: Verb
    obj: AnyObject
    error: ApiError | None = None
    before: AnyObject | None = None
    """The object as it was observed before it was patched or applied."""

    @property
    def server_message(self) -> str:
        """The server's reason for the refusal."""
        return self.error.message if self.error is not None else ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer of a reconcile; what it does not name is left alone. See the module for the order of its effects.

    Actions that add children (`CreateUnowned`, `Adopt`, `Apply`, `Create`) are skipped while the owner is deleted.
    """

    actions: Sequence[Action] = ()
    status: Struct | None = field(default=None, kw_only=True)
    """The object's new status, whole."""
    events: Sequence[Event] = field(default=(), kw_only=True)
    """Recorded once the actions are done and the status is written."""
    again_in: timedelta | None = field(default=None, kw_only=True)
    """Reconcile again then, even if nothing changes."""
    status_if_refused: Callable[[Sequence[Outcome]], Struct] | None = field(default=None, kw_only=True)
    """The status to write instead if the server refused a child.

    With it, each run of `Create` (or of `Delete`) actions is carried out in concurrent batches that double until one
    has a failure; the run then ends and the plan continues with the next. With or without it, each refusal is an event
    on the object (`Controller.event_for`, or else a default), and the object is reconciled again with a growing delay.
    """
