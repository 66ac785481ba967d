"""Sign-ins at a GitHub Enterprise: who comes back, in which groups, and who is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.gateway.identity.github_site import GithubSite, a_team, running_github
from windlass.gateway.identity.connectors.connector import GithubConnector, GithubOrganization
from windlass.gateway.identity.connectors.departure import ConnectorFailed
from windlass.gateway.identity.connectors.github import GithubSignIn, Team, groups_of
from windlass.gateway.identity.connectors.trust import Trust
from windlass.gateway.identity.user import User

CALLBACK = "https://windlass.example.com/dex/callback/hub"
ACME = GithubOrganization("acme")
TEAMS = [Team("acme", "ML Ops", "ml-ops"), Team("acme", "Sales", "sales"), Team("other", "Rest", "rest")]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[GithubSite]:
    with running_github(tmp_path) as running:
        yield running


def a_connector(site: GithubSite | None = None, **more: Any) -> GithubConnector:
    if site is not None:
        more = {"host": site.host, "trust": Trust((str(site.cert),)), **more}
    return GithubConnector("hub", "GitHub", "windlass", "their-secret", **more)


async def signed_in(connector: GithubConnector, site: GithubSite) -> User:
    """The browser's way, without a browser."""
    sign_in = GithubSignIn(connector, CALLBACK)
    url, memory = await sign_in.departure()
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    assert url.startswith(f"https://{site.host}/login/oauth/authorize?")
    back = parse_qs(urlsplit(site.authorize(query)).query)
    assert back["state"] == [memory.state]
    return await sign_in.arrival(back["code"][0], memory)


async def test_a_person_signs_in_with_their_verified_primary_address(site: GithubSite) -> None:
    user = await signed_in(a_connector(site), site)

    assert user == User("octo@example.com", "octo", "583231", source="hub")
    assert site.asked["scope"] == "user:email"
    assert site.asked["redirect_uri"] == CALLBACK


async def test_teams_are_groups_over_all_pages(site: GithubSite) -> None:
    site.teams = [a_team("acme", f"Team {number}", f"team-{number}") for number in range(5)]
    user = await signed_in(a_connector(site, organizations=(ACME,), uses_login_as_id=True), site)

    assert user.groups == tuple(f"acme:Team {number}" for number in range(5))
    assert user.user_id == "octo"
    assert site.asked["scope"] == "user:email read:org"


async def test_the_access_token_is_sent_to_no_other_host(site: GithubSite) -> None:
    site.next_page = "https://evil.example/api/v3/user/emails"

    with pytest.raises(ConnectorFailed, match="names a page that is not at"):
        await signed_in(a_connector(site), site)


@pytest.mark.parametrize(
    ("emails", "domain", "email"),
    [
        ([("a@x.example", True, True), ("b@y.example", True, False)], "y.example", "b@y.example"),
        ([("a@x.example", True, True), ("b@y.example", False, False)], "y.example", "a@x.example"),
        ([("a@x.example", True, True), ("b@sub.y.example", True, False)], "*.y.example", "b@sub.y.example"),
    ],
)
async def test_an_address_of_the_preferred_domain_is_chosen_if_it_is_verified(
    site: GithubSite, emails: list[tuple[str, bool, bool]], domain: str, email: str
) -> None:
    site.emails = [{"email": text, "verified": verified, "primary": primary} for text, verified, primary in emails]

    assert (await signed_in(a_connector(site, preferred_email_domain=domain), site)).email == email


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"emails": [{"email": "a@example.com", "verified": False, "primary": True}]}, "no verified primary"),
        ({"emails": [{"email": "a@example.com", "verified": True, "primary": False}]}, "no verified primary"),
        ({"emails": {"message": "Not Found"}}, "not answer with a list of objects"),
        ({"emails": ["a@example.com"]}, "not answer with a list of objects"),
        ({"account": {}}, "names no account"),
        ({"account": ["octo"]}, "not answer with an object"),
        ({"organizations": [{"login": "other"}]}, "octo is in none of the organizations"),
        ({"teams": [{"name": "ML Ops", "organization": None}]}, "octo is in none of the organizations"),
        ({"token_answer": {"error": "bad_verification_code"}}, "refuses the sign-in: bad_verification_code"),
        ({"token_answer": {"access_token": "wrong"}}, "/api/v3/user answers 401"),
    ],
)
async def test_what_github_says_is_checked(site: GithubSite, facts: dict[str, Any], why: str) -> None:
    for name, value in facts.items():
        setattr(site, name, value)
    connector = a_connector(site, organizations=(GithubOrganization("acme", ("ML Ops",)),))

    with pytest.raises(ConnectorFailed, match=why):
        await signed_in(connector, site)


async def test_a_host_with_an_unknown_certificate_is_refused(site: GithubSite) -> None:
    with pytest.raises(ConnectorFailed, match="CERTIFICATE_VERIFY_FAILED"):
        await signed_in(a_connector(site, trust=Trust()), site)


@pytest.mark.parametrize(
    ("more", "groups"),
    [
        ({"loads_all_groups": True}, ("acme", "other", "acme:ML Ops", "acme:Sales", "other:Rest")),
        ({"organizations": (ACME,)}, ("acme:ML Ops", "acme:Sales")),
        ({"organizations": (GithubOrganization("ACME"),), "team_name": "slug"}, ("acme:ml-ops", "acme:sales")),
        ({"organizations": (GithubOrganization("acme", ("ML Ops",)),)}, ("acme:ML Ops",)),
        (
            {"organizations": (GithubOrganization("acme", ("ml-ops",)),), "team_name": "both"},
            ("acme:ML Ops", "acme:ml-ops"),
        ),
        ({"organizations": (GithubOrganization("else"), GithubOrganization("other"))}, ("other:Rest",)),
    ],
)
def test_groups_are_those_of_the_configuration(more: dict[str, Any], groups: tuple[str, ...]) -> None:
    assert groups_of(a_connector(**more), "octo", ["acme", "other"], TEAMS) == groups


@pytest.mark.parametrize(
    "organization", [GithubOrganization("else"), GithubOrganization("acme", ("Admins",)), GithubOrganization("other")]
)
def test_a_user_outside_the_organizations_and_teams_is_refused(organization: GithubOrganization) -> None:
    with pytest.raises(ConnectorFailed, match="octo is in none of the organizations and teams"):
        groups_of(a_connector(organizations=(organization,)), "octo", ["acme"], TEAMS)


def test_no_organization_makes_a_group_of_kubernetes() -> None:
    found = groups_of(a_connector(organizations=(GithubOrganization("system"),)), "octo", ["system"], [
        Team("system", "masters", "masters")
    ])  # fmt: skip

    assert found == ()
