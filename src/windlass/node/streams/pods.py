"""What the kubelet API needs from the agent: pods, the runs of their containers, and connections into them."""

import asyncio
import socket
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from windlass.kube.json import Object, dig
from windlass.node.runtimes.base import ContainerFacts, Runtime


class RunningPod(Struct, frozen=True):
    """A pod of this node. `attempts` holds each container's runs, oldest first."""

    uid: str
    pod: Object
    attempts: Mapping[str, Sequence[ContainerFacts]] = {}
    ip: str = ""
    archive: str = ""
    """Where its logs are kept, if it is gone."""

    @property
    def name(self) -> str:
        return str(dig(self.pod, "metadata", "name"))

    @property
    def namespace(self) -> str:
        return str(dig(self.pod, "metadata", "namespace"))

    def newest(self, container: str) -> ContainerFacts | None:
        runs = self.attempts.get(container) or ()
        return runs[-1] if runs else None


class Pods(Protocol):
    """The agent's interface for the kubelet API."""

    @property
    def runtime(self) -> Runtime: ...

    def find(self, namespace: str, name: str, uid: str = "") -> RunningPod | None:
        """Return the pod with its newest facts."""
        ...

    def archived(self, namespace: str, name: str) -> RunningPod | None:
        """Return the newest deleted pod of that name whose logs are kept."""
        ...

    def all(self) -> Iterable[RunningPod]:
        """Return every pod of this node."""
        ...

    def changed(self, uid: str) -> asyncio.Future[None]:
        """Return a future of the next start or end in that pod, or of its removal (`Changes.next`)."""
        ...

    async def dial(self, pod: RunningPod, port: int) -> socket.socket:
        """Return a non-blocking socket that is connected to a pod's localhost. Raises OSError."""
        ...


class Changes:
    """Futures of the next change of each pod; the agent completes them."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}

    def next(self, uid: str) -> asyncio.Future[None]:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(uid, set()).add(future)
        future.add_done_callback(lambda done: self._forget(uid, done))
        return future

    def notify(self, uid: str) -> None:
        for future in self._waiting.pop(uid, set()):
            if not future.done():
                future.set_result(None)

    def _forget(self, uid: str, future: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(uid)
        if waiting is not None:
            waiting.discard(future)
            if not waiting:
                del self._waiting[uid]
