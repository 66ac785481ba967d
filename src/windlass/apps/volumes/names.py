"""Names and labels of a viewer's objects, as Kubeflow has them."""

from windlass.apis.server_tokens import TokenSecrets
from windlass.apis.wellknown import PART_OF_LABEL
from windlass.kube.meta import Key

PATH_PREFIX = "pvcviewers"
"""First segment of the paths of viewers at the gateway."""
PREFIX = "pvcviewer-"
NAME, INSTANCE = "app.kubernetes.io/name", "app.kubernetes.io/instance"
PART_OF_VIEWERS = "pvc-viewer"
PORT, ROOT = 8080, "/data"
VOLUME, CONTAINER = "viewer-volume", "main"
SERVER_TOKENS = TokenSecrets(resource="pvcviewers")


def child_name(viewer: str) -> str:
    """The name of Deployment, Service and VirtualService."""
    return f"{PREFIX}{viewer}"


def labels(viewer: str) -> dict[str, str]:
    return {NAME: viewer, INSTANCE: child_name(viewer), PART_OF_LABEL: PART_OF_VIEWERS}


def url(base_prefix: str, key: Key) -> str:
    """The path at the gateway, with a trailing slash."""
    return f"{base_prefix.rstrip('/')}/{key.namespace}/{key.name}/"
