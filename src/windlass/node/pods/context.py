"""What the pod workers of one agent share."""

import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from windlass.apis.core_v1 import Pod
from windlass.apis.pod_packages import PodPackages
from windlass.kube.client import Client
from windlass.kube.events import Recorder
from windlass.kube.json import Object
from windlass.kube.kind import KINDS
from windlass.node.devices import Devices
from windlass.node.images.image import Image
from windlass.node.lifecycle.admission import Admission
from windlass.node.lifecycle.decision import EventRecord
from windlass.node.oci.images import OciImages
from windlass.node.runtimes.base import PodFacts, Runtime
from windlass.node.sources import Sources
from windlass.node.streams.archive import Archive
from windlass.node.streams.pods import Changes
from windlass.node.volumes.manager import Volumes

POD = KINDS.of(Pod)
COMPONENT = "kubelet"


class PodNetwork(Protocol):
    """The network that workers use: `windlass.node.network`, or that of the process or podman runtime."""

    async def attach(self, uid: str, pid: int) -> str: ...
    async def detach(self, uid: str) -> None: ...
    async def dial(self, ip: str, port: int) -> socket.socket: ...
    async def dial_local(self, ip: str, pid: int, port: int) -> socket.socket: ...
    def resolv_conf(self, pod: Object) -> str: ...
    def hosts(self, pod: Object, ip: str) -> str: ...


class PodImages(Protocol):
    """The images that workers use: `windlass.node.images`, or those of a container engine."""

    def described(self, reference: str) -> Image | None:
        """Return what the image would run, if known before it is pulled. Raises UnknownImage."""
        ...

    def present(self, reference: str, packages: PodPackages) -> Image | None: ...
    async def pull(self, reference: str, progress: Callable[[str], None], packages: PodPackages) -> Image: ...


@dataclass(frozen=True, kw_only=True)
class WorkerContext:
    client: Client
    recorder: Recorder
    runtime: Runtime
    network: PodNetwork
    images: PodImages
    oci_images: OciImages
    """The images that pods mount as volumes."""
    volumes: Volumes
    sources: Sources
    devices: Devices
    folder: Path
    """The folder that holds the pods' folders, by uid."""
    node_name: str
    host_ip: str
    node_memory: int
    archive: Archive
    """Where the logs of deleted pods are kept."""
    admit: Callable[[Object], Admission]
    """Admits or rejects a pod, considering the other pods of the node."""
    changes: Changes = field(default_factory=Changes)
    """Notifies those who wait for something to start or end in a pod."""
    facts: dict[str, PodFacts] = field(default_factory=dict[str, PodFacts])
    """The newest facts of each pod, updated by the agent."""

    def record_event(self, pod: Object, note: EventRecord) -> None:
        self.recorder.record(
            COMPONENT, pod, POD, note.reason, note.message, warning=note.warning, field_path=note.field_path
        )
