"""Entries of `connectors` in a users file. Each field of dex's does what it says, or is refused by name.

Of fields that dex does not have either, the log and `windlass doctor` warn.
"""

import re
from collections.abc import Callable, Mapping
from typing import Literal, cast
from urllib.parse import urlsplit

from windlass.gateway.identity.connectors.connector import Connector, GithubConnector, GithubOrganization, OidcConnector
from windlass.gateway.identity.connectors.ldap_entry import ldap_connector
from windlass.gateway.identity.connectors.trust import Trust, decoded_certificates
from windlass.gateway.identity.file_fields import BadUsersFile, Fields

GOOGLE = "https://accounts.google.com"
GITLAB = "https://gitlab.com"
MICROSOFT = "https://login.microsoftonline.com"
LIMITS = ("allowedGroups", "groups", "hostedDomains", "org", "orgs", "tenant", "useGroupsAsWhitelist", "userSearch")
"""Fields that decide who may sign in."""
SCOPES = ("openid", "email", "profile")
_TENANT_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)
_HOST = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:]+\](:[0-9]{1,5})?", re.ASCII)


def connector_of(entry: Fields) -> Connector:
    """Raises BadUsersFile for a field that cannot be used."""
    kind = entry.text("type")
    if kind not in KINDS:
        raise BadUsersFile(f"{entry.where}.type: {kind!r} is not supported; {', '.join(KINDS)} are")
    if "config" not in entry:
        raise entry.error("config", "is missing")
    config = entry.mapping("config")
    name = entry.text("id")
    if name == "local" or not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise BadUsersFile(f"{entry.where}.id: {name!r} is not a name of letters, digits and dashes, or is taken")
    connector = KINDS[kind](name, entry.text("name", name), config)
    config.leave_others(*LIMITS)
    return connector


def _oidc(id: str, name: str, config: Fields) -> OidcConnector:
    config.refuse("certificates are always verified; give rootCAs", "insecureSkipVerify")
    config.refuse("the issuer's own discovery document counts", "providerDiscoveryOverrides", "issuerAlias")
    config.refuse("claims are taken as they are", "claimModifications")
    config.ignore("insecureEnableGroups", "basicAuthUnsupported")  # groups always come; the secret is in the form
    config.choice("pkceChallenge", ("S256",))
    mapping = config.mapping("claimMapping")
    wins = config.flag("overrideClaimMapping")
    groups = config.text("groupsClaim", "")
    username = config.text("userNameKey", "")
    connector = OidcConnector(
        id=id,
        name=name,
        issuer=_url(config, "issuer"),
        client_id=config.text("clientID"),
        client_secret=config.text("clientSecret", ""),
        scopes=config.texts("scopes") or SCOPES,
        redirect_uri=_redirect_uri(config, id),
        parameters=_parameters(
            hd=_hosted_domain(config.texts("hostedDomains")),
            prompt=config.text("promptType", ""),
            acr_values=" ".join(config.texts("acrValues")),
        ),
        id_claims=(config.text("userIDKey", "") or "sub",),
        email_claims=_claims("email", mapping.text("email", ""), wins),
        name_claims=(username,) if username else (*_claims("preferred_username", _username(mapping), wins), "name"),
        groups_claims=(groups,) if groups else _claims("groups", mapping.text("groups", ""), wins),
        trusts_unverified_email=config.flag("insecureSkipEmailVerified"),
        reads_userinfo=config.flag("getUserInfo"),
        hosted_domains=config.texts("hostedDomains"),
        allowed_groups=config.texts("allowedGroups"),
        trust=_trust(config, "rootCAs", config.texts("rootCAs")),
    )
    mapping.leave_others()
    return connector


def _google(id: str, name: str, config: Fields) -> OidcConnector:
    why = "Google's ID tokens have no groups, and its directory is not asked"
    config.refuse(why, "groups", "serviceAccountFilePath", "adminEmail", "domainToAdminEmail")
    config.refuse(why, "fetchTransitiveGroupMembership")
    return OidcConnector(
        id=id,
        name=name,
        issuer=GOOGLE,
        client_id=config.text("clientID"),
        client_secret=config.text("clientSecret"),
        scopes=tuple(dict.fromkeys(("openid", *(config.texts("scopes") or ("profile", "email"))))),
        redirect_uri=_redirect_uri(config, id),
        parameters=_parameters(hd=_hosted_domain(config.texts("hostedDomains")), prompt=config.text("promptType", "")),
        hosted_domains=config.texts("hostedDomains"),
    )


def _gitlab(id: str, name: str, config: Fields) -> OidcConnector:
    config.refuse("groups are those that GitLab names", "getGroupsPermission", "inheritedGroups")
    pem = config.text("rootCAData", "")
    return OidcConnector(
        id=id,
        name=name,
        issuer=_url(config, "baseURL", GITLAB),
        client_id=config.text("clientID"),
        client_secret=config.text("clientSecret"),
        scopes=SCOPES,
        redirect_uri=_redirect_uri(config, id),
        id_claims=("preferred_username", "nickname") if config.flag("useLoginAsID") else ("sub",),
        name_claims=("preferred_username", "nickname", "name"),
        reads_userinfo=True,  # GitLab's ID tokens name only some of the groups
        allowed_groups=config.texts("groups"),
        trust=_trust(config, "rootCAData", (pem,) if pem else ()),
    )


def _microsoft(id: str, name: str, config: Fields) -> OidcConnector:
    """One directory of Entra ID. Users are known by their user principal names, as with dex.

    Any directory can give its users any address. The tenants that stand for all directories are refused therefore.
    """
    config.refuse("Microsoft Graph is not asked", "graphURL", "onlySecurityGroups")
    config.ignore("emailToLowercase")  # addresses always are
    tenant = config.text("tenant", "").lower()
    if not _TENANT_ID.fullmatch(tenant):
        raise config.error(
            "tenant", f"is {tenant!r}, and must be the ID of your directory: others name your users, too"
        )
    groups = config.texts("groups")
    if groups and config.text("groupNameFormat", "name") != "id":
        raise config.error("groupNameFormat", "must be id where there are groups: ID tokens have no names of groups")
    config.choice("groupNameFormat", ("name", "id"))
    return OidcConnector(
        id=id,
        name=name,
        issuer=f"{_url(config, 'apiURL', MICROSOFT)}/{tenant}/v2.0",
        client_id=config.text("clientID"),
        client_secret=config.text("clientSecret"),
        scopes=tuple(dict.fromkeys((*SCOPES, *config.texts("scopes")))),
        redirect_uri=_redirect_uri(config, id),
        parameters=_parameters(prompt=config.text("promptType", ""), domain_hint=config.text("domainHint", "")),
        id_claims=("oid", "sub"),
        email_claims=("preferred_username",),
        name_claims=("name", "preferred_username"),
        allowed_groups=groups,
        keeps_other_groups=not config.flag("useGroupsAsWhitelist"),
    )


def _github(id: str, name: str, config: Fields) -> GithubConnector:
    host = config.text("hostName", "")
    if host and not _HOST.fullmatch(host):
        raise config.error("hostName", f"is {host!r}, and must be a host, without https:// and a path")
    if "rootCA" in config and not host:
        raise config.error("rootCA", "needs a hostName")
    root_ca = config.text("rootCA", "")
    return GithubConnector(
        id=id,
        name=name,
        client_id=config.text("clientID"),
        client_secret=config.text("clientSecret"),
        host="" if host == "github.com" else host,
        redirect_uri=_redirect_uri(config, id),
        organizations=_organizations(config),
        loads_all_groups=config.flag("loadAllGroups"),
        team_name=cast(Literal["name", "slug", "both"], config.choice("teamNameField", ("name", "slug", "both"))),
        uses_login_as_id=config.flag("useLoginAsID"),
        preferred_email_domain=config.text("preferredEmailDomain", "").lower(),
        trust=_trust(config, "rootCA", (root_ca,) if root_ca else ()),
    )


def _organizations(config: Fields) -> tuple[GithubOrganization, ...]:
    single = config.text("org", "")  # dex's older field
    found: list[GithubOrganization] = [GithubOrganization(single)] if single else []
    if single and "orgs" in config:
        raise config.error("org", "cannot be given together with orgs")
    for organization in config.mappings("orgs"):
        found.append(GithubOrganization(organization.text("name"), organization.texts("teams")))
        organization.leave_others("teams")
    return tuple(found)


KINDS: Mapping[str, Callable[[str, str, Fields], Connector]] = {
    "oidc": _oidc,
    "ldap": ldap_connector,
    "github": _github,
    "google": _google,
    "gitlab": _gitlab,
    "microsoft": _microsoft,
}


def _url(config: Fields, key: str, default: str | None = None) -> str:
    text = config.text(key, default).rstrip("/")
    try:
        parts = urlsplit(text)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query
    except ValueError:
        is_good = False
    if not is_good:
        raise config.error(key, f"is {text!r}, and must be an address with http:// or https://")
    return text


def _redirect_uri(config: Fields, id: str) -> str:
    """dex's field. Only the gateway's own callbacks bring a browser back to it."""
    if not config.text("redirectURI", ""):
        return ""
    uri = _url(config, "redirectURI")
    if urlsplit(uri).path not in ("/dex/callback", f"/dex/callback/{id}"):
        raise config.error("redirectURI", f"is {uri!r}, and must end in /dex/callback or /dex/callback/{id}")
    return uri


def _parameters(**values: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in values.items() if value)


def _hosted_domain(domains: tuple[str, ...]) -> str:
    """What Google's `hd` parameter asks for; `*` is any hosted domain."""
    return domains[0] if len(domains) == 1 else "*" if domains else ""


def _claims(standard: str, mapped: str, wins: bool) -> tuple[str, ...]:
    """Which claims to read: dex prefers the standard one unless the mapping is to override it."""
    if not mapped:
        return (standard,)
    return (mapped,) if wins else (standard, mapped)


def _username(mapping: Fields) -> str:
    return mapping.text("preferred_username", "")


def _trust(config: Fields, key: str, values: tuple[str, ...]) -> Trust:
    """Each value is the path of a file, PEM, or base64 of PEM."""
    decoded = [(value, decoded_certificates(value)) for value in values]
    files = tuple(value for value, pem in decoded if pem is None)
    if key.endswith("Data") and files:
        raise config.error(key, "is not base64 of certificates in PEM")
    return Trust(files, "".join(pem for _, pem in decoded if pem))
