"""Record on a Notebook that someone uses it, at most once a minute, so that idle ones can be recognised."""

import asyncio
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import LAST_ACTIVITY
from windlass.kube.client import Client
from windlass.kube.errors import ApiError
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key

WRITE_INTERVAL = timedelta(minutes=1)
MAX_NOTEBOOKS = 10_000

log = logging.getLogger(__name__)


class NotebookActivity:
    def __init__(self, client: Client, clock: Callable[[], float] = time.monotonic) -> None:
        self._client, self._clock = client, clock
        self._written: dict[Key, float] = {}
        self._writing: set[asyncio.Task[None]] = set()

    def record(self, key: Key) -> None:
        """A client sent something to a notebook's server. Returns at once; the annotation follows."""
        now = self._clock()
        if now - self._written.get(key, float("-inf")) < WRITE_INTERVAL.total_seconds():
            return
        if len(self._written) >= MAX_NOTEBOOKS:
            self._written.clear()
        self._written[key] = now
        task = asyncio.create_task(self._write(key))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def _write(self, key: Key) -> None:
        patch = {"metadata": {"annotations": {LAST_ACTIVITY: timestamp(datetime.now(UTC))}}}
        try:
            await self._client.patch(KINDS.of(Notebook), key, patch)
        except ApiError as error:
            log.info("activity not recorded notebook=%s error=%s", key, error)
