"""People sign in with connectors of the users file: at the form of an LDAP directory, and at GitHub."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from tests.gateway.browser import Browser, a_person
from tests.gateway.identity.directory import CONNECTOR, Directory, needs_slapd, running_directory
from tests.gateway.identity.github_site import GithubSite, running_github
from tests.gateway.platform import Platform
from tests.support import free_port

pytestmark = needs_slapd


@pytest.fixture(scope="module")
def github(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GithubSite]:
    with running_github(tmp_path_factory.mktemp("github")) as site:
        yield site


@pytest.fixture(scope="module")
def directory(platform: Platform, github: GithubSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Directory]:
    path = platform.data_dir / "users.yaml"
    with running_directory(tmp_path_factory.mktemp("directory")) as running:
        path.write_text(users_file(running, github))
        yield running
        path.unlink()


def users_file(directory: Directory, github: GithubSite) -> str:
    hub = {"clientID": "windlass", "clientSecret": "their-secret", "hostName": github.host}
    hub |= {"rootCA": str(github.cert), "orgs": [{"name": "acme"}]}
    connectors: list[dict[str, Any]] = [
        {"type": "ldap", "id": "staff", "name": "Staff", "config": at_port(directory.port)},
        {"type": "ldap", "id": "down", "name": "Lost", "config": {**at_port(free_port()), "usernamePrompt": "Badge"}},
        {"type": "github", "id": "hub", "name": "GitHub", "config": hub},
    ]
    return yaml.safe_dump({"connectors": connectors})


def at_port(port: int) -> dict[str, Any]:
    return {**CONNECTOR, "host": f"127.0.0.1:{port}"}


def chosen(browser: Browser, name: str) -> str:
    """The link of a way to sign in, on the login page."""
    page = browser.login_page()
    links = page.text.split('<a class="button quiet" href="')[1:]
    found = {link.split('">')[1].split("</a>")[0]: link.split('"')[0].replace("&amp;", "&") for link in links}
    return found[f"Continue with {name}"]


def form_of(browser: Browser, name: str) -> requests.Response:
    return browser.get(chosen(browser, name))


def sign_in(platform: Platform, login: str, password: str, name: str = "Staff") -> tuple[Browser, requests.Response]:
    browser = Browser(platform.url)
    return browser, browser.post(form_of(browser, name).url, data={"login": login, "password": password})


def last_audit(platform: Platform) -> dict[str, str]:
    return json.loads((platform.data_dir / "logs" / "audit.log").read_text().splitlines()[-1])


def test_a_person_chooses_the_directory_and_signs_in_with_their_groups(
    platform: Platform, directory: Directory
) -> None:
    browser = Browser(platform.url)
    page = form_of(browser, "Staff")
    assert page.url.startswith(f"{platform.url}/dex/auth/staff/login?back=&state=")
    for element in ('id="login"', 'name="login"', 'id="password"', 'name="password"', 'id="submit-login"'):
        assert element in page.text
    assert "with Staff" in page.text
    assert ">Username</label>" in page.text
    for other in ("a local account", "Lost", "GitHub"):
        assert f"Continue with {other}</a>" in page.text
    assert "Continue with Staff" not in page.text

    end = browser.post(page.url, data={"login": "ann", "password": "anns password"})

    assert (end.status_code, end.url) == (200, f"{platform.url}/"), end.text
    facts = browser.get("/oauth2/userinfo").json()
    assert (facts["email"], facts["groups"]) == ("ann@staff.example", ["ml-team", "ops"])
    assert "staff" in platform.windlass("user", "list").stdout


@pytest.mark.parametrize(("login", "password"), [("ann", "wrong"), ("ann", ""), ("*", "x")])
def test_a_wrong_password_shows_the_form_again_with_401(
    platform: Platform, directory: Directory, login: str, password: str
) -> None:
    browser, answer = sign_in(platform, login, password)

    assert answer.status_code == 401
    assert 'id="login-error"' in answer.text
    assert "user name and password do not match" in answer.text
    assert "oauth2_proxy_kubeflow" not in browser.cookies
    audit = last_audit(platform)
    assert (audit["event"], audit["user"], audit["connector"]) == ("login.failed", f"staff/{login}", "staff")


def test_a_directory_that_is_down_is_said_to_be_so(platform: Platform, directory: Directory) -> None:
    _, answer = sign_in(platform, "ann", "anns password", "Lost")

    assert answer.status_code == 503
    assert "The directory does not answer as it should." in answer.text
    assert ">Badge</label>" in answer.text
    assert "127.0.0.1:" not in answer.text.replace(platform.url, ""), "addresses of the network are for the log"
    assert "refused" in last_audit(platform)["reason"]


def test_an_entry_that_cannot_be_used_is_refused_with_the_reason_in_the_audit_log(
    platform: Platform, directory: Directory
) -> None:
    _, answer = sign_in(platform, "twin", "twins password")

    assert answer.status_code == 403
    assert "Your entry in the directory cannot be used here." in answer.text
    assert "more than one entry" in last_audit(platform)["reason"]


def test_a_directory_gives_nobody_the_account_of_a_local_user(platform: Platform, directory: Directory) -> None:
    a_person(platform, "first@staff.example")
    text = (platform.data_dir / "users.yaml").read_text()
    try:
        (platform.data_dir / "users.yaml").write_text(text.replace("username: uid", "username: uid\n      scope: one"))
        browser, answer = sign_in(platform, "twin", "twins password")
    finally:
        (platform.data_dir / "users.yaml").write_text(text)

    assert answer.status_code == 403
    assert "first@staff.example is a user of local, not of staff" in last_audit(platform)["reason"]
    assert "oauth2_proxy_kubeflow" not in browser.cookies


def test_spellings_of_one_name_count_as_tries_for_one_user(platform: Platform, directory: Directory) -> None:
    """Few tries: those of all tests on this platform come from one address, and count together."""
    names: list[str] = []
    for spelling in ("mallory", " MAL\u00adLORY"):
        assert sign_in(platform, spelling, "wrong")[1].status_code == 401
        names.append(last_audit(platform)["user"])

    assert names == ["staff/mallory", "staff/mallory"]


def test_what_is_no_password_connector_has_no_form(platform: Platform, directory: Directory) -> None:
    for name in ("hub", "unknown"):
        answer = requests.get(f"{platform.url}/dex/auth/{name}/login?back=&state=x", timeout=60)
        assert answer.status_code == 404
    assert requests.get(f"{platform.url}/dex/auth/staff/login?back=&state=x", timeout=60).status_code == 400


def test_a_person_signs_in_at_github(platform: Platform, directory: Directory, github: GithubSite) -> None:
    browser = Browser(platform.url)
    end = browser.get(chosen(browser, "GitHub"), verify=str(github.cert))

    assert (end.status_code, end.url) == (200, f"{platform.url}/"), end.text
    facts = browser.get("/oauth2/userinfo").json()
    assert (facts["email"], facts["groups"]) == ("octo@example.com", ["acme:ML Ops"])
    assert last_audit(platform)["connector"] == "hub"


def test_who_is_in_no_organization_does_not_sign_in(
    platform: Platform, directory: Directory, github: GithubSite
) -> None:
    github.organizations = []
    browser = Browser(platform.url)
    end = browser.get(chosen(browser, "GitHub"), verify=str(github.cert))

    assert end.status_code == 403
    assert "octo is in none of the organizations and teams that may sign in" in end.text
    assert "oauth2_proxy_kubeflow" not in browser.cookies


def test_doctor_names_the_connectors_that_do_not_answer(platform: Platform, directory: Directory) -> None:
    done = platform.windlass("doctor", "-o", "json")
    problems = [one["problem"] for one in json.loads(done.stdout) if one["check"] == "connectors"]

    assert [problem.partition(":")[0] for problem in problems] == ["the connector down does not answer"]
    assert "refused" in problems[0]


def test_a_broken_connector_keeps_those_that_were_there(platform: Platform, directory: Directory) -> None:
    path = Path(platform.data_dir / "users.yaml")
    before = path.read_text()
    path.write_text(before.replace("hostName", "hostname"))
    try:
        assert chosen(Browser(platform.url), "Staff")
    finally:
        path.write_text(before)
