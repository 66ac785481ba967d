"""OAuth clients: the gateway itself, and those of the users file."""

import secrets
from dataclasses import dataclass

OWN_CLIENT = "kubeflow-oidc-authservice"
"""The gateway's own client id: Kubeflow's name, which scripts and token audiences carry."""
OWN_REDIRECT = "/oauth2/callback"
SCOPES = ("openid", "profile", "email", "groups", "offline_access")


@dataclass(frozen=True)
class OAuthClient:
    """A registered client, with the methods of Authlib's `ClientMixin`."""

    client_id: str
    secret: str
    redirect_uris: tuple[str, ...]
    is_public: bool = False

    def get_client_id(self) -> str:
        return self.client_id

    def get_default_redirect_uri(self) -> str:
        return self.redirect_uris[0] if self.redirect_uris else ""

    def get_allowed_scope(self, scope: str | None) -> str:
        return " ".join(word for word in (scope or "").split() if word in SCOPES)

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri in self.redirect_uris

    def check_client_secret(self, client_secret: str) -> bool:
        return bool(self.secret) and secrets.compare_digest(self.secret.encode(), client_secret.encode())

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return (method == "none") is self.is_public

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in ("authorization_code", "refresh_token")


def own_client(secret: str, origin: str) -> OAuthClient:
    """The gateway's client; its redirect is a path, so that sign-in stays on the host that the browser asked."""
    return OAuthClient(OWN_CLIENT, secret, (OWN_REDIRECT, origin + OWN_REDIRECT))
