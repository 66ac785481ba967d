"""The result of `decide`: instructions for the agent, the pod's new status, events, and when to decide again.

Every instruction may be repeated until its result is observed; one that is in progress is not started again. The agent
writes the status before it carries out `Remove` and `Finish`, since these remove what the status is derived from; other
instructions may run first. It passes the newest status that it wrote to the next `decide`, even if its cache is behind.
"""

from typing import TypeAlias

from msgspec import Struct

from windlass.kube.json import Object


class Prepare(Struct, frozen=True, tag=True):
    """Set up what the containers need: volumes, sandbox, network. A sandbox that is not alive is replaced."""


class Pull(Struct, frozen=True, tag=True):
    """Pull the image for the next run of a container. `policy` is Always or IfNotPresent."""

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
    """Run preStop, send the stop signal, and SIGKILL after `grace` seconds, all counted from the beginning.

    For a stop in progress: shorten it to end `grace` seconds from now.
    """

    container: str
    attempt: int
    grace: float
    reason: str
    """Why: Terminating, Unhealthy, PostStartHook, Changed."""


class Remove(Struct, frozen=True, tag=True):
    """Remove sandbox, network and volumes. The logs stay as long as the pod's object does."""


class Finish(Struct, frozen=True, tag=True):
    """Delete the pod's object with a grace of 0 and its uid as precondition."""


Instruction: TypeAlias = Prepare | Pull | Start | Stop | Remove | Finish


class EventRecord(Struct, frozen=True):
    """An Event on the pod; `field_path` says which container it is image (`spec.containers{main}`)."""

    reason: str
    message: str
    warning: bool = False
    field_path: str = ""


class Decision(Struct, frozen=True):
    """The result of one decision.

    `status` replaces the pod's whole status. If nothing happens, decide again at `wake_at`.
    """

    do: tuple[Instruction, ...]
    status: Object
    events: tuple[EventRecord, ...] = ()
    wake_at: float | None = None
