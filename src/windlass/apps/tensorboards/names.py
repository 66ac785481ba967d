"""Names of a TensorBoard's objects, as Kubeflow has them."""

from windlass.kube.meta import Key

APP_LABEL = "app"
CONTAINER = "tensorboard"
PORT = 6006
PROGRAM = "/usr/local/bin/tensorboard"
NO_EVENT_FILES = "NoEventFiles"
CLAIM_NOT_FOUND, SECRET_NOT_FOUND = "ClaimNotFound", "SecretNotFound"
FAILED_CREATE, FAILED_SCHEDULING = "FailedCreate", "FailedScheduling"


def prefix(key: Key) -> str:
    """The path at the gateway, with a trailing slash."""
    return f"/tensorboard/{key.namespace}/{key.name}/"
