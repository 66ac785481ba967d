"""The observed state of one pod: everything that `decide` gets besides the pod's object.

What concerns one run of a container carries its `attempt`; entries about another run than the newest are ignored, so
the agent may be late to remove them. Nothing here needs to survive a restart: a new agent starts with `facts` and
observes the rest again.
"""

from typing import Literal

from msgspec import Struct

from windlass.node.runtimes.base import PodFacts


class Failure(Struct, frozen=True):
    """An operation that failed `times` times in a row, and may be retried at `retry_at`.

    `image` is the image that could not be pulled, or has no program: the failure does not apply to a container with
    another image.
    """

    reason: str
    message: str
    times: int = 1
    retry_at: float = 0.0
    image: str = ""


class ProbeResults(Struct, frozen=True):
    """What the probes of a running container say by their thresholds; None: no result yet, or no such probe."""

    attempt: int
    started: bool | None = None
    """False: the startup probe has failed for good."""
    ready: bool | None = None
    live: bool | None = None


class Stopping(Struct, frozen=True):
    """A stop in progress; the agent runs preStop and sends the stop signal and SIGKILL."""

    attempt: int
    since: float
    grace: float


class HookState(Struct, frozen=True):
    """The postStart hook of a run. A running container without an entry has no hook, or its hook has finished."""

    attempt: int
    state: Literal["pending", "done", "failed"]
    message: str = ""


class ImageRef(Struct, frozen=True):
    """An image that is present: the reference as the pod names it, and its id (`sha256:…`)."""

    reference: str
    id: str
    attempt: int | None = None
    """The run that the image was pulled for (`Pull.attempt`); the pull policy Always requires it to be the next one."""


class Rejection(Struct, frozen=True):
    """The node rejects the pod: `OutOfcpu`, `NodeAffinity`, `UnexpectedAdmissionError` …"""

    reason: str
    message: str


class Eviction(Struct, frozen=True):
    """The node evicts the pod to free resources."""

    message: str
    reason: str = "Evicted"
    grace: float = 1.0


class Observed(Struct, frozen=True, kw_only=True):
    """The observed state of one pod; dictionaries are keyed by container name.

    `prepared`: volumes, sandbox and network were set up since the agent started; `failure`: why they were not. A
    sandbox that has been running since before the agent started may hold running containers though `prepared` is False.
    """

    now: float
    node_name: str = ""
    host_ip: str = ""
    facts: PodFacts | None = None
    prepared: bool = False
    failure: Failure | None = None
    address: str = ""
    images: dict[str, ImageRef] = {}
    pulling: frozenset[str] = frozenset()
    pull_failures: dict[str, Failure] = {}
    """ErrImagePull, ErrImageNeverPull, InvalidImageName. `decide` turns ErrImagePull into ImagePullBackOff."""
    config_failures: dict[str, Failure] = {}
    """CreateContainerConfigError, CreateContainerError, ImageVolumeMountFailed, RunContainerError."""
    probe_results: dict[str, ProbeResults] = {}
    stopping: dict[str, Stopping] = {}
    hooks: dict[str, HookState] = {}
    rejection: Rejection | None = None
    evicting: Eviction | None = None
