"""Objects of stores that name all it takes to reach them, as artifacts of Workflows do. Data only.

The URIs of pipelines take endpoints and credentials from the ConfigMap `kfp-launcher` instead (`providers`).
"""

from typing import Literal, TypeAlias

from windlass.kube.meta import Struct

Scheme: TypeAlias = Literal["s3", "gs", "az"]
ArchiveFormat: TypeAlias = Literal["none", "tgz", "zip"]
DEFAULT_LEVEL = 6
"""Of compression."""


class SecretKey(Struct):
    """A key of a Secret in the namespace of the Workflow."""

    name: str
    key: str


class Place(Struct):
    scheme: Scheme
    bucket: str
    """For Azure the container."""
    key: str
    endpoint: str = ""
    """Host and port, or a whole URL; empty for the public service."""
    region: str = ""
    insecure: bool = False
    """Whether requests go without TLS."""
    secrets: tuple[SecretKey, ...] = ()
    """Access key and secret key, the JSON key of a service account of Google, or the key of a storage account."""

    @property
    def uri(self) -> str:
        return f"{self.scheme}://{self.bucket}/{self.key}"


class PlacedArtifact(Struct):
    """An artifact in a place, and where a volume has it."""

    place: Place
    path: str
    """The path in the volume."""
    archive: ArchiveFormat = "tgz"
    """How an output is packed. Of an input, tgz means an archive of tar if it is one, and else the object itself."""
    level: int = DEFAULT_LEVEL
    name: str = ""
    """The name of the file or folder in the archive of an output."""
