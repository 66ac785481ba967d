"""Passwords that an LDAP directory checks: the entry of a person is searched for, and bound to with the password.

ldap3 speaks the protocol, blocking, in a thread. Referrals are not followed: they would send passwords to hosts that
the administrator has not named.
"""

# ldap3 has no types of its own, and those of typeshed know passwords as texts only.
# pyright: basic, reportArgumentType=false

import asyncio
import ssl
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

import ldap3
from ldap3.core.exceptions import LDAPException

from windlass.gateway.identity.connectors.connector import LdapConnector, LdapSearch
from windlass.gateway.identity.connectors.departure import ConnectorFailed
from windlass.gateway.identity.connectors.directory_entries import (
    DirectoryEntry,
    filter_of,
    group_name,
    user_attributes,
    user_of,
)
from windlass.gateway.identity.user import User

CONNECT_SECONDS, ANSWER_SECONDS = 5, 10
SUCCESS, SIZE_LIMIT_EXCEEDED = 0, 4
WRONG_PASSWORD = frozenset({19, 48, 49, 53})
"""constraintViolation, inappropriateAuthentication, invalidCredentials, unwillingToPerform: the user cannot sign in."""


class DirectoryUnavailable(ConnectorFailed):
    """The directory does not answer, or not as it is configured here."""


async def sign_in(connector: LdapConnector, login: str, password: str) -> User | None:
    """The user, or None where name and password do not match. Raises ConnectorFailed."""
    if not password:
        return None  # a bind without a password is anonymous, and succeeds (RFC 4513, 5.1.2)
    return await asyncio.to_thread(_sign_in, connector, login, password)


async def check(connector: LdapConnector) -> None:
    """Connect as a sign-in does. Raises ConnectorFailed."""

    def connect() -> None:
        with _searching(connector):
            pass

    await asyncio.to_thread(connect)


def _sign_in(connector: LdapConnector, login: str, password: str) -> User | None:
    with _searching(connector) as searching:
        entry = _entry_of(connector, searching, login)
        if entry is None or not _is_password_of(connector, entry, password):
            return None
        return user_of(connector, entry, _groups(connector, searching, entry))


def _entry_of(connector: LdapConnector, searching: Any, login: str) -> DirectoryEntry | None:
    wanted = filter_of(connector.users, connector.login_attribute, login.encode("utf-8", "replace"))
    entries = _search(searching, connector.users, wanted, user_attributes(connector), size_limit=2)
    if len(entries) > 1:
        raise ConnectorFailed(f"{login!r} is the name of more than one entry below {connector.users.base}")
    return entries[0] if entries and entries[0].dn else None


def _is_password_of(connector: LdapConnector, entry: DirectoryEntry, password: str) -> bool:
    # Octets, since ldap3 prepares texts: one of invisible characters only would become empty, and the bind anonymous.
    with _connection(connector, user=entry.dn, password=password.encode("utf-8", "replace")) as connection:
        connection.bind()
        code = connection.result["result"]
        if code not in (SUCCESS, *WRONG_PASSWORD):
            raise DirectoryUnavailable(f"it answers a sign-in with {connection.result['description']}")
    return code == SUCCESS


def _groups(connector: LdapConnector, searching: Any, entry: DirectoryEntry) -> list[str]:
    search = connector.groups
    if search is None:
        return []
    return [
        group_name(connector, group)
        for matcher in connector.group_matchers
        for value in entry.values(matcher.user_attribute)
        for group in _search(
            searching, search, filter_of(search, matcher.group_attribute, value), [connector.group_name_attribute]
        )
    ]


def _search(
    connection: Any, search: LdapSearch, wanted: str, attributes: list[str], size_limit: int = 0
) -> list[DirectoryEntry]:
    scope = ldap3.LEVEL if search.is_one_level else ldap3.SUBTREE
    connection.search(search.base, wanted, scope, attributes=attributes, size_limit=size_limit)
    code = connection.result["result"]
    if code != SUCCESS and not (code == SIZE_LIMIT_EXCEEDED and size_limit):
        raise DirectoryUnavailable(f"a search below {search.base} fails: {connection.result['description']}")
    return [
        DirectoryEntry(found["dn"], {name.lower(): tuple(each) for name, each in found["raw_attributes"].items()})
        for found in connection.response or []
        if found["type"] == "searchResEntry"
    ]


@contextmanager
def _searching(connector: LdapConnector) -> Generator[Any]:
    """A connection of the one who searches."""
    with _connection(connector, user=connector.bind_dn, password=connector.bind_password.encode()) as connection:
        if not connection.bind():
            raise DirectoryUnavailable(f"it refuses bindDN and bindPW: {connection.result['description']}")
        yield connection


@contextmanager
def _connection(connector: LdapConnector, *, user: str, password: bytes) -> Generator[Any]:
    """A connection, with TLS where there is to be some. What goes wrong with it is DirectoryUnavailable."""
    try:
        server = ldap3.Server(
            connector.host,
            connector.port,
            use_ssl=connector.security == "tls",
            tls=_tls(connector) if connector.security != "none" else None,
            get_info=ldap3.NONE,
            connect_timeout=CONNECT_SECONDS,
        )
        connection = ldap3.Connection(
            server,
            user=user or None,
            password=password or None,
            authentication=ldap3.SIMPLE if user else ldap3.ANONYMOUS,
            auto_referrals=False,
            auto_escape=False,
            check_names=False,
            read_only=True,
            receive_timeout=ANSWER_SECONDS,
        )
        with _closing(connection):
            connection.open()
            if connector.security == "starttls" and not connection.start_tls():
                raise DirectoryUnavailable("it does not start TLS")
            yield connection
    except (LDAPException, OSError) as error:
        raise DirectoryUnavailable(str(error) or type(error).__name__) from error


@contextmanager
def _closing(connection: Any) -> Generator[None]:
    """Close the socket too, which ldap3 leaves open after some errors."""
    try:
        yield
    finally:
        held = connection.socket
        with suppress(LDAPException, OSError):
            connection.unbind()
        if held is not None:
            held.close()


class _Tls(ldap3.Tls):
    """Python's own verification of certificates and hosts in place of ldap3's."""

    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__(validate=context.verify_mode)
        self._context = context

    def wrap_socket(self, connection: Any, do_handshake: bool = False) -> None:
        connection.socket = self._context.wrap_socket(
            connection.socket, server_hostname=connection.server.host, do_handshake_on_connect=do_handshake
        )


def _tls(connector: LdapConnector) -> _Tls:
    context = connector.trust.context()
    if not connector.verifies:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if connector.client_cert:
        context.load_cert_chain(connector.client_cert, connector.client_key)
    return _Tls(context)
