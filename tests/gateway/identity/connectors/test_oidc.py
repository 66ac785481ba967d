"""Which user the claims of an external issuer describe, by the connector's configuration."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.gateway.issuer import running_issuer
from windlass.gateway.identity.connectors.connector import OidcConnector
from windlass.gateway.identity.connectors.departure import ConnectorFailed
from windlass.gateway.identity.connectors.oidc import ExternalIssuer, user_of

CLAIMS: dict[str, Any] = {
    "sub": "7",
    "oid": "object-7",
    "email": "Ann@Example.com",
    "mail": "second@example.com",
    "email_verified": True,
    "preferred_username": "ann",
    "name": "Ann Miller",
    "groups": ["ops", "ml-team", "system:masters"],
    "hd": "example.com",
}


def a_connector(issuer: str = "https://id.example.com", **more: Any) -> OidcConnector:
    return OidcConnector("company", "Company", issuer, "windlass", "their-secret", **more)


@pytest.mark.parametrize(
    ("more", "field", "value"),
    [
        ({}, "email", "ann@example.com"),
        ({}, "groups", ("ops", "ml-team")),
        ({}, "username", "ann"),
        ({"email_claims": ("mail", "email")}, "email", "second@example.com"),
        ({"email_claims": ("missing", "email")}, "email", "ann@example.com"),
        ({"id_claims": ("oid",)}, "user_id", "object-7"),
        ({"name_claims": ("name",)}, "username", "Ann Miller"),
        ({"hosted_domains": ("other.example", "example.com")}, "email", "ann@example.com"),
        ({"allowed_groups": ("ops",)}, "groups", ("ops",)),
        ({"allowed_groups": ("ops",), "keeps_other_groups": True}, "groups", ("ops", "ml-team")),
    ],
)
def test_claims_become_a_user(more: dict[str, Any], field: str, value: Any) -> None:
    assert getattr(user_of(a_connector(**more), CLAIMS), field) == value


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"hosted_domains": ("other.example",)}, "in none of the domains other.example"),
        ({"allowed_groups": ("admins",)}, "in none of the groups that may sign in"),
        ({"allowed_groups": ("system:masters",)}, "in none of the groups that may sign in"),
        ({"email_claims": ("missing",)}, "names no usable e-mail address"),
    ],
)
def test_who_is_not_of_the_configuration_is_refused(more: dict[str, Any], why: str) -> None:
    with pytest.raises(ConnectorFailed, match=why):
        user_of(a_connector(**more), CLAIMS)


async def test_the_browser_takes_the_parameters_of_the_configuration_along() -> None:
    with running_issuer() as running:
        connector = a_connector(running.url, parameters=(("hd", "example.com"), ("prompt", "login")))
        url, _ = await ExternalIssuer(connector, "https://a.example/callback").departure()

    query = parse_qs(urlsplit(url).query)
    assert (query["hd"], query["prompt"]) == (["example.com"], ["login"])


@pytest.mark.parametrize(
    ("userinfo", "groups"), [({"sub": "7", "groups": ["ops"]}, ("ops",)), ({"sub": "8", "groups": ["ops"]}, None)]
)
async def test_userinfo_adds_claims_of_the_same_user(userinfo: dict[str, Any], groups: tuple[str, ...] | None) -> None:
    with running_issuer() as running:
        running.claims = {"sub": "7", "email": "ann@example.com"}
        running.userinfo = userinfo
        issuer = ExternalIssuer(a_connector(running.url, reads_userinfo=True), "https://a.example/callback")
        url, memory = await issuer.departure()
        running.authorize({name: values[0] for name, values in parse_qs(urlsplit(url).query).items()})
        if groups is None:
            with pytest.raises(ConnectorFailed, match="userinfo of another user"):
                await issuer.arrival("the-code", memory)
        else:
            assert (await issuer.arrival("the-code", memory)).groups == groups
