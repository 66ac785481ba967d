"""The view `cluster`: the health of each part of Windlass, for administrators."""

from typing import Literal

from windlass.gateway.views.nodes import NodeRow
from windlass.gateway.views.parts import Seconds, Time, Usage, View


class ComponentRow(View):
    """A process of Windlass, or a component that runs inside one."""

    name: str
    state: Literal["ok", "degraded", "down", "unknown"]
    message: str
    """Why it is not ok; empty if it is."""
    version: str
    pid: int | None
    memory_bytes: float | None
    cpu_seconds: float | None
    started: Time | None
    restarts: int | None


class Directory(View):
    """A directory of the data dir."""

    name: str
    path: str
    bytes: float


class Latency(View):
    """How long requests of one verb took, as the API server counts."""

    verb: str
    requests: int
    p50_seconds: Seconds | None
    p90_seconds: Seconds | None
    p99_seconds: Seconds | None


class ClusterNode(View):
    """A node with what is requested on it and what is in use."""

    row: NodeRow
    version: str
    os: str
    usage: Usage
    conditions: tuple[str, ...]
    """Those that are not well, as `MemoryPressure: sentence`."""


class UserRow(View):
    """A user of the gateway."""

    email: str
    name: str
    groups: tuple[str, ...]
    source: str
    """Where the user is declared: `file` or `database`, or the connector."""
    sessions: int
    last_seen: Time | None


class SessionRow(View):
    """An open session."""

    id: str
    """Names the session where it is ended; it opens nothing."""
    user: str
    address: str
    user_agent: str
    created: Time
    last_used: Time
    expires: Time


class Backup(View):
    """The newest backup."""

    path: str
    at: Time
    bytes: float


class BackupAnswer(View):
    """Answer of `POST /api/cluster/backup`."""

    message: str
    backup: Backup


class SessionEnded(View):
    """Answer of `DELETE /api/cluster/users/{user}/sessions/{id}`."""

    message: str


class ClusterView(View):
    """Topic `cluster {}`: only for administrators."""

    version: str
    uptime_seconds: Seconds | None
    components: tuple[ComponentRow, ...]
    directories: tuple[Directory, ...]
    disk_free_bytes: float | None
    latencies: tuple[Latency, ...]
    nodes: tuple[ClusterNode, ...]
    users: tuple[UserRow, ...]
    sessions: tuple[SessionRow, ...]
    last_backup: Backup | None
    backup_refusal: str
    """Why no backup can be written from the page; empty if one can."""
    max_backups: int
    """How many backups written from the page are kept; 0 for all."""
    notes: tuple[str, ...]
    """What could not be found out, and why."""
