"""Ways to sign in elsewhere, as the users file describes them."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from windlass.gateway.identity.connectors.trust import MACHINE_TRUST, Trust


@dataclass(frozen=True)
class OidcConnector:
    """An external OpenID Connect issuer. Of several claims the first that is there counts."""

    id: str
    name: str
    issuer: str
    client_id: str
    client_secret: str
    scopes: tuple[str, ...] = ("openid", "email", "profile")
    redirect_uri: str = ""
    """Where the browser comes back to; empty for the gateway's own choice."""
    parameters: tuple[tuple[str, str], ...] = ()
    """What the browser takes along besides what the protocol asks for."""
    id_claims: tuple[str, ...] = ("sub",)
    email_claims: tuple[str, ...] = ("email",)
    name_claims: tuple[str, ...] = ("preferred_username", "name")
    groups_claims: tuple[str, ...] = ("groups",)
    trusts_unverified_email: bool = False
    reads_userinfo: bool = False
    hosted_domains: tuple[str, ...] = ()
    """The `hd` claim must be one of these; any where there are none."""
    allowed_groups: tuple[str, ...] = ()
    """A user must be in one of these; where there are none, nobody has to be in a group."""
    keeps_other_groups: bool = False
    """Whether groups that are not in `allowed_groups` count as well."""
    trust: Trust = MACHINE_TRUST


@dataclass(frozen=True)
class GithubOrganization:
    name: str
    teams: tuple[str, ...] = ()
    """A member must be in one of these; where there are none, membership of the organization is enough."""


@dataclass(frozen=True)
class GithubConnector:
    """GitHub, or a GitHub Enterprise at a host of one's own: OAuth 2.0 without ID tokens."""

    id: str
    name: str
    client_id: str
    client_secret: str
    host: str = ""
    """Host and port of a GitHub Enterprise; empty for github.com."""
    redirect_uri: str = ""
    organizations: tuple[GithubOrganization, ...] = ()
    """A user must be in one of these; where there are none, everybody at GitHub may sign in."""
    loads_all_groups: bool = False
    team_name: Literal["name", "slug", "both"] = "name"
    uses_login_as_id: bool = False
    preferred_email_domain: str = ""
    trust: Trust = MACHINE_TRUST


@dataclass(frozen=True)
class LdapSearch:
    """Entries below a DN."""

    base: str
    filter: str = ""
    is_one_level: bool = False


@dataclass(frozen=True)
class GroupMatcher:
    """A group is a user's where its attribute has a value of the user's attribute; `DN` is the entry's own name."""

    user_attribute: str
    group_attribute: str


@dataclass(frozen=True, kw_only=True)
class LdapConnector:
    """An LDAP directory, which checks the passwords of its users."""

    id: str
    name: str
    host: str
    port: int
    security: Literal["tls", "starttls", "none"] = "tls"
    verifies: bool = True
    """Whether the server's certificate must be valid for its host."""
    trust: Trust = MACHINE_TRUST
    client_cert: str = ""
    client_key: str = ""
    bind_dn: str = ""
    """Who searches; empty for an anonymous search."""
    bind_password: str = ""
    prompt: str = ""
    """What the login page calls the name that a person types; empty for `Username`."""
    users: LdapSearch
    login_attribute: str
    id_attribute: str = "uid"
    email_attribute: str = "mail"
    name_attribute: str = ""
    username_attribute: str = ""
    email_suffix: str = ""
    groups: LdapSearch | None = None
    group_matchers: tuple[GroupMatcher, ...] = ()
    group_name_attribute: str = ""


Connector: TypeAlias = OidcConnector | GithubConnector | LdapConnector
