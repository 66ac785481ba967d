"""Secrets with the tokens by which the servers of notebooks, TensorBoards and viewers recognise the gateway.

Each server has one of its own, so that who reads the token of one is refused by all others.
"""

from windlass.apps.notebooks.names import NOTEBOOK_LABEL
from windlass.kube.meta import ObjectMeta

TOKEN_KEY = "token"
SERVER_LABEL = "windlass.dev/server-token"
"""On the Secrets of TensorBoards and viewers; its value is the resource. Those of notebooks have NOTEBOOK_LABEL."""


def secret_name(resource: str, name: str) -> str:
    """The name of the Secret for an object of that resource, such as `notebooks`."""
    return f"{name}-{resource.removesuffix('s')}-token"


def secret_label(resource: str, name: str) -> tuple[str, str]:
    """The label of that Secret, by which it is distinguished from a Secret of the user's with the same name."""
    return (NOTEBOOK_LABEL, name) if resource == "notebooks" else (SERVER_LABEL, resource)


def is_token_secret(resource: str, name: str, metadata: ObjectMeta) -> bool:
    label, value = secret_label(resource, name)
    return metadata.name == secret_name(resource, name) and metadata.labels.get(label) == value
