"""Names of a TensorBoard's objects, as Kubeflow has them."""

from windlass.apis.server_tokens import TokenSecrets
from windlass.kube.meta import Key

PATH_PREFIX = "tensorboard"
"""First segment of the paths of TensorBoards at the gateway."""
APP_LABEL = "app"
CONTAINER = "tensorboard"
PORT = 6006
PROGRAM = "/usr/local/bin/tensorboard"
NO_EVENT_FILES = "NoEventFiles"
CLAIM_NOT_FOUND, SECRET_NOT_FOUND = "ClaimNotFound", "SecretNotFound"
SERVER_TOKENS = TokenSecrets(resource="tensorboards")
FAILED_CREATE, FAILED_SCHEDULING = "FailedCreate", "FailedScheduling"


def prefix(key: Key) -> str:
    """The path at the gateway, with a trailing slash."""
    return f"/{PATH_PREFIX}/{key.namespace}/{key.name}/"
