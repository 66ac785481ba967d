"""The entrance to viewers of volumes. A user who enters may run code as the service account of the viewer.

The built-in file browser runs no code of its users and lets only users whom the gateway asserts to have the right
change files: users who may read the viewer and its claim enter it, too.
"""

from windlass.apis.access import Access
from windlass.apis.app import Cause, Entrance
from windlass.apis.images import FILE_BROWSER
from windlass.apis.wellknown import KUBEFLOW_GROUP
from windlass.apps.volumes.kinds import PVCViewer
from windlass.apps.volumes.names import PATH_PREFIX, ROOT, SERVER_TOKENS, child_name
from windlass.kube.json import Object, dig, dig_list


def why_not_ready(viewer: PVCViewer) -> Cause | None:
    """Return the message of the first condition that does not hold; None if all hold."""
    failing = [c for c in viewer.status.conditions if c.get("status") == "False" and c.get("message")]
    return Cause("", str(failing[0]["message"])) if failing else None


def reading_accesses(viewer: PVCViewer) -> tuple[Access, ...]:
    """Return the rights that together open a viewer for reading; none if it may run code of its users."""
    if not is_file_browser(viewer):
        return ()
    metadata = viewer.metadata
    return (
        Access("get", KUBEFLOW_GROUP, "pvcviewers", metadata.namespace, metadata.name),
        Access("get", "", "persistentvolumeclaims", metadata.namespace, viewer.spec.pvc),
    )


def write_access(namespace: str) -> Access:
    """Return the right to change files: that to all claims of the namespace, since a viewer may have any of them."""
    return Access("update", "", "persistentvolumeclaims", namespace)


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


ENTRANCE = Entrance(
    prefix=PATH_PREFIX,
    kind=PVCViewer,
    enter="update",
    why_not_ready=why_not_ready,
    service_name=child_name,
    reading_accesses=reading_accesses,
    write_access=write_access,
    server_tokens=SERVER_TOKENS,
)
