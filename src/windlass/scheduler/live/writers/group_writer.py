"""Writes the status of pod groups, each on top of the last version that was written."""

from contextlib import suppress

from windlass.kube import errors
from windlass.kube.applier import CACHE_TIMEOUT_SECONDS, PendingWrite
from windlass.kube.controller import Runtime
from windlass.kube.objects import uid_of, version_of
from windlass.kube.view import untyped
from windlass.scheduler.live.core.group_reports import GroupReport
from windlass.scheduler.model.gang_tasks import GroupKey


class GroupWriter:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._written: dict[GroupKey, PendingWrite] = {}

    async def caught_up(self, key: GroupKey) -> None:
        """Wait for the cache to show the last write: a patch of an older version would be refused as a conflict."""
        written = self._written.pop(key, None)
        if written is not None:
            await written.store.until(written.is_visible, CACHE_TIMEOUT_SECONDS)

    async def write(self, report: GroupReport) -> bool:
        """False: the group is gone or has changed; a change brings another report."""
        group = report.group
        if report.patch is None:
            return True
        subresource = "status" if group.kind.status else ""
        with suppress(errors.NotFound, errors.Conflict):
            answer = await self._runtime.api.patch(group.kind, group.key, report.patch, subresource=subresource)
            store = self._runtime.store(untyped(group.kind))
            self._written[report.key] = PendingWrite(store, group.key, uid_of(answer), version_of(answer))
            return True
        return False
