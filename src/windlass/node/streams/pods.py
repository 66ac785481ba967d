"""What the streams ask of the agent: which pod is meant, what has become of its containers, and a way into it."""

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
    """The agent, as far as the streams need it."""

    @property
    def runtime(self) -> Runtime: ...

    def find(self, namespace: str, name: str, uid: str = "") -> RunningPod | None:
        """The pod as it is known now, with the newest facts."""
        ...

    def archived(self, namespace: str, name: str) -> RunningPod | None:
        """The newest pod of that name that is gone, while its logs are kept."""
        ...

    def all(self) -> Iterable[RunningPod]:
        """Every pod of this node."""
        ...

    def changed(self, uid: str) -> asyncio.Future[None]:
        """Done when something has started or ended in that pod after this call, or the pod is gone (`Changes.next`)."""
        ...

    async def dial(self, pod: RunningPod, port: int) -> socket.socket:
        """A socket, not blocking, that is connected to a pod's localhost. Raises OSError."""
        ...


class Changes:
    """Who waits for the next change of a pod; the agent tells it of each."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}

    def next(self, uid: str) -> asyncio.Future[None]:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(uid, set()).add(future)
        future.add_done_callback(lambda done: self._forget(uid, done))
        return future

    def tell(self, uid: str) -> None:
        for future in self._waiting.pop(uid, set()):
            if not future.done():
                future.set_result(None)

    def _forget(self, uid: str, future: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(uid)
        if waiting is not None:
            waiting.discard(future)
            if not waiting:
                del self._waiting[uid]
