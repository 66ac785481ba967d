"""What a pod's worker works with; one for all pods of the agent."""

import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from windlass.apis.core_v1 import Pod
from windlass.kube.client import Client
from windlass.kube.events import Recorder
from windlass.kube.json import Object
from windlass.kube.kind import KINDS
from windlass.node.devices import Devices
from windlass.node.images.image import Image
from windlass.node.lifecycle.admission import Admission
from windlass.node.lifecycle.decision import Note
from windlass.node.runtimes.base import PodFacts, Runtime
from windlass.node.sources import Sources
from windlass.node.streams.archive import Archive
from windlass.node.streams.pods import Changes
from windlass.node.volumes.manager import Volumes

POD = KINDS.of(Pod)
COMPONENT = "kubelet"


class PodNetwork(Protocol):
    """As far as a pod's worker needs it; `windlass.node.network` is one, the process runtime brings another."""

    async def attach(self, uid: str, pid: int) -> str: ...
    async def detach(self, uid: str) -> None: ...
    async def dial(self, ip: str, port: int) -> socket.socket: ...
    async def dial_local(self, ip: str, pid: int, port: int) -> socket.socket: ...
    def resolv_conf(self, pod: Object) -> str: ...
    def hosts(self, pod: Object, ip: str) -> str: ...


class PodImages(Protocol):
    """As far as a pod's worker needs it: `windlass.node.images`, or what an engine has."""

    def described(self, reference: str) -> Image | None:
        """What it would run, if that is known before it is pulled. Raises UnknownImage."""
        ...

    def present(self, reference: str) -> Image | None: ...
    async def pull(self, reference: str, progress: Callable[[str], None]) -> Image: ...


@dataclass(frozen=True, kw_only=True)
class Means:
    client: Client
    recorder: Recorder
    runtime: Runtime
    network: PodNetwork
    images: PodImages
    volumes: Volumes
    sources: Sources
    devices: Devices
    folder: Path
    """Where pods have their folders, by uid."""
    node_name: str
    host_ip: str
    node_memory: int
    archive: Archive
    """Where the logs of pods go that are gone."""
    admit: Callable[[Object], Admission]
    """Whether the node takes a pod, seen together with those that it has."""
    changes: Changes = field(default_factory=Changes)
    """Who waits for something to start or end in a pod."""
    facts: dict[str, PodFacts] = field(default_factory=dict[str, PodFacts])
    """The newest of each pod, kept by the agent."""

    def tell(self, pod: Object, note: Note) -> None:
        self.recorder.record(
            COMPONENT, pod, POD, note.reason, note.message, warning=note.warning, field_path=note.field_path
        )
