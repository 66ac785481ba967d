"""Connectors of a dex configuration: each field does what it says, or is refused by name."""

import base64
import importlib.util
import re
from typing import Any

import pytest
import yaml

from tests.docs.pages import ROOT
from windlass.gateway.identity.connectors.connector import (
    Connector,
    GithubConnector,
    GithubOrganization,
    GroupMatcher,
    LdapConnector,
    OidcConnector,
)
from windlass.gateway.identity.connectors.entries import connector_of
from windlass.gateway.identity.connectors.trust import Trust
from windlass.gateway.identity.file_fields import BadUsersFile, Fields
from windlass.gateway.identity.static_file import parse

CLIENT = {"clientID": "windlass", "clientSecret": "their-secret"}
OIDC = {"issuer": "https://id.example.com/", **CLIENT}
TENANT = "0f8fad5b-d9cb-469f-a165-70867728950e"
USERS = {"baseDN": "ou=people,dc=example,dc=com", "username": "uid"}
GROUPS = {"baseDN": "ou=groups,dc=example,dc=com", "nameAttr": "cn"}
MATCHERS = {"userMatchers": [{"userAttr": "DN", "groupAttr": "member"}]}
LDAP = {"host": "ldap.example.com", "userSearch": USERS}
PEM = "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n"


def a_connector(type: str, config: dict[str, Any]) -> Connector:
    return connector_of(Fields({"type": type, "id": "company", "name": "Company", "config": config}, "connectors[0]"))


def an_issuer(type: str, **config: Any) -> OidcConnector:
    found = a_connector(type, {**CLIENT, **config})
    assert isinstance(found, OidcConnector)
    return found


def a_directory(**config: Any) -> LdapConnector:
    found = a_connector("ldap", {**LDAP, **config})
    assert isinstance(found, LdapConnector)
    return found


def github(**config: Any) -> GithubConnector:
    found = a_connector("github", {**CLIENT, **config})
    assert isinstance(found, GithubConnector)
    return found


def test_an_issuer_has_dexs_defaults() -> None:
    assert an_issuer("oidc", **OIDC) == OidcConnector(
        "company", "Company", "https://id.example.com", "windlass", "their-secret"
    )


def test_claims_are_mapped_as_dex_does() -> None:
    mapping = {"email": "mail", "groups": "teams", "preferred_username": "nick"}
    found = an_issuer("oidc", **OIDC, claimMapping=mapping)
    forced = an_issuer("oidc", **OIDC, claimMapping=mapping, overrideClaimMapping=True)

    assert (found.email_claims, found.groups_claims) == (("email", "mail"), ("groups", "teams"))
    assert (forced.email_claims, forced.groups_claims) == (("mail",), ("teams",))
    assert forced.name_claims == ("nick", "name")
    assert an_issuer("oidc", **OIDC, userNameKey="nick", userIDKey="oid").id_claims == ("oid",)


def test_the_redirect_of_a_dex_configuration_is_used() -> None:
    uri = "https://kubeflow.example.com/dex/callback"

    assert an_issuer("oidc", **OIDC, redirectURI=uri).redirect_uri == uri
    assert github(redirectURI=f"{uri}/company").redirect_uri == f"{uri}/company"


def test_google_is_an_issuer_with_hosted_domains() -> None:
    found = an_issuer("google", hostedDomains=["example.com"], promptType="select_account")

    assert (found.issuer, found.hosted_domains) == ("https://accounts.google.com", ("example.com",))
    assert dict(found.parameters) == {"hd": "example.com", "prompt": "select_account"}
    assert dict(an_issuer("google", hostedDomains=["a.example", "b.example"]).parameters) == {"hd": "*"}


def test_gitlab_is_an_issuer_that_names_groups_in_its_userinfo() -> None:
    found = an_issuer("gitlab", baseURL="https://git.example.com/", groups=["ops"], useLoginAsID=True)

    assert (found.issuer, found.reads_userinfo) == ("https://git.example.com", True)
    assert (found.allowed_groups, found.keeps_other_groups) == (("ops",), False)
    assert found.id_claims == ("preferred_username", "nickname")
    assert an_issuer("gitlab").issuer == "https://gitlab.com"


def test_microsoft_is_the_issuer_of_one_directory() -> None:
    found = an_issuer("microsoft", tenant=TENANT, groups=["7"], groupNameFormat="id", domainHint="example.com")

    assert found.issuer == f"https://login.microsoftonline.com/{TENANT}/v2.0"
    assert (found.email_claims, found.keeps_other_groups) == (("preferred_username",), True)
    assert dict(found.parameters) == {"domain_hint": "example.com"}


def test_github_has_organizations_and_teams() -> None:
    found = github(orgs=[{"name": "acme", "teams": ["ml"]}, {"name": "other"}], hostName="git.example.com:8443")

    assert found.organizations == (GithubOrganization("acme", ("ml",)), GithubOrganization("other"))
    assert found.host == "git.example.com:8443"
    assert github(org="acme").organizations == (GithubOrganization("acme"),)
    assert github(hostName="github.com").host == ""


@pytest.mark.parametrize(
    ("config", "host", "port", "security"),
    [
        ({}, "ldap.example.com", 636, "tls"),
        ({"startTLS": True}, "ldap.example.com", 389, "starttls"),
        ({"insecureNoSSL": True}, "ldap.example.com", 389, "none"),
        ({"host": "[::1]:1636"}, "::1", 1636, "tls"),
    ],
)
def test_a_directory_has_tls_unless_the_configuration_says_otherwise(
    config: dict[str, Any], host: str, port: int, security: str
) -> None:
    found = a_directory(**config)

    assert (found.host, found.port, found.security, found.verifies) == (host, port, security, True)


def test_a_directory_has_dexs_fields() -> None:
    certificates = base64.b64encode(PEM.encode()).decode()
    found = a_directory(rootCAData=certificates, groupSearch={**GROUPS, **MATCHERS}, usernamePrompt="Badge")

    assert found.trust == Trust(certificates=PEM)
    assert (found.id_attribute, found.email_attribute, found.prompt) == ("uid", "mail", "Badge")
    assert found.group_matchers == (GroupMatcher("DN", "member"),)
    older = a_directory(groupSearch={**GROUPS, "userAttr": "uid", "groupAttr": "memberUid"})
    assert older.group_matchers == (GroupMatcher("uid", "memberUid"),)


@pytest.mark.parametrize(
    ("type", "config", "words"),
    [
        ("saml", {}, "type: 'saml' is not supported; oidc, ldap, github, google, gitlab, microsoft are"),
        ("oidc", CLIENT, "config.issuer is missing"),
        ("oidc", {**OIDC, "issuer": "id.example.com"}, "config.issuer is 'id.example.com'"),
        ("oidc", {**OIDC, "insecureSkipVerify": True}, "config.insecureSkipVerify is not supported"),
        ("oidc", {**OIDC, "getUserInfo": "yes"}, "config.getUserInfo is neither true nor false"),
        ("oidc", {**OIDC, "pkceChallenge": "plain"}, "config.pkceChallenge is 'plain'"),
        ("oidc", {**OIDC, "redirectURI": "https://a.example/oauth2/callback"}, "config.redirectURI is"),
        ("oidc", {**OIDC, "allowedGroup": ["a"]}, "config.allowedGroup is not supported, and looks like a limit"),
        ("oidc", {**OIDC, "requireMFA": True}, "config.requireMFA is not supported, and looks like a limit"),
        ("google", {**CLIENT, "hostedDomain": ["a"]}, "config.hostedDomain is not supported, and looks like a limit"),
        ("github", {**CLIENT, "orgs": [{"name": "a", "team": ["b"]}]}, "config.orgs[0].team is not supported"),
        ("ldap", {**LDAP, "userSearch": {**USERS, "filters": "(a=b)"}}, "config.userSearch.filters is not supported"),
        ("google", {**CLIENT, "groups": ["a"]}, "config.groups is not supported: Google's ID tokens"),
        ("google", {**CLIENT, "adminEmail": "a@b"}, "config.adminEmail is not supported"),
        ("gitlab", {**CLIENT, "getGroupsPermission": True}, "config.getGroupsPermission is not supported"),
        ("gitlab", {**CLIENT, "rootCAData": "/a/file"}, "config.rootCAData is not base64"),
        ("microsoft", CLIENT, "config.tenant is ''"),
        ("microsoft", {**CLIENT, "tenant": "common"}, "config.tenant is 'common'"),
        ("microsoft", {**CLIENT, "tenant": TENANT, "groups": ["ops"]}, "config.groupNameFormat must be id"),
        ("microsoft", {**CLIENT, "tenant": TENANT, "onlySecurityGroups": True}, "config.onlySecurityGroups is not"),
        ("github", {"clientID": "a"}, "config.clientSecret is missing"),
        ("github", {**CLIENT, "hostName": "https://git.example.com"}, "config.hostName is"),
        ("github", {**CLIENT, "rootCA": "/a/file"}, "config.rootCA needs a hostName"),
        ("github", {**CLIENT, "org": "a", "orgs": [{"name": "b"}]}, "config.org cannot be given together with orgs"),
        ("github", {**CLIENT, "orgs": [{"teams": ["b"]}]}, "config.orgs[0].name is missing"),
        ("github", {**CLIENT, "teamNameField": "id"}, "config.teamNameField is 'id'"),
        ("ldap", {"host": "ldap"}, "config.userSearch.baseDN is missing"),
        ("ldap", {**LDAP, "host": "ldaps://ldap"}, "config.host is 'ldaps://ldap'"),
        ("ldap", {**LDAP, "host": "ldap:65536"}, "config.host is 'ldap:65536'"),
        ("ldap", {**LDAP, "insecureNoSSL": True, "startTLS": True}, "config.startTLS cannot be given"),
        ("ldap", {**LDAP, "insecureNoSSL": True, "rootCA": "/a"}, "config.rootCA has no effect"),
        ("ldap", {**LDAP, "bindDN": "cn=admin"}, "config.bindDN and bindPW must be given together"),
        ("ldap", {**LDAP, "clientCert": "/a"}, "config.clientCert and clientKey must be given together"),
        ("ldap", {**LDAP, "rootCAData": "!"}, "config.rootCAData is not base64"),
        ("ldap", {**LDAP, "userSearch": {**USERS, "scope": "base"}}, "config.userSearch.scope is 'base'"),
        ("ldap", {**LDAP, "userSearch": {**USERS, "filter": "(a=b)(c=d)"}}, "config.userSearch.filter is"),
        ("ldap", {**LDAP, "userSearch": {**USERS, "filter": "a=b"}}, "config.userSearch.filter is"),
        ("ldap", {**LDAP, "userSearch": {**USERS, "username": "uid)(a"}}, "config.userSearch.username is"),
        ("ldap", {**LDAP, "groupSearch": {**GROUPS}}, "config.groupSearch.userAttr is missing"),
        ("ldap", {**LDAP, "groupSearch": {**MATCHERS}}, "config.groupSearch.baseDN is missing"),
        ("ldap", {**LDAP, "groupSearch": {**GROUPS, **MATCHERS, "userAttr": "uid"}}, "config.groupSearch.userAttr and"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(type: str, config: dict[str, Any], words: str) -> None:
    with pytest.raises(BadUsersFile) as error:
        a_connector(type, config)

    assert str(error.value).startswith(f"connectors[0].{words}"), str(error.value)


@pytest.mark.parametrize(
    ("type", "config", "field"),
    [
        ("oidc", {**OIDC, "nonsense": 1}, "nonsense"),
        ("oidc", {**OIDC, "claimMapping": {"mail": "x"}}, "claimMapping.mail"),
        ("google", {**CLIENT, "tenantHint": "x"}, "tenantHint"),
        ("gitlab", {**CLIENT, "color": "orange"}, "color"),
        ("microsoft", {**CLIENT, "tenant": TENANT, "display": "page"}, "display"),
        ("github", {**CLIENT, "orgs": [{"name": "a", "url": "b"}]}, "orgs[0].url"),
        ("ldap", {**LDAP, "pageSize": 100}, "pageSize"),
        (
            "ldap",
            {**LDAP, "groupSearch": {**GROUPS, "userMatchers": [{"userAttr": "a", "groupAttr": "b", "x": 1}]}},
            "groupSearch.userMatchers[0].x",
        ),
    ],
)
def test_a_field_that_dex_does_not_have_changes_nothing_and_is_named(
    type: str, config: dict[str, Any], field: str
) -> None:
    found = parse(yaml.safe_dump({"connectors": [{"type": type, "id": "company", "config": config}]}), {})

    assert [connector.id for connector in found.connectors] == ["company"]
    assert found.warnings == (f"connectors[0].config.{field} is not known and changes nothing",)


def test_without_its_package_an_ldap_connector_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(BadUsersFile, match=r"connectors\[0\].type: ldap needs a package. Install it: pip install"):
        a_directory()


def test_the_users_files_of_the_documentation_are_accepted() -> None:
    pages = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / "docs" / "login.md").read_text(), re.M | re.S)
    kinds = [type(connector) for page in pages for connector in parse(page, {}).connectors]

    assert kinds == [OidcConnector, LdapConnector, GithubConnector]


def test_two_connectors_cannot_have_the_same_id() -> None:
    one = "{type: google, id: company, config: {clientID: a, clientSecret: b}}"

    with pytest.raises(BadUsersFile, match="the id 'company' is there twice"):
        parse(f"connectors: [{one}, {one}]", {})
