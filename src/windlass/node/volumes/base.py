"""What all kinds of volume share: their results, and the request that they get."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from msgspec import Struct

from windlass.kube.json import Object, dig
from windlass.node.sources import Reference, Sources
from windlass.node.volumes.owner import Owner
from windlass.node.volumes.volume_folders import VolumeFolders


class NotReady(Exception):
    """A volume is not available (yet); the message is that of the FailedMount event."""


class BadMount(Exception):
    """A container's mount is not possible; `reason` becomes its waiting reason."""

    reason = "CreateContainerConfigError"


class NotInImage(BadMount):
    """A container mounts a path that the image of a volume does not have. It never will: images do not change."""

    reason = "ImageVolumeMountFailed"


class Failed(Exception):
    """Why one volume cannot be set up; reported after the volume's name."""


class Prepared(Struct, frozen=True):
    """A volume on this machine: a folder, or a single file for a hostPath. `read_only`: to every container."""

    path: str
    read_only: bool = False
    may_contain_mounts: bool = False
    executable: bool = True
    image: str = ""
    """The reference of the image whose files these are."""


class Request(Struct, frozen=True):
    """One volume of a pod to set up."""

    pod: Object
    volume: Object
    sources: Sources
    folders: VolumeFolders
    owner: Owner
    references: set[Reference]
    """The objects that the volume shows, filled in by its kind; it is set up again when they change."""
    renewals: list[float]
    """When parts of it must be renewed, in seconds since the epoch."""
    images: Mapping[str, str]
    """Folders with the files of pulled images, by volume."""

    @property
    def name(self) -> str:
        return str(self.volume.get("name"))

    @property
    def uid(self) -> str:
        return str(dig(self.pod, "metadata", "uid"))

    @property
    def namespace(self) -> str:
        return str(dig(self.pod, "metadata", "namespace"))

    def on_disk(self) -> Path:
        return self.folders.on_disk(self.uid, self.name)

    def in_memory(self) -> Path:
        return self.folders.in_memory(self.uid, self.name)


SetUp = Callable[[Request, Object], Awaitable[Prepared]]
"""Sets up a volume from the request and the kind's part of the manifest. Idempotent. Raises Failed."""
