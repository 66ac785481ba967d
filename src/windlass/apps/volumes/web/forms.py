"""The objects that the volumes app makes of its forms. Pure; raise BadRequest."""

from windlass.apis.core_v1 import PersistentVolumeClaim
from windlass.apps.volumes.kinds import PVCViewer
from windlass.apps.volumes.names import PATH_PREFIX, PORT
from windlass.gateway.webapps.inputs import text_field
from windlass.kube.errors import BadRequest
from windlass.kube.json import Object
from windlass.kube.kind import KINDS
from windlass.kube.quantity import Quantity

NO_CLASS, DEFAULT_CLASS = "{none}", "{empty}"
SNAPSHOT_GROUP = "snapshot.storage.k8s.io"
VIEWER_PREFIX, VIEWER_TIMEOUT = f"/{PATH_PREFIX}", "30s"


def claim_of(body: Object, namespace: str) -> Object:
    """A claim that is empty, or has the content of a snapshot or of another claim."""
    kind = KINDS.of(PersistentVolumeClaim)
    name, mode, storage_class = (text_field(body, each) for each in ("name", "mode", "class"))
    spec: Object = {"accessModes": [mode], "resources": {"requests": {"storage": size_of(body)}}}
    if storage_class == NO_CLASS:
        spec["storageClassName"] = ""
    elif storage_class != DEFAULT_CLASS:
        spec["storageClassName"] = storage_class
    match text_field(body, "type"):
        case "snapshot":
            source = text_field(body, "snapshot")
            spec["dataSource"] = {"apiGroup": SNAPSHOT_GROUP, "kind": "VolumeSnapshot", "name": source}
        case "clone":
            spec["dataSource"] = {"kind": kind.name, "name": text_field(body, "source")}
        case _:  # clients of Kubeflow send "new" and others
            pass
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata, "spec": spec}


def size_of(body: Object) -> str:
    size = text_field(body, "size")
    try:
        amount = Quantity.parse(size)
    except ValueError as error:
        raise BadRequest(f"size: {size!r} is not an amount, such as 10Gi") from error
    if amount.nano <= 0:
        raise BadRequest("size: must be more than 0")
    return size


def viewer_of(claim: str, namespace: str) -> Object:
    """A viewer that is named as its claim; its pod is the default one."""
    kind = KINDS.of(PVCViewer)
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": {"name": claim, "namespace": namespace},
        "spec": {
            "pvc": claim,
            "networking": {
                "targetPort": PORT,
                "basePrefix": VIEWER_PREFIX,
                "rewrite": "/",
                "timeout": VIEWER_TIMEOUT,
            },
            "rwoScheduling": True,
        },
    }
