"""What is asked of an LDAP directory, and which user its entries describe. Pure."""

import string
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from windlass.gateway.identity.connectors.connector import LdapConnector, LdapSearch
from windlass.gateway.identity.connectors.departure import ConnectorFailed
from windlass.gateway.identity.emails import group_problem, normalised, problem
from windlass.gateway.identity.user import User

_PLAIN = frozenset((string.ascii_letters + string.digits + "@._-").encode())
LONGEST_NAME = 254


@dataclass(frozen=True)
class DirectoryEntry:
    dn: str
    attributes: Mapping[str, tuple[bytes, ...]]
    """By names in lower case: LDAP's names of attributes are the same in any case."""

    def values(self, attribute: str) -> tuple[bytes, ...]:
        """As with dex, `DN` is the entry's own name unless there is such an attribute."""
        name = attribute.lower()
        return self.attributes.get(name) or ((self.dn.encode(),) if name == "dn" else ())

    def text(self, attribute: str) -> str:
        """The first value; in hexadecimal if it is not text, such as Active Directory's `objectGUID`."""
        value = next(iter(self.values(attribute)), b"")
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value.hex()


def equality(attribute: str, value: bytes) -> str:
    """The filter that an attribute has a value. Every octet that could mean something else is escaped."""
    escaped = "".join(chr(octet) if octet in _PLAIN else f"\\{octet:02x}" for octet in value)
    return f"({attribute}={escaped})"


def filter_of(search: LdapSearch, attribute: str, value: bytes) -> str:
    wanted = equality(attribute, value)
    return f"(&{search.filter}{wanted})" if search.filter else wanted


def user_attributes(connector: LdapConnector) -> list[str]:
    """The attributes of a user's entry that are read."""
    names = (
        *(connector.id_attribute, connector.email_attribute, connector.name_attribute, connector.username_attribute),
        *(matcher.user_attribute for matcher in connector.group_matchers),
    )
    return list(dict.fromkeys(name for name in names if name))


def user_of(connector: LdapConnector, entry: DirectoryEntry, groups: Iterable[str]) -> User:
    """The user of an entry. Raises ConnectorFailed, with the attributes, where some are missing."""
    name, username = entry.text(connector.name_attribute), entry.text(connector.username_attribute)
    user_id = entry.text(connector.id_attribute)
    if connector.email_suffix:
        email = f"{name or user_id}@{connector.email_suffix}"
    else:
        email = entry.text(connector.email_attribute)
    given = (
        (connector.id_attribute, user_id),
        (connector.name_attribute, name),
        (connector.username_attribute, username),
        (connector.email_attribute, email),
    )
    missing = [attribute for attribute, value in given if attribute and not value]
    if missing:
        raise ConnectorFailed(f"the entry {entry.dn} has no {', '.join(missing)}")
    address = normalised(email)
    if why := problem(address):
        raise ConnectorFailed(f"the entry {entry.dn} has the e-mail address {address!r}: {why}")
    return User(
        email=address,
        username=(username or name or user_id)[:LONGEST_NAME],
        user_id=user_id,
        groups=tuple(dict.fromkeys(group for group in groups if group_problem(group) is None)),
        source=connector.id,
    )


def group_name(connector: LdapConnector, entry: DirectoryEntry) -> str:
    name = entry.text(connector.group_name_attribute)
    if not name:
        raise ConnectorFailed(f"the group {entry.dn} has no {connector.group_name_attribute}")
    return name


def folded(login: str) -> str:
    """A name as a directory compares it, roughly: without case, invisible characters and repeated spaces.

    Tries for one user must not count as tries for many because a directory takes different spellings for the same.
    """
    visible = "".join(each for each in unicodedata.normalize("NFKC", login) if unicodedata.category(each)[0] != "C")
    return " ".join(visible.casefold().split())
