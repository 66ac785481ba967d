"""The contract between the agent and a runtime: what a pod and a container need to run, and their observed facts.

A runtime creates a pod's sandbox, starts and stops containers in it, and reports facts. It decides nothing: when to
start or restart is up to `windlass.node.lifecycle`. All its inputs are resolved: argv, environment, paths on this
machine. Running pods outlive the agent: a restarted runtime finds them (`facts`), with the exit codes of what ended
meanwhile.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct


class Mount(Struct, frozen=True):
    """`source` on the host at `target` in the container; source "tmpfs" is memory, of at most `size` bytes if not 0."""

    source: str
    target: str
    read_only: bool = False
    size: int = 0
    of_image: bool = False
    """A file of the image; a container without its own root file system does without it."""
    executable: bool = True
    """Whether its files may be run; a runtime without a root file system of its own does not enforce it."""


class Limits(Struct, frozen=True):
    """The resources that a container may use; None is unlimited."""

    cpu_millis: int | None = None
    memory: int | None = None
    cpu_request_millis: int = 0
    pids: int | None = None
    oom_score_adj: int = 0


class PodSpec(Struct, frozen=True):
    """A pod's sandbox. `folder` is the pod's own on this machine; `hosts` and `resolv_conf` are the files' contents."""

    uid: str
    namespace: str
    name: str
    folder: str
    hostname: str
    hosts: str = ""
    resolv_conf: str = ""
    host_network: bool = False
    host_ipc: bool = False
    share_processes: bool = False
    shm_size: int = 64 * 2**20
    sysctls: dict[str, str] = {}


class ContainerSpec(Struct, frozen=True):
    """A container's process. `prefixes` are folders of its image that appear read-only at their own paths."""

    name: str
    attempt: int
    argv: tuple[str, ...]
    environment: dict[str, str]
    working_dir: str = "/"
    mounts: tuple[Mount, ...] = ()
    prefixes: tuple[str, ...] = ()
    user: int | None = None
    group: int | None = None
    groups: tuple[int, ...] = ()
    read_only_root: bool = False
    no_new_privileges: bool = False
    seccomp_profile: str = ""
    """RuntimeDefault, Unconfined, Localhost, or empty where neither manifest nor namespace sets one."""
    seccomp_filter: bytes = b""
    """The profile as a BPF program for seccomp(2), for a runtime that has no profiles of its own."""
    drop_capabilities: tuple[str, ...] = ()
    stdin: bool = False
    stdin_once: bool = False
    tty: bool = False
    limits: Limits = Limits()
    devices: tuple[str, ...] = ()
    termination_message_path: str = "/dev/termination-log"
    stop_signal: str = "SIGTERM"
    spec_hash: str = ""
    share_processes_with: str = ""
    """For an ephemeral container with a target: the container whose processes it sees."""
    image: str = ""
    """The image's reference, for a runtime that has images of its own."""
    user_of_image: bool = False
    """Whether `user` is only the image's default, and not required by the manifest."""


class ContainerFacts(Struct, frozen=True):
    """One run of a container. Times are seconds since the epoch. `message` is its termination message."""

    name: str
    attempt: int
    id: str
    state: Literal["running", "exited"]
    pid: int = 0
    started_at: float = 0.0
    finished_at: float = 0.0
    exit_code: int = 0
    signal: int = 0
    oom_killed: bool = False
    reason: str = ""
    """Set if it could not be started: `CannotRun.reason`."""
    message: str = ""
    spec_hash: str = ""


class PodFacts(Struct, frozen=True):
    """A sandbox and every remembered run of its containers, oldest first. `pid` is in its network namespace.

    `alive` is False when the sandbox is gone though it was not stopped (a reboot, a killed supervisor).
    """

    uid: str
    pid: int
    alive: bool
    created_at: float
    containers: tuple[ContainerFacts, ...] = ()


class Usage(Struct, frozen=True):
    """What a container has used: CPU seconds since it started, bytes of memory now, and processes."""

    cpu_seconds: float
    memory_bytes: int
    processes: int = 0


class CannotRun(Exception):
    """The container's process could not be started: recorded as an ended run with this reason and exit code."""

    def __init__(self, message: str, *, reason: str = "ContainerCannotRun", exit_code: int = 128) -> None:
        super().__init__(message)
        self.reason, self.exit_code = reason, exit_code


class Gone(Exception):
    """There is no such pod, container or process (any more)."""


class Process(Protocol):
    """A process in a container and its streams: non-blocking file descriptors that the caller owns.

    With a terminal `stdin` and `stdout` are the same descriptor, and `stderr` is None.
    """

    stdin: int | None
    stdout: int | None
    stderr: int | None

    async def wait(self) -> int:
        """Return the exit code; 128 + signal where a signal ended it."""
        ...

    def resize(self, columns: int, rows: int) -> None: ...

    def close(self) -> None:
        """Close the descriptors after the client has gone; a process of `exec` is ended too."""
        ...


class Runtime(Protocol):
    """The interface of all runtimes. All calls are idempotent."""

    name: str

    @property
    def has_groups(self) -> bool:
        """Whether containers can have supplementary groups."""
        ...

    @property
    def hides_devices(self) -> bool:
        """Whether containers see only the devices allocated to them."""
        ...

    async def start(self) -> None:
        """Start the runtime, and find the pods that are already running."""
        ...

    async def stop(self, *, pods: bool) -> None:
        """End the runtime's own processes and, with `pods`, those of the pods too."""
        ...

    async def facts(self) -> dict[str, PodFacts]:
        """Return all pods, by uid."""
        ...

    async def pod_facts(self, uid: str) -> PodFacts | None: ...

    def changes(self) -> AsyncIterator[str]:
        """Yield the uids of pods in which something started or ended."""
        ...

    async def start_pod(self, pod: PodSpec) -> PodFacts: ...

    async def start_container(self, uid: str, container: ContainerSpec) -> ContainerFacts:
        """Start a container, or return the existing run of that name and attempt. Raises CannotRun."""
        ...

    async def signal_container(self, uid: str, name: str, signal: str) -> None:
        """Send a signal ("SIGTERM") to the newest run's first process; SIGKILL goes to all its processes.

        Does nothing if none is running. SIGTERM kills a first process without a handler for it, since the default
        actions of signals do not apply to the first process of a pid namespace.
        """
        ...

    async def remove_pod(self, uid: str) -> None:
        """Kill what runs and remove the sandbox; the pod's folder and its logs stay."""
        ...

    async def remove_folder(self, folder: Path) -> None:
        """Remove a folder and its contents, whichever of the pods' users owns them."""
        ...

    async def exec(
        self, uid: str, name: str, argv: list[str], *, stdin: bool, stdout: bool, stderr: bool, tty: bool
    ) -> Process:
        """Run a command beside a running container's process, with its user, environment, folder and files."""
        ...

    async def attach(self, uid: str, name: str, *, stdin: bool, stdout: bool, stderr: bool) -> Process:
        """Attach to the streams of a running container's own process. Only containers with `stdin: true` take input."""
        ...

    async def usage(self, uid: str) -> dict[str, Usage]:
        """Return the usage of the running containers, by name."""
        ...

    def log_file(self, uid: str, name: str, attempt: int) -> str:
        """Return the path of that run's output: lines `2026-11-16T00:00:00.000000000Z stdout F text` (P: partial line).

        When it exceeds 10 MiB the file is rotated to `<file>.1` (up to `.4`).
        """
        ...

    def limits_by(self) -> str:
        """Return how limits are enforced: "cgroup v2", or "rlimits" and what that means; shown on the Node."""
        ...
