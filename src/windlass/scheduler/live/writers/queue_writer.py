"""Writes the status of queues, and the reservations that a restart has to know of as an annotation."""

import logging
from contextlib import suppress

from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.meta import Key
from windlass.scheduler.live.core.queue_reports import QueueReport
from windlass.scheduler.reservations.persistence import RESERVED

log = logging.getLogger(__name__)


class QueueWriter:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._may_annotate = True

    async def write(self, report: QueueReport) -> None:
        key = Key("", report.name)
        with suppress(errors.NotFound):
            if report.status:
                await self._api.patch(report.kind, key, {"status": report.status}, subresource="status")
            if self._may_annotate and not report.is_annotated:
                await self._annotate(report)

    async def _annotate(self, report: QueueReport) -> None:
        """Where annotations are not allowed a restart forgets reservations; all else works."""
        annotations = {"metadata": {"annotations": {RESERVED: report.annotation}}}
        try:
            await self._api.patch(report.kind, Key("", report.name), annotations)
        except errors.Forbidden as error:
            self._may_annotate = False
            log.warning("reservations will not be known after a restart error=%s", error)
