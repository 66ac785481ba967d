"""Whether the other side of a connector answers, for `windlass doctor`."""

from windlass.gateway.identity.connectors.connector import Connector, LdapConnector
from windlass.gateway.identity.connectors.departure import ConnectorFailed
from windlass.gateway.identity.connectors.elsewhere import sign_in_of


async def problem_of(connector: Connector) -> str:
    """Why nobody can sign in with it; empty where it answers as it should."""
    try:
        if isinstance(connector, LdapConnector):
            from windlass.gateway.identity.connectors import ldap  # of an extra

            await ldap.check(connector)
        elif elsewhere := sign_in_of(connector, ""):
            await elsewhere.check()
    except ConnectorFailed as error:
        return str(error)
    return ""
