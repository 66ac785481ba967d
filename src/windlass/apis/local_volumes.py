"""Volumes that are folders of the embedded node: the names by which the provisioner, the node and the classes agree.

A volume of a claim is `volumes/<handle>` in the data directory, a snapshot `snapshots/<handle>`.
"""

from typing import Literal, NamedTuple, TypeAlias

LOCAL_PATH_CLASS = "local-path"
STANDARD_CLASS = "standard"
"""The same under the name that minikube, kind and Kubeflow's pipelines use."""
LOCAL_PATH_PROVISIONER = "rancher.io/local-path"
OLD_LOCAL_PATH_PROVISIONER = "windlass.dev/local-path"
"""The provisioner that the class of older data directories names."""
LOCAL_PATH_DRIVER = "local-path.windlass.dev"
SHARED_CLASS = "windlass-shared"
SHARED_DRIVER = "shared.windlass.dev"
"""Both the provisioner of the class and the driver of its volumes and snapshots, as CSI drivers have it."""

DRIVERS = frozenset({LOCAL_PATH_DRIVER, SHARED_DRIVER})
FOLDER_FINALIZER = "local-path.windlass.dev/folder"
"""On PersistentVolumes whose folder the node removes."""

SnapshotSource: TypeAlias = Literal["volumes", "snapshots"]
SOURCE_ATTRIBUTE = "windlass.dev/source"
"""In `csi.volumeAttributes`: what a volume is a copy of, see `Source`."""


class Source(NamedTuple):
    """What a new volume is copied from: another volume, or a snapshot."""

    kind: SnapshotSource
    handle: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.handle}"

    @classmethod
    def parse(cls, text: str) -> "Source | None":
        """Return the source that an attribute names; None if there is none or its form is wrong."""
        kind, _, handle = text.partition("/")
        if kind == "volumes":
            return cls("volumes", handle)
        return cls("snapshots", handle) if kind == "snapshots" else None


def folder_name_error(handle: str) -> str:
    """Return why a handle cannot be the name of a folder; empty if it can."""
    plain = bool(handle) and "/" not in handle and "\0" not in handle and not handle.startswith(".")
    return "" if plain else f'volumeHandle "{handle}" is not the name of a folder'
