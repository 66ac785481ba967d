"""The provisioners of Windlass' own storage classes: the claims that their volumes can serve, and the class of a claim
that names none.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from windlass.apis.local_volumes import (
    LOCAL_PATH_DRIVER,
    LOCAL_PATH_PROVISIONER,
    OLD_LOCAL_PATH_PROVISIONER,
    SHARED_CLASS,
    SHARED_DRIVER,
    STANDARD_CLASS,
)
from windlass.kube.json import Object, dig_list

READ_WRITE_ONCE, READ_ONLY_MANY = "ReadWriteOnce", "ReadOnlyMany"
_ONE_NODE = frozenset((READ_WRITE_ONCE, "ReadWriteOncePod"))
_ALL = _ONE_NODE | {"ReadWriteMany", READ_ONLY_MANY}


class Provisioner(NamedTuple):
    """Capabilities of a provisioner's volumes."""

    driver: str
    access_modes: frozenset[str]
    has_sources: bool


_LOCAL_PATH = Provisioner(LOCAL_PATH_DRIVER, _ONE_NODE, has_sources=False)
PROVISIONERS: Mapping[str, Provisioner] = {
    LOCAL_PATH_PROVISIONER: _LOCAL_PATH,
    OLD_LOCAL_PATH_PROVISIONER: _LOCAL_PATH,
    SHARED_DRIVER: Provisioner(SHARED_DRIVER, _ALL, has_sources=True),
}


def provisioner_of(storage_class: str, provisioner: str) -> Provisioner:
    """Capabilities of a class of ours. Raises KeyError for a provisioner that is not in PROVISIONERS.

    `standard` takes every access mode, as minikube's class of that name: Kubeflow's examples of pipelines ask it for
    ReadWriteMany, and all pods that mount the folder are on its node.
    """
    able = PROVISIONERS[provisioner]
    return able._replace(access_modes=_ALL) if storage_class == STANDARD_CLASS else able


class ClaimRequirements(NamedTuple):
    """The fields of a claim that a provisioner may not support."""

    access_modes: tuple[str, ...]
    volume_mode: str = "Filesystem"
    has_selector: bool = False
    has_source: bool = False


def requirements_of(spec: Object) -> ClaimRequirements:
    """The requirements in the `spec` of a claim's manifest."""
    return ClaimRequirements(
        tuple(map(str, dig_list(spec, "accessModes"))),
        str(spec.get("volumeMode") or "Filesystem"),
        spec.get("selector") is not None,
        spec.get("dataSource") is not None or spec.get("dataSourceRef") is not None,
    )


class Unsupported(NamedTuple):
    """A field that the volumes of a provisioner cannot serve, and the values in question."""

    field: Literal["accessModes", "volumeMode", "selector", "dataSource"]
    values: tuple[str, ...] = ()


def unsupported(required: ClaimRequirements, able: Provisioner) -> Unsupported | None:
    """The first field of the claim that the provisioner cannot serve."""
    if required.volume_mode != "Filesystem":
        return Unsupported("volumeMode", (required.volume_mode,))
    if required.has_selector:
        return Unsupported("selector")
    # `train` of Kubeflow's training SDK wants both modes. A volume of one node has all its readers on that node.
    served = able.access_modes | {READ_ONLY_MANY} if READ_WRITE_ONCE in required.access_modes else able.access_modes
    if others := tuple(mode for mode in required.access_modes if mode not in served):
        return Unsupported("accessModes", others)
    return Unsupported("dataSource") if required.has_source and not able.has_sources else None


def class_for(required: ClaimRequirements, default: str, provisioners: Mapping[str, str]) -> str:
    """The class of a claim that names none: the default one, or the shared one if only that can serve the claim.

    `provisioners` has the provisioner of each class that exists.
    """
    by, shared = provisioners.get(default, ""), provisioners.get(SHARED_CLASS, "")
    if by not in PROVISIONERS or shared not in PROVISIONERS:
        return default
    if unsupported(required, provisioner_of(default, by)) is None:
        return default
    return default if unsupported(required, provisioner_of(SHARED_CLASS, shared)) else SHARED_CLASS
