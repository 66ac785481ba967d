"""What `decide` may answer: things for the agent to do, the pod's new status, events to tell, and when to ask again.

Every instruction may be repeated until what it asks for is observed: one that is under way already is left alone.

The agent writes the status before it does `Remove` and `Finish`, since they remove what the status is made from. The
rest it may do first. It hands the newest status that it has written to the next `decide`, even if its cache is behind.
"""

from typing import TypeAlias

from msgspec import Struct

from windlass.kube.json import Object


class Prepare(Struct, frozen=True, tag=True):
    """Make ready what the containers need: volumes, sandbox, network. A sandbox that is not alive is replaced."""


class Pull(Struct, frozen=True, tag=True):
    """Get the image for the next run of a container. `policy` is Always or IfNotPresent."""

    container: str
    reference: str
    policy: str
    attempt: int


class Start(Struct, frozen=True, tag=True):
    """Start a container, then run its postStart hook if it has one (`Observed.hooks`)."""

    container: str
    attempt: int
    spec_hash: str


class Stop(Struct, frozen=True, tag=True):
    """Run preStop, send the stop signal, and SIGKILL when `grace` seconds are over, all counted from the beginning.

    For a stop that is under way already: end it sooner, by `grace` from now.
    """

    container: str
    attempt: int
    grace: float
    reason: str
    """Why: Terminating, Unhealthy, PostStartHook, Changed."""


class Remove(Struct, frozen=True, tag=True):
    """Take down sandbox, network and volumes. The logs stay as long as the pod's object does."""


class Finish(Struct, frozen=True, tag=True):
    """Delete the pod's object with a grace of 0 and its uid as precondition."""


Instruction: TypeAlias = Prepare | Pull | Start | Stop | Remove | Finish


class Note(Struct, frozen=True):
    """An Event on the pod; `field_path` says which container it is about (`spec.containers{main}`)."""

    reason: str
    message: str
    warning: bool = False
    field_path: str = ""


class Decision(Struct, frozen=True):
    """`status` is whole: it replaces the pod's. Without anything happening, ask again at `wake_at`."""

    do: tuple[Instruction, ...]
    status: Object
    events: tuple[Note, ...] = ()
    wake_at: float | None = None
