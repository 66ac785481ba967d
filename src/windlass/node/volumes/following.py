"""Follows all objects of a kind, and settles those that are due one after another, again after a failure."""

import asyncio
import logging
from abc import ABC, abstractmethod

from windlass.kube.client import Client
from windlass.kube.errors import ApiError
from windlass.kube.informer import Informer
from windlass.kube.json import Object, dig
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.view import untyped
from windlass.node.volumes.base import Failed

RETRY_SECONDS = 10.0
RETRIED_ERRORS = (ApiError, OSError, Failed)
"""Errors after which an object is settled again."""

log = logging.getLogger(__name__)


class Following(ABC):
    """Cluster-scoped objects with folders on this node. `place` is the name of the work, for faults and the log."""

    place: str

    def __init__(self, client: Client, kind: Kind) -> None:
        self.client, self.kind = client, kind
        self.informer = Informer(client, untyped(kind))
        self._waiting: asyncio.Queue[str] = asyncio.Queue()
        self.informer.store.subscribe(self)

    @abstractmethod
    def is_due(self, obj: Object) -> bool:
        """Whether there is something to do for the object."""

    @abstractmethod
    async def settle(self, obj: Object) -> None:
        """Do it. Raises one of RETRIED_ERRORS to be called again."""

    async def failed(self, obj: Object, error: Exception) -> None:
        """Report a failure that will be retried."""
        log.warning("%s: will be retried name=%s error=%s", self.place, dig(obj, "metadata", "name"), error)

    def added(self, obj: Object) -> None:
        if self.is_due(obj):
            self._waiting.put_nowait(str(dig(obj, "metadata", "name")))

    def changed(self, old: Object, new: Object) -> None:
        self.added(new)

    def deleted(self, obj: Object) -> None:
        """The folder was removed before the object, so there is nothing to do."""
        return

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.informer.run())
            tasks.create_task(self._settle_all())

    async def _settle_all(self) -> None:
        while True:
            name = await self._waiting.get()
            obj = self.informer.store.get(Key("", name))
            if obj is None or not self.is_due(obj):
                continue
            try:
                with self.client.faults.contain(self.place, obj, self.kind, passing=RETRIED_ERRORS):
                    await self.settle(obj)
            except RETRIED_ERRORS as error:
                asyncio.get_running_loop().call_later(RETRY_SECONDS, self._waiting.put_nowait, name)
                with self.client.faults.contain(self.place, obj, self.kind):
                    await self.failed(obj, error)
