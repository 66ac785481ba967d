"""Keeps the logs of tasks' pods in the database, where they outlive the pods."""

import logging
from datetime import timedelta
from typing import NamedTuple

from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.meta import Key
from windlass.pipelines.history import History
from windlass.pipelines.runs.pod_reports import MAIN

MAX_LOG = 64 << 20
"""Bytes of a log that are kept; the rest of a longer one is left out."""
CUT = b"... (the rest of the log was not kept)"

log = logging.getLogger(__name__)


class PodLog(NamedTuple):
    run_id: str
    pod: Key


class LogArchive:
    def __init__(self, client: Client, history: History) -> None:
        self._client, self._history = client, history

    async def step(self, wanted: PodLog) -> timedelta | None:
        """Copy one log; a pod that never had a container has none."""
        lines: list[bytes] = []
        size = 0
        try:
            async for line in self._client.logs(wanted.pod, container=MAIN):
                lines.append(line)
                size += len(line) + 1
                if size > MAX_LOG:
                    lines.append(CUT)
                    break
        except (errors.NotFound, errors.BadRequest) as error:
            log.info("no log to keep pod=%s error=%s", wanted.pod, error)
            return None
        await self._history.save_log(wanted.run_id, wanted.pod.name, b"\n".join([*lines, b""]))
        return None
