"""An LDAP connector of a users file, in dex's format."""

import importlib.util
import re
from typing import Literal

from windlass.gateway.identity.connectors.connector import GroupMatcher, LdapConnector, LdapSearch
from windlass.gateway.identity.connectors.trust import Trust, decoded_certificates
from windlass.gateway.identity.file_fields import BadUsersFile, Fields

PORTS = {"tls": 636, "starttls": 389, "none": 389}
_HOST = re.compile(r"(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:(?P<port>[0-9]{1,5}))?", re.ASCII)
_ATTRIBUTE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*(;[A-Za-z0-9-]+)*", re.ASCII)
"""An attribute description of RFC 4512. It becomes a part of filters."""


def ldap_connector(id: str, name: str, config: Fields) -> LdapConnector:
    """Raises BadUsersFile for a field that cannot be used."""
    if importlib.util.find_spec("ldap3") is None:
        where = config.where.rpartition(".")[0]
        raise BadUsersFile(f"{where}.type: ldap needs a package. Install it: pip install 'windlass[ldap]'")
    security = _security(config)
    host, port = _address(config, PORTS[security])
    users, groups = config.mapping("userSearch"), config.mapping("groupSearch")
    group_search = _search(groups) if len(groups) else None
    connector = LdapConnector(
        id=id,
        name=name,
        host=host,
        port=port,
        security=security,
        verifies=not config.flag("insecureSkipVerify"),
        trust=_trust(config),
        client_cert=config.text("clientCert", ""),
        client_key=config.text("clientKey", ""),
        bind_dn=config.text("bindDN", ""),
        bind_password=config.text("bindPW", ""),
        prompt=config.text("usernamePrompt", ""),
        users=_search(users),
        login_attribute=_attribute(users, "username"),
        id_attribute=_attribute(users, "idAttr", "uid"),
        email_attribute=_attribute(users, "emailAttr", "mail"),
        name_attribute=_attribute(users, "nameAttr", ""),
        username_attribute=_attribute(users, "preferredUsernameAttr", ""),
        email_suffix=users.text("emailSuffix", "").removeprefix("@"),
        groups=group_search,
        group_matchers=_matchers(groups) if group_search else (),
        group_name_attribute=_attribute(groups, "nameAttr") if group_search else "",
    )
    _check_credentials(config, connector)
    users.leave_others("baseDN", "filter", "scope")
    groups.leave_others("filter")
    return connector


def _check_credentials(config: Fields, connector: LdapConnector) -> None:
    if bool(connector.bind_dn) != bool(connector.bind_password):
        # A server takes a DN without a password for an anonymous sign-in (RFC 4513, 5.1.2).
        raise config.error("bindDN", "and bindPW must be given together")
    if bool(connector.client_cert) != bool(connector.client_key):
        raise config.error("clientCert", "and clientKey must be given together")
    if connector.security == "none":
        for key in ("insecureSkipVerify", "rootCA", "rootCAData", "clientCert"):
            if key in config:
                raise config.error(key, "has no effect together with insecureNoSSL: true")


def _security(config: Fields) -> Literal["tls", "starttls", "none"]:
    without, starts_tls = config.flag("insecureNoSSL"), config.flag("startTLS")
    if without and starts_tls:
        raise config.error("startTLS", "cannot be given together with insecureNoSSL")
    return "none" if without else "starttls" if starts_tls else "tls"


def _address(config: Fields, default_port: int) -> tuple[str, int]:
    text = config.text("host")
    match = _HOST.fullmatch(text)
    port = int(match["port"] or default_port) if match else 0
    if match is None or not 0 < port < 1 << 16:
        raise config.error("host", f"is {text!r}, and must be a host, and a port if need be: ldap.example.com:636")
    return match["host"].strip("[]"), port


def _trust(config: Fields) -> Trust:
    file, data = config.text("rootCA", ""), config.text("rootCAData", "")
    if not data:
        return Trust((file,) if file else ())
    pem = decoded_certificates(data)
    if pem is None:
        raise config.error("rootCAData", "is not base64 of certificates in PEM")
    return Trust(certificates=pem)  # as with dex, the data win over the file


def _search(fields: Fields) -> LdapSearch:
    filter = fields.text("filter", "").strip()
    if filter and not _is_enclosed(filter):
        raise fields.error(
            "filter", f"is {filter!r}, and must be a filter in parentheses, such as (objectClass=person)"
        )
    return LdapSearch(fields.text("baseDN"), filter, fields.choice("scope", ("sub", "one")) == "one")


def _is_enclosed(filter: str) -> bool:
    """Whether the text is one filter in parentheses: a second one beside it would change what the rest means."""
    depth = 0
    for position, character in enumerate(filter):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth <= 0 and position < len(filter) - 1:
            return False
    return depth == 0 and filter.endswith(")")


def _attribute(fields: Fields, key: str, default: str | None = None) -> str:
    name = fields.text(key, default) or default or ""
    if name and not _ATTRIBUTE.fullmatch(name):
        raise fields.error(key, f"is {name!r}, which is not the name of an attribute")
    return name


def _matchers(groups: Fields) -> tuple[GroupMatcher, ...]:
    found: list[GroupMatcher] = []
    for matcher in groups.mappings("userMatchers"):
        found.append(GroupMatcher(_attribute(matcher, "userAttr"), _attribute(matcher, "groupAttr")))
        matcher.leave_others()
    older = "userAttr" in groups or "groupAttr" in groups  # dex's fields before userMatchers
    if older and found:
        raise groups.error("userAttr", "and groupAttr cannot be given together with userMatchers")
    if not found:
        found.append(GroupMatcher(_attribute(groups, "userAttr"), _attribute(groups, "groupAttr")))
    return tuple(found)
