"""The tokens by which servers in pods recognise the gateway."""

from base64 import b64decode
from binascii import Error as NotBase64

from windlass.apis.core_v1 import Secret
from windlass.apis.server_tokens import SERVER_LABEL, TOKEN_KEY, is_token_secret, secret_name
from windlass.apps.notebooks.names import NOTEBOOK_LABEL
from windlass.formats.server_token import HEADER
from windlass.gateway.access.reviews import Access
from windlass.kube.cache import Store
from windlass.kube.meta import Key
from windlass.kube.view import typed

NOTEBOOK_SECRETS = typed(Secret).narrowed(labels=NOTEBOOK_LABEL)
SECRETS = typed(Secret).narrowed(labels=SERVER_LABEL)


class ServerTokens:
    """Tokens by object, as informers of `NOTEBOOK_SECRETS` and `SECRETS` know them."""

    def __init__(self, of_notebooks: Store[Secret], of_others: Store[Secret]) -> None:
        self._of_notebooks, self._of_others = of_notebooks, of_others

    def of(self, access: Access | None) -> str:
        """The token that the server behind a route expects; empty for one that has none."""
        if access is None:
            return ""
        secrets = self._of_notebooks if access.resource == "notebooks" else self._of_others
        secret = secrets.get(Key(access.namespace, secret_name(access.resource, access.name)))
        if secret is None or not is_token_secret(access.resource, access.name, secret.metadata):
            return ""
        try:
            return b64decode(secret.data.get(TOKEN_KEY, ""), validate=True).decode("ascii")
        except (NotBase64, UnicodeDecodeError):
            return ""

    def headers(self, access: Access | None) -> list[tuple[str, str]]:
        """What proves to the server that the gateway asks: Jupyter reads the first, programs of Windlass the second."""
        token = self.of(access)
        return [("Authorization", f"token {token}"), (HEADER, token)] if token else []
