"""The contract between the agent and a runtime: what a pod and a container need to run, and what has become of them.

A runtime makes a pod's sandbox, starts and stops containers in it, and tells facts. It decides nothing: when to start,
restart or give up is `windlass.node.lifecycle`'s. Everything that it is given is resolved: argv, environment, paths on
this machine. Whatever runs outlives the agent: a runtime that is started again finds it (`facts`), with the exit codes
of what ended meanwhile.
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
    """A file that the image has: without a root of its own, a container does without."""


class Limits(Struct, frozen=True):
    """What a container may use; None is as much as there is."""

    cpu_millis: int | None = None
    memory: int | None = None
    cpu_request_millis: int = 0
    pids: int | None = None
    oom_score_adj: int = 0


class PodSpec(Struct, frozen=True):
    """A pod's sandbox. `folder` is its own on this machine; `hosts` and `resolv_conf` are the files' contents."""

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
    """For an ephemeral container that targets another: the container whose processes it sees."""
    image: str = ""
    """Its reference, for a runtime that has images of its own."""
    user_of_image: bool = False
    """Whether `user` is only what the image would like, and nothing that the manifest asks for."""


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
    """Set where it could not be started: `CannotRun.reason`."""
    message: str = ""
    spec_hash: str = ""


class PodFacts(Struct, frozen=True):
    """A sandbox and every run of its containers that is remembered, oldest first. `pid` is in its network namespace.

    `alive` is False when the sandbox is gone though nobody stopped it (a reboot, a killed supervisor).
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
    """The container's process could not be started: remembered as an ended run with this reason and exit code."""

    def __init__(self, message: str, *, reason: str = "ContainerCannotRun", exit_code: int = 128) -> None:
        super().__init__(message)
        self.reason, self.exit_code = reason, exit_code


class Gone(Exception):
    """There is no such pod, container or process (any more)."""


class Process(Protocol):
    """A process in a container with its ends of the streams: file descriptors, non-blocking, owned by the caller.

    With a terminal there is one descriptor for both ways: `stdin` and `stdout` are the same, `stderr` is None.
    """

    stdin: int | None
    stdout: int | None
    stderr: int | None

    async def wait(self) -> int:
        """The exit code; 128 + signal where a signal ended it."""
        ...

    def resize(self, columns: int, rows: int) -> None: ...

    def close(self) -> None:
        """The client has gone: closes the descriptors; a process of `exec` is ended too."""
        ...


class Runtime(Protocol):
    """What every runtime offers. All calls may be repeated: asking for what is already so changes nothing."""

    name: str

    @property
    def has_groups(self) -> bool:
        """Whether containers can have other groups than their main one."""
        ...

    @property
    def hides_devices(self) -> bool:
        """Whether containers have no other devices than those that they were given."""
        ...

    async def start(self) -> None:
        """Make ready, and find the pods that run since before."""
        ...

    async def stop(self, *, pods: bool) -> None:
        """End the runtime's own processes; with `pods`, those of the pods too."""
        ...

    async def facts(self) -> dict[str, PodFacts]:
        """All pods, by uid."""
        ...

    async def pod_facts(self, uid: str) -> PodFacts | None: ...

    def changes(self) -> AsyncIterator[str]:
        """The uids of pods in which something started or ended, as it happens."""
        ...

    async def start_pod(self, pod: PodSpec) -> PodFacts: ...

    async def start_container(self, uid: str, container: ContainerSpec) -> ContainerFacts:
        """Raises CannotRun. A run of that name and attempt that is there already is answered, not started again."""
        ...

    async def signal_container(self, uid: str, name: str, signal: str) -> None:
        """Send the newest run's first process a signal ("SIGTERM"); SIGKILL goes to all its processes.

        None running: nothing happens. SIGTERM kills a first process that would not notice it: one without a handler,
        since the default actions of signals do not apply to the first process of a namespace.
        """
        ...

    async def remove_pod(self, uid: str) -> None:
        """Kill what runs and remove the sandbox; the pod's folder and its logs stay."""
        ...

    async def remove_folder(self, folder: Path) -> None:
        """With all in it, whoever of the pods' users owns it."""
        ...

    async def exec(
        self, uid: str, name: str, argv: list[str], *, stdin: bool, stdout: bool, stderr: bool, tty: bool
    ) -> Process:
        """Run something beside a running container's process, with its user, environment, folder and files."""
        ...

    async def attach(self, uid: str, name: str, *, stdin: bool, stdout: bool, stderr: bool) -> Process:
        """The streams of a running container's own process, from now on. Only `stdin: true` containers take input."""
        ...

    async def usage(self, uid: str) -> dict[str, Usage]:
        """Of the running containers, by name."""
        ...

    def log_file(self, uid: str, name: str, attempt: int) -> str:
        """Where that run's output is: lines `2026-11-16T00:00:00.000000000Z stdout F text` (P: the line goes on).

        When it grows over 10 MiB the file is renamed to `<file>.1` (up to `.4`) and begun anew.
        """
        ...

    def limits_by(self) -> str:
        """How limits are kept here: "cgroup v2", or "rlimits" and what that means; told on the Node."""
        ...
