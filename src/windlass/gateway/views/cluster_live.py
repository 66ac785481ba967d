"""The topic `cluster`, for administrators."""

import asyncio
import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from windlass import __version__
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Identity
from windlass.gateway.views.cluster import ClusterView, ComponentRow, Directory, SessionRow, UserRow
from windlass.gateway.views.cluster_actions import backup_refusal, last_backup
from windlass.gateway.views.cluster_rows import ProcessUse, cluster_nodes, component_rows, latencies
from windlass.gateway.views.inputs import Inputs, Want
from windlass.gateway.views.kinds import NODES, PODS
from windlass.gateway.views.live_view import LiveView, NoParams
from windlass.gateway.views.reading import name_of
from windlass.gateway.views.services import ViewServices
from windlass.kube.errors import ApiError
from windlass.kube.json import timestamp
from windlass.kube.kind import Kind
from windlass.kube.transport import Request
from windlass.supervisor import process, run_state
from windlass.supervisor.datadir import DataDir

SIZES_AGE = timedelta(minutes=1)
MAX_SESSIONS = 500


class Cluster(LiveView):
    name, params, value = "cluster", NoParams, ClusterView
    tick = timedelta(seconds=5)
    admin_only = True

    def __init__(self) -> None:
        self._sizes: tuple[float, tuple[Directory, ...]] = (-SIZES_AGE.total_seconds(), ())

    def wants(self, params: NoParams, served: Sequence[Kind]) -> list[Want]:
        return [Want(NODES, whole=True), Want(PODS, whole=True)]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: NoParams, served: Sequence[Kind], user: Identity
    ) -> ClusterView:
        context, notes = services.context, list[str]()
        if services.sampler.trouble:
            notes.append(f"No use is measured: {services.sampler.trouble}")
        nodes, disk = inputs.of(NODES, whole=True), services.disk()
        names = [name_of(node) for node in nodes]
        usage = dict(zip(names, services.usage_of_nodes(names), strict=True))
        uptime, components = _components(services.data_dir, notes)
        sessions = _sessions(context)
        return ClusterView(
            version=__version__,
            uptime_seconds=uptime,
            components=components,
            directories=await self._directories(services.data_dir),
            disk_free_bytes=disk[1] if disk is not None else None,
            latencies=latencies(await _metrics(context, notes)),
            nodes=cluster_nodes(nodes, inputs.of(PODS, whole=True), usage),
            users=_users(context, sessions),
            sessions=sessions,
            last_backup=last_backup(services.data_dir),
            backup_refusal=backup_refusal(services.data_dir),
            max_backups=context.settings.max_backups,
            notes=tuple(notes),
        )

    async def _directories(self, data: Path | None) -> tuple[Directory, ...]:
        if data is None:
            return ()
        at, known = self._sizes
        if time.monotonic() - at >= SIZES_AGE.total_seconds():
            known = await asyncio.to_thread(directory_sizes, data)
            self._sizes = (time.monotonic(), known)
        return known


def directory_sizes(data: Path) -> tuple[Directory, ...]:
    """Of each folder and file of the data directory, the largest first. Blocks."""
    found: list[Directory] = []
    with os.scandir(data) as entries:
        for entry in entries:
            size = DataDir(Path(entry.path)).size() if entry.is_dir(follow_symlinks=False) else _size(entry)
            found.append(Directory(name=entry.name, path=entry.path, bytes=float(size)))
    return tuple(sorted(found, key=lambda one: -one.bytes))


def _size(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat(follow_symlinks=False).st_blocks * 512
    except OSError:
        return 0


def _components(data: Path | None, notes: list[str]) -> tuple[float | None, tuple[ComponentRow, ...]]:
    if data is None:
        notes.append("On a cluster, `kubectl get pods -n kubeflow` shows the components")
        return None, ()
    run = run_state.load(DataDir(data))
    if run is None:
        notes.append("No supervisor has written which components run")
        return None, ()
    return run.uptime, component_rows(
        run,
        {
            one.pid: ProcessUse(process.memory(one.pid), process.cpu_seconds(one.pid))
            for one in run.components
            if one.pid
        },
    )


async def _metrics(context: GatewayContext, notes: list[str]) -> str:
    try:
        answer = await context.client.send(Request("GET", "/metrics", accept="*/*", timeout=5.0))
    except ApiError as error:
        notes.append(f"The API server's metrics could not be read: {error}")
        return ""
    return answer.body.decode(errors="replace")


def _sessions(context: GatewayContext) -> tuple[SessionRow, ...]:
    rows = [
        SessionRow(
            id=session.name,
            user=session.email,
            address=session.address,
            user_agent=session.user_agent,
            created=_time(session.created),
            last_used=_time(session.last_used),
            expires=_time(session.expires()),
        )
        for user in context.users.all()
        for session in context.sessions.list(user.email)
    ]
    return tuple(sorted(rows, key=lambda row: row.last_used, reverse=True)[:MAX_SESSIONS])


def _users(context: GatewayContext, sessions: Sequence[SessionRow]) -> tuple[UserRow, ...]:
    return tuple(
        UserRow(
            email=user.email,
            name=user.username,
            groups=user.groups,
            source=user.source,
            sessions=sum(session.user == user.email for session in sessions),
            last_seen=max((session.last_used for session in sessions if session.user == user.email), default=None),
        )
        for user in context.users.all()
    )


def _time(seconds: float) -> str:
    return timestamp(datetime.fromtimestamp(seconds, UTC))
