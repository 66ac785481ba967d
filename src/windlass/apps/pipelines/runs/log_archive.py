"""Keeps the logs of tasks' pods in the database, where they outlive the pods."""

import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import NamedTuple, TypeAlias

from windlass.apps.pipelines.names import MAIN
from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.meta import Key

MAX_LOG = 64 << 20
"""Bytes of a log that are kept; the rest of a longer one is left out."""
CUT = b"... (the rest of the log was not kept)"

log = logging.getLogger(__name__)


SaveLog: TypeAlias = Callable[[str, str, bytes], Awaitable[None]]
"""Keeps the log of a pod: the id of what it belongs to, the name of the pod, the log."""


class PodLog(NamedTuple):
    owner_id: str
    """Of the run, or the uid of the Workflow."""
    pod: Key


class LogArchive:
    def __init__(self, client: Client, save: SaveLog) -> None:
        self._client, self._save = client, save

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
        await self._save(wanted.owner_id, wanted.pod.name, b"\n".join([*lines, b""]))
        return None
