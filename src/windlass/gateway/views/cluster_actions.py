"""What an administrator does on the page of the cluster: end a session of anyone, write a backup. Audit-logged."""

import asyncio
import logging
import time
from datetime import UTC, datetime
from pathlib import Path

from aiohttp import web

from windlass.gateway.access.administrators import is_cluster_admin
from windlass.gateway.context import GatewayContext
from windlass.gateway.login.address import client_address
from windlass.gateway.request import IDENTITY
from windlass.gateway.views.cluster import Backup, BackupAnswer, SessionEnded
from windlass.kube.errors import Conflict, Forbidden, NotFound
from windlass.kube.json import timestamp
from windlass.supervisor.datadir import DataDir

log = logging.getLogger(__name__)

ON_A_CLUSTER = (
    "The objects are in the cluster's own store: back it up with the cluster's tools, "
    "and the gateway's folder with users and sessions with its volume."
)


class ClusterActions:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context
        self._is_writing = False

    async def end_session(self, request: web.Request) -> SessionEnded:
        await self._check_administrator(request)
        user, name = request.match_info["user"], request.match_info["id"]
        if not self._context.sessions.revoke(user, name):
            raise NotFound(f"{user} has no such session")
        self._audit("session.revoked", request, of=user, session=name)
        return SessionEnded(message=f"a session of {user} was ended")

    async def back_up(self, request: web.Request) -> BackupAnswer:
        """Write a backup into the data directory. It is never sent: it holds keys that a browser must not keep."""
        await self._check_administrator(request)
        folder = self._context.settings.data_dir
        refusal = backup_refusal(folder)
        if refusal or folder is None:
            raise Conflict(refusal)
        if self._is_writing:
            raise Conflict("a backup is being written already")
        self._is_writing = True
        try:
            backup, deleted = await asyncio.to_thread(_write, folder, self._context.settings.max_backups)
        finally:
            self._is_writing = False
        self._audit("backup.written", request, path=backup.path)
        for file in deleted:
            self._audit("backup.deleted", request, path=str(file))
        return BackupAnswer(message=f"wrote {backup.path}", backup=backup)

    async def _check_administrator(self, request: web.Request) -> None:
        if not await is_cluster_admin(self._context, request[IDENTITY]):
            raise Forbidden("only a cluster administrator may do this")

    def _audit(self, event: str, request: web.Request, **facts: str) -> None:
        self._context.audit.record(event, user=request[IDENTITY].user, address=client_address(request), **facts)


def backup_refusal(folder: Path | None) -> str:
    """Why a gateway with this data directory cannot write a backup; empty if it can."""
    if folder is None:
        return ON_A_CLUSTER
    return "" if DataDir(folder).store.exists() else f"There is no store.db in {folder} that could be backed up."


def last_backup(folder: Path | None) -> Backup | None:
    from windlass.supervisor.backup import newest_backup  # loads the store, which only administrators' pages need

    newest = newest_backup(DataDir(folder)) if folder is not None else None
    if newest is None:
        return None
    return Backup(path=newest.path, at=timestamp(datetime.fromtimestamp(newest.taken, UTC)), bytes=float(newest.size))


def _write(folder: Path, keep: int) -> tuple[Backup, list[Path]]:
    """Write a backup and delete old ones, which are answered too. Blocks. Raises Conflict if it cannot be written."""
    from windlass.apiserver.store import StoreError
    from windlass.supervisor.backup import dated_name, write_backup

    data = DataDir(folder)
    file = data.backups / dated_name(time.time())
    try:
        data.backups.mkdir(mode=0o700, exist_ok=True)
        write_backup(data, file)
    except StoreError as error:
        raise Conflict(str(error)) from error
    except OSError as error:
        raise Conflict(f"cannot write {file}: {error.strerror or error}") from error
    written = last_backup(folder)
    assert written is not None, "write_backup records what it has written"
    return written, _prune(data, keep)


def _prune(data: DataDir, keep: int) -> list[Path]:
    """A backup that was written is not a failure because an old one cannot be deleted."""
    from windlass.supervisor.backup import prune_backups

    try:
        return prune_backups(data, keep)
    except OSError as error:
        log.warning("old backups cannot be deleted folder=%s error=%s", data.backups, error)
        return []
