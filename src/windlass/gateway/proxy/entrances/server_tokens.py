"""The tokens by which servers in pods recognise the gateway."""

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Iterable, Mapping

from windlass.apis.access import Access
from windlass.apis.app import Entrance
from windlass.apis.core_v1 import Secret
from windlass.apis.server_tokens import TOKEN_KEY
from windlass.formats.server_token import HEADER
from windlass.gateway.proxy.entrances.lookup import entrance_of
from windlass.kube.cache import Store
from windlass.kube.meta import Key
from windlass.kube.view import View, typed


def token_secrets(entrances: Iterable[Entrance]) -> dict[str, View[Secret]]:
    """The Secrets with the tokens of all servers, by their label."""
    labels = {entrance.server_tokens.label for entrance in entrances if entrance.server_tokens is not None}
    return {label: typed(Secret).narrowed(labels=label) for label in sorted(labels)}


class ServerTokens:
    """Tokens by object, as the informers of `token_secrets` know them."""

    def __init__(self, secrets: Mapping[str, Store[Secret]]) -> None:
        """`secrets`: by their label."""
        self._secrets = secrets

    def of(self, access: Access | None) -> str:
        """The token that the server behind a route expects; empty for one that has none."""
        entrance = entrance_of(access)
        if access is None or entrance is None or entrance.server_tokens is None:
            return ""
        declared = entrance.server_tokens
        secret = self._secrets[declared.label].get(Key(access.namespace, declared.secret_name(access.name)))
        if secret is None or not declared.is_token_secret(access.name, secret.metadata):
            return ""
        try:
            return b64decode(secret.data.get(TOKEN_KEY, ""), validate=True).decode("ascii")
        except (NotBase64, UnicodeDecodeError):
            return ""

    def headers(self, access: Access | None) -> list[tuple[str, str]]:
        """What proves to the server that the gateway asks: Jupyter reads the first, programs of Windlass the second."""
        token = self.of(access)
        return [("Authorization", f"token {token}"), (HEADER, token)] if token else []
