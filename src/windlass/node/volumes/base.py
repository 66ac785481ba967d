"""What all kinds of volume share: the answers, and what a kind is given to work with."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec import Struct

from windlass.kube.json import Object, dig
from windlass.node.sources import Reference, Sources
from windlass.node.volumes.owner import Owner
from windlass.node.volumes.places import Places


class NotReady(Exception):
    """A volume cannot be had (yet); the message is that of the FailedMount event."""


class BadMount(Exception):
    """A container's mount cannot be made; the message is that of its CreateContainerConfigError."""


class Failed(Exception):
    """Why one volume cannot be set up, to be told with its name before it."""


class Prepared(Struct, frozen=True):
    """A volume on this machine: a folder, or a single file for a hostPath. `read_only`: to every container."""

    path: str
    read_only: bool = False
    may_contain_mounts: bool = False


class Request(Struct, frozen=True):
    """One volume of a pod, to be set up."""

    pod: Object
    volume: Object
    sources: Sources
    places: Places
    owner: Owner
    references: set[Reference]
    """What the volume shows, filled by its kind: a change there is a reason to set it up again."""
    renewals: list[float]
    """When a part of it is due again, in seconds since the epoch."""

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
        return self.places.on_disk(self.uid, self.name)

    def in_memory(self) -> Path:
        return self.places.in_memory(self.uid, self.name)


SetUp = Callable[[Request, Object], Awaitable[Prepared]]
"""Makes the volume ready; given the request and the kind's part of the manifest. May be repeated. Raises Failed."""
