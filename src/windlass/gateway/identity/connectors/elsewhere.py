"""Sign-ins for which the browser leaves, by their connectors."""

from typing import TypeAlias

from windlass.gateway.identity.connectors.connector import Connector, GithubConnector, LdapConnector
from windlass.gateway.identity.connectors.github import GithubSignIn
from windlass.gateway.identity.connectors.oidc import ExternalIssuer

SignInElsewhere: TypeAlias = ExternalIssuer | GithubSignIn


def sign_in_of(connector: Connector, redirect_uri: str) -> SignInElsewhere | None:
    """None for an LDAP connector, whose users type their passwords here."""
    if isinstance(connector, LdapConnector):
        return None
    is_github = isinstance(connector, GithubConnector)
    return GithubSignIn(connector, redirect_uri) if is_github else ExternalIssuer(connector, redirect_uri)
