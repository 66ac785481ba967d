"""Sign-ins at GitHub or a GitHub Enterprise: OAuth 2.0 without ID tokens, so that its API says who the user is.

Groups are teams, as `organization:team`. The address must be one that GitHub has verified.
"""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

from windlass.gateway.identity.connectors.connector import GithubConnector
from windlass.gateway.identity.connectors.departure import ConnectorFailed, Departure
from windlass.gateway.identity.connectors.http_client import ConnectorClient
from windlass.gateway.identity.emails import group_problem, normalised, problem
from windlass.gateway.identity.own_requests import challenge_of
from windlass.gateway.identity.user import User

GITHUB, GITHUB_API = "https://github.com", "https://api.github.com"
PAGE_SIZE, MAX_PAGES = 100, 20


@dataclass(frozen=True)
class Team:
    organization: str
    name: str
    slug: str

    def names(self, field: str) -> tuple[str, ...]:
        """What the team is called, by the configuration's `teamNameField`."""
        return {"name": (self.name,), "slug": (self.slug,), "both": (self.name, self.slug)}[field]

    def groups(self, field: str) -> tuple[str, ...]:
        return tuple(f"{self.organization}:{name}" for name in self.names(field))


class GithubSignIn:
    """One connector at work."""

    def __init__(self, connector: GithubConnector, redirect_uri: str) -> None:
        self.connector = connector
        self._redirect_uri = connector.redirect_uri or redirect_uri
        self._site = f"https://{connector.host}" if connector.host else GITHUB
        self._api = f"{self._site}/api/v3" if connector.host else GITHUB_API
        named = urlsplit(self._site).hostname or "" if connector.host else ""
        self._http = ConnectorClient(named, connector.trust)

    async def departure(self) -> tuple[str, Departure]:
        """Where to send the browser, and what to remember for its return."""
        from windlass.gateway.identity.oauth import authorization_url

        memory = Departure(secrets.token_urlsafe(24), "", secrets.token_urlsafe(48))
        uri = authorization_url(
            f"{self._site}/login/oauth/authorize",
            self.connector.client_id,
            redirect_uri=self._redirect_uri,
            scope="user:email read:org" if self._reads_groups else "user:email",
            state=memory.state,
            code_challenge=challenge_of(memory.verifier),
            code_challenge_method="S256",
        )
        return uri, memory

    async def arrival(self, code: str, memory: Departure) -> User:
        """The user whom GitHub names for a code. Raises ConnectorFailed."""
        form = {
            "client_id": self.connector.client_id,
            "client_secret": self.connector.client_secret,
            "code": code,
            "redirect_uri": self._redirect_uri,
            "code_verifier": memory.verifier,
        }
        answer = (await self._http.fetch(f"{self._site}/login/oauth/access_token", form)).object()
        if not answer.get("access_token"):
            why = answer.get("error_description") or answer.get("error") or "it answers without an access token"
            raise ConnectorFailed(f"{self.connector.name} refuses the sign-in: {str(why)[:200]}")
        headers = {"Authorization": f"Bearer {answer['access_token']}", "Accept": "application/vnd.github+json"}
        account = (await self._http.fetch(f"{self._api}/user", headers=headers)).object()
        emails = await self._list("/user/emails", headers)
        groups: tuple[str, ...] = ()
        if self._reads_groups:
            organizations = [str(each.get("login")) for each in await self._list("/user/orgs", headers)]
            teams = [_team(each) for each in await self._list("/user/teams", headers)]
            groups = groups_of(self.connector, str(account.get("login")), organizations, teams)
        return user_of(self.connector, account, emails, groups)

    async def check(self) -> None:
        """Ask for what needs no credentials. Raises ConnectorFailed where GitHub does not answer."""
        await self._http.fetch(f"{self._api}/meta")

    @property
    def _reads_groups(self) -> bool:
        return bool(self.connector.organizations) or self.connector.loads_all_groups

    async def _list(self, path: str, headers: Mapping[str, str]) -> list[dict[str, Any]]:
        """Every page of a list. Raises ConnectorFailed for a following page that is not at the API."""
        found: list[dict[str, Any]] = []
        url = f"{self._api}{path}?per_page={PAGE_SIZE}"
        for _ in range(MAX_PAGES):
            answer = await self._http.fetch(url, headers=headers)
            found += answer.objects()
            url = answer.next_url
            if not url:
                return found
            if not url.startswith(f"{self._api}/"):  # it would be sent the access token
                raise ConnectorFailed(f"{self.connector.name} names a page that is not at {self._api}")
        raise ConnectorFailed(f"{self.connector.name} answers {path} with more than {MAX_PAGES} pages")


def groups_of(
    connector: GithubConnector, login: str, organizations: Iterable[str], teams: Iterable[Team]
) -> tuple[str, ...]:
    """The groups of a user; organizations themselves are groups with `loadAllGroups`.

    With organizations in the configuration only these count, and the user must be in one of them: in one of its teams
    where it has some. Raises ConnectorFailed for a user who is not.
    """
    members, known = list(organizations), list(teams)
    if not connector.organizations:
        return _usable([*members, *(group for team in known for group in team.groups(connector.team_name))])
    found: list[str] = []
    is_allowed = False
    for organization in connector.organizations:
        if organization.name.lower() not in {name.lower() for name in members}:
            continue
        own = [team for team in known if team.organization.lower() == organization.name.lower()]
        if organization.teams:
            own = [team for team in own if not {*organization.teams}.isdisjoint(team.names(connector.team_name))]
        is_allowed = is_allowed or bool(own) or not organization.teams
        found += [group for team in own for group in team.groups(connector.team_name)]
    if not is_allowed:
        raise ConnectorFailed(f"{login} is in none of the organizations and teams that may sign in")
    return _usable(found)


def user_of(
    connector: GithubConnector, account: Mapping[str, Any], emails: Iterable[Mapping[str, Any]], groups: tuple[str, ...]
) -> User:
    """The user of a GitHub account. Raises ConnectorFailed for one without a verified address."""
    login, number = str(account.get("login") or ""), account.get("id")
    if not login or not number:
        raise ConnectorFailed(f"{connector.name} names no account")
    email = _email(connector, list(emails))
    if why := problem(email):
        raise ConnectorFailed(f"{connector.name} has no verified primary e-mail address of {login}: {why}")
    return User(
        email=email,
        username=login,
        user_id=login if connector.uses_login_as_id else str(number),
        groups=groups,
        source=connector.id,
    )


def _email(connector: GithubConnector, emails: list[Mapping[str, Any]]) -> str:
    """The verified address of the preferred domain, or the primary one; empty where there is none."""
    verified = [
        (normalised(str(each.get("email") or "")), each.get("primary") is True)
        for each in emails
        if each.get("verified") is True
    ]
    preferred = [email for email, _ in verified if _is_in(email, connector.preferred_email_domain)]
    primary = [email for email, is_primary in verified if is_primary]
    return next(iter([*preferred, *primary]), "")


def _is_in(email: str, domain: str) -> bool:
    """Whether the address is in the domain; `*.example.com` is every domain below it."""
    if not domain:
        return False
    own = email.rpartition("@")[2]
    return own.endswith(domain[1:]) and own != domain[2:] if domain.startswith("*.") else own == domain


def _team(fields: Mapping[str, Any]) -> Team:
    organization: Any = fields.get("organization")
    login = cast(dict[str, Any], organization).get("login") if isinstance(organization, dict) else ""
    return Team(str(login or ""), str(fields.get("name", "")), str(fields.get("slug", "")))


def _usable(groups: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(group for group in groups if group_problem(group) is None))
