"""What the agent sees of one pod at one moment: all that `decide` is told besides the pod's object.

Whatever is about one run of a container names its `attempt`; what is told of another run than the newest is ignored.
So the agent may be late to forget. Nothing here needs to survive a restart of the agent: an agent that has just begun
knows `facts`, and finds out the rest again.
"""

from typing import Literal

from msgspec import Struct

from windlass.node.runtimes.base import PodFacts


class Trouble(Struct, frozen=True):
    """Something that failed `times` times in a row, and may be tried again at `retry_at`.

    `about` is the image that could not be had, or has no program: a container with another one is not in trouble.
    """

    reason: str
    message: str
    times: int = 1
    retry_at: float = 0.0
    about: str = ""


class Verdicts(Struct, frozen=True):
    """What the probes of a running container say by their thresholds; None: no verdict yet, or no such probe."""

    attempt: int
    started: bool | None = None
    """False: the startup probe has failed for good."""
    ready: bool | None = None
    live: bool | None = None


class Stopping(Struct, frozen=True):
    """A stop that is under way: preStop, the stop signal and SIGKILL are the agent's."""

    attempt: int
    since: float
    grace: float


class HookState(Struct, frozen=True):
    """The postStart hook of a run. A running container that is not named has no hook, or its hook is done."""

    attempt: int
    state: Literal["pending", "done", "failed"]
    message: str = ""


class ImageRef(Struct, frozen=True):
    """An image that is there: the reference as the pod names it, and its id (`sha256:…`)."""

    reference: str
    id: str
    attempt: int | None = None
    """The run that it was pulled for (`Pull.attempt`): the pull policy Always wants it to be the next one."""


class Rejection(Struct, frozen=True):
    """The node does not take the pod: `OutOfcpu`, `NodeAffinity`, `UnexpectedAdmissionError` …"""

    reason: str
    message: str


class Eviction(Struct, frozen=True):
    """The node puts the pod out, to save itself."""

    message: str
    reason: str = "Evicted"
    grace: float = 1.0


class Observed(Struct, frozen=True, kw_only=True):
    """One pod, seen from its node. Dictionaries are by container name.

    `prepared`: volumes, sandbox and network are ready in this life of the agent; `trouble`: why they are not. A sandbox
    that runs since before the agent may hold running containers though `prepared` is False.
    """

    now: float
    node_name: str = ""
    host_ip: str = ""
    facts: PodFacts | None = None
    prepared: bool = False
    trouble: Trouble | None = None
    address: str = ""
    images: dict[str, ImageRef] = {}
    pulling: frozenset[str] = frozenset()
    pull_troubles: dict[str, Trouble] = {}
    """ErrImagePull, ErrImageNeverPull, InvalidImageName. ImagePullBackOff is made of ErrImagePull here."""
    config_troubles: dict[str, Trouble] = {}
    """CreateContainerConfigError, CreateContainerError, RunContainerError."""
    verdicts: dict[str, Verdicts] = {}
    stopping: dict[str, Stopping] = {}
    hooks: dict[str, HookState] = {}
    rejection: Rejection | None = None
    evicting: Eviction | None = None
