"""The tokens by which notebook servers know the gateway."""

from base64 import b64decode
from binascii import Error as NotBase64

from windlass.apis.core_v1 import Secret
from windlass.apis.notebooks.names import NOTEBOOK_LABEL, TOKEN_KEY, token_secret_name
from windlass.gateway.access.reviews import Access
from windlass.kube.cache import Store
from windlass.kube.meta import Key
from windlass.kube.view import typed

SECRETS = typed(Secret).narrowed(labels=NOTEBOOK_LABEL)


class NotebookTokens:
    """Tokens by notebook, as an informer of `SECRETS` knows them."""

    def __init__(self, secrets: Store[Secret]) -> None:
        self._secrets = secrets

    def of(self, access: Access | None) -> str:
        """The token that the server behind a route expects; empty for what is no notebook, or has no token."""
        if access is None or access.resource != "notebooks":
            return ""
        secret = self._secrets.get(Key(access.namespace, token_secret_name(access.name)))
        if secret is None or secret.metadata.labels.get(NOTEBOOK_LABEL) != access.name:
            return ""
        try:
            return b64decode(secret.data.get(TOKEN_KEY, ""), validate=True).decode("ascii")
        except (NotBase64, UnicodeDecodeError):
            return ""
