"""Which rights a route needs: entering a notebook or a viewer is running code as its service account.

The built-in file browser runs no code of its users and changes files for those alone whom the gateway asserts to be
allowed to: users who may read the viewer and its claim enter it, too.
"""

from windlass.apis.images import FILE_BROWSER
from windlass.apis.wellknown import KUBEFLOW_GROUP
from windlass.apps.volumes.kinds import PVCViewer
from windlass.apps.volumes.names import ROOT
from windlass.gateway.access.reviews import Access
from windlass.kube.json import Object, dig, dig_list

_NEEDED = {
    "notebook": ("update", KUBEFLOW_GROUP, "notebooks"),
    "pvcviewers": ("update", KUBEFLOW_GROUP, "pvcviewers"),
    "tensorboard": ("get", "tensorboard.kubeflow.org", "tensorboards"),
}


def needed_access(path: str) -> Access | None:
    """For `/<app>/<namespace>/<name>/…`; None for the platform's own routes, which need an identity only."""
    segments = path.split("/")
    if len(segments) < 4 or segments[1] not in _NEEDED:
        return None
    verb, group, resource = _NEEDED[segments[1]]
    return Access(verb, group, resource, segments[2], segments[3])


def change_access(access: Access | None) -> Access | None:
    """The right to change the files of a viewer's volume; None where `access` is not that to a viewer.

    A viewer may have any claim of its namespace, so the right is that to all of them.
    """
    if access is None or access.resource != "pvcviewers":
        return None
    return Access("update", "", "persistentvolumeclaims", access.namespace)


def reading_accesses(access: Access, viewer: PVCViewer | None) -> tuple[Access, ...]:
    """The rights that together open a route for reading, instead of the needed one; none for most routes."""
    if access.resource != "pvcviewers" or viewer is None or not is_file_browser(viewer):
        return ()
    return (
        Access("get", access.group, access.resource, access.namespace, access.name),
        Access("get", "", "persistentvolumeclaims", access.namespace, viewer.spec.pvc),
    )


def is_file_browser(viewer: PVCViewer) -> bool:
    """Whether a viewer's pod runs the built-in file browser alone, and shows nothing but the viewer's claim."""
    pod = viewer.spec.pod_spec
    containers = dig_list(pod, "containers")
    if len(containers) != 1 or pod.get("initContainers") or pod.get("ephemeralContainers"):
        return False
    only_claim = {"persistentVolumeClaim": viewer.spec.pvc}
    return _runs_image_unchanged(containers[0]) and all(
        {kind: dig(source, "claimName") for kind, source in volume.items() if kind != "name"} == only_claim
        for volume in dig_list(pod, "volumes")
    )


def _runs_image_unchanged(container: Object) -> bool:
    mounts = [dig(mount, "mountPath") for mount in dig_list(container, "volumeMounts")]
    changed = ("command", "args", "env", "envFrom", "lifecycle", "volumeDevices")
    return (
        container.get("image") == FILE_BROWSER and mounts == [ROOT] and not any(container.get(name) for name in changed)
    )
