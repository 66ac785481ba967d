"""Secrets with the tokens by which the servers of notebooks, TensorBoards and viewers recognise the gateway.

Each server has its own token, so that a server's token is refused by all others.
"""

from dataclasses import dataclass

from windlass.kube.meta import ObjectMeta

TOKEN_KEY = "token"
SERVER_LABEL = "windlass.dev/server-token"
"""Label of the Secrets of a kind without a name label; its value is the resource."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSecrets:
    """The Secrets of one kind's servers: their names and their label."""

    resource: str
    """The plural of the kind, such as `notebooks`."""
    name_label: str = ""
    """A label of the Secrets whose value is the object's name; if empty, they have SERVER_LABEL."""

    @property
    def label(self) -> str:
        """The label by which the Secrets are selected."""
        return self.name_label or SERVER_LABEL

    def secret_name(self, name: str) -> str:
        """The name of an object's Secret."""
        return f"{name}-{self.resource.removesuffix('s')}-token"

    def secret_labels(self, name: str) -> dict[str, str]:
        """The labels of an object's Secret. A Secret of a user with the same name does not have them."""
        return {self.label: name if self.name_label else self.resource}

    def is_token_secret(self, name: str, metadata: ObjectMeta) -> bool:
        """Whether a Secret is that of the object with this name."""
        ((label, value),) = self.secret_labels(name).items()
        return metadata.name == self.secret_name(name) and metadata.labels.get(label) == value
