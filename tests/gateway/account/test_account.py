"""People see and change their own credentials, in a session of their own, from a page of the gateway."""

import json
from typing import Any

import pytest
import requests
import yaml

from tests.gateway.browser import Browser, Person, a_person, signed_in
from tests.gateway.platform import Platform

TOKENS, SESSIONS, PASSWORD = "/api/account/tokens", "/api/account/sessions", "/api/account/password"


@pytest.fixture(scope="module")
def ada(platform: Platform) -> Person:
    return a_person(platform, "ada@example.com")


@pytest.fixture
def browser(platform: Platform, ada: Person) -> Browser:
    return signed_in(platform, ada)


def send(browser: Browser, method: str, path: str, body: Any = None, **headers: str) -> requests.Response:
    """As a page of the dashboard does."""
    csrf = browser.cookies["XSRF-TOKEN"]
    return browser.session.request(
        method, f"{browser.url}{path}", json=body, headers={"X-XSRF-TOKEN": csrf, **headers}, timeout=60
    )


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def audit(platform: Platform) -> list[dict[str, str]]:
    lines = (platform.data_dir / "logs" / "audit.log").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_a_token_is_shown_once_counts_in_its_scope_and_ends_when_revoked(platform: Platform, browser: Browser) -> None:
    made = send(browser, "POST", TOKENS, {"name": "laptop", "days": 7, "scopes": ["gateway"]}).json()["token"]
    value = made["value"]

    assert made["expires"] - made["created"] == 7 * 86400
    listed = send(browser, "GET", TOKENS)
    assert [row["name"] for row in listed.json()["tokens"]] == ["laptop"]
    assert value not in listed.text
    who = f"{platform.url}/oauth2/userinfo"
    assert requests.get(who, headers=bearer(value), timeout=60).json()["email"] == "ada@example.com"
    assert platform.api.request("GET", "/api/v1/namespaces", token=value).status == 401
    assert send(browser, "POST", TOKENS, {"name": "laptop"}).status_code == 409
    assert send(browser, "DELETE", f"{TOKENS}/laptop").status_code == 200
    assert requests.get(who, headers=bearer(value), timeout=60).status_code == 401
    assert send(browser, "DELETE", f"{TOKENS}/laptop").status_code == 404
    events = [(line["event"], line.get("token")) for line in audit(platform) if line.get("user") == "ada@example.com"]
    assert ("token.created", "laptop") in events
    assert ("token.revoked", "laptop") in events
    assert value not in str(audit(platform))


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": "a b"}, "name"),
        ({"name": 5}, "name"),
        ({"name": "a", "days": 0}, "days"),
        ({"name": "a", "days": 1000}, "days"),
        ({"name": "a", "days": True}, "days"),
        ({"name": "a", "scopes": []}, "scopes"),
        ({"name": "a", "scopes": ["all"]}, "scope"),
        ({"name": "a", "email": "b@example.com"}, "email"),
        ([], "JSON"),
    ],
)
def test_a_bad_request_for_a_token_names_the_field(browser: Browser, body: Any, field: str) -> None:
    answer = send(browser, "POST", TOKENS, body)

    assert answer.status_code == 400
    assert field in answer.json()["log"]


def test_another_site_or_a_page_without_the_header_changes_nothing(browser: Browser) -> None:
    assert browser.post(TOKENS, json={"name": "a"}).status_code == 403
    assert send(browser, "POST", TOKENS, {"name": "a"}, Origin="https://evil.example").status_code == 403
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert send(browser, "GET", "/api/account/kubeconfig", **foreign).status_code == 403
    assert send(browser, "GET", TOKENS).json()["tokens"] == []


def test_a_token_makes_no_tokens(platform: Platform, browser: Browser) -> None:
    value = send(browser, "POST", TOKENS, {"name": "parent"}).json()["token"]["value"]
    send_as = lambda method, path: requests.request(  # noqa: E731
        method, f"{platform.url}{path}", json={"name": "child"}, headers=bearer(value), timeout=60
    )
    calls = [
        ("POST", TOKENS),
        ("GET", TOKENS),
        ("GET", SESSIONS),
        ("POST", PASSWORD),
        ("GET", "/api/account/kubeconfig"),
    ]

    assert [send_as(*call).status_code for call in calls] == [403] * 5
    assert requests.get(f"{platform.url}{TOKENS}", timeout=60).status_code == 401
    assert send(browser, "DELETE", f"{TOKENS}/parent").status_code == 200


def test_a_session_is_listed_ended_and_says_how_long_it_lasts(platform: Platform, ada: Person) -> None:
    here, there = signed_in(platform, ada), signed_in(platform, ada)
    rows = send(here, "GET", SESSIONS).json()["sessions"]
    current = send(there, "GET", SESSIONS).json()["sessions"]
    other = next(row["id"] for row in current if row["current"])
    assert [row["id"] for row in rows if row["current"]] != [other]

    left = send(here, "GET", "/api/account/session").json()["session"]
    assert 0 < left["expiresIn"] == min(left["idleSeconds"], left["absoluteSeconds"])
    assert left["absoluteSeconds"] <= 7 * 86400
    assert send(here, "DELETE", f"{SESSIONS}/{other}").status_code == 200
    assert there.get(SESSIONS).status_code == 401


def test_sessions_and_tokens_of_others_are_out_of_reach(platform: Platform, browser: Browser, ada: Person) -> None:
    bea = signed_in(platform, a_person(platform, "bea@example.com"))
    session = next(row["id"] for row in send(browser, "GET", SESSIONS).json()["sessions"] if row["current"])
    send(browser, "POST", TOKENS, {"name": "mine"})

    assert send(bea, "DELETE", f"{SESSIONS}/{session}").status_code == 404
    assert send(bea, "DELETE", f"{TOKENS}/mine").status_code == 404
    assert send(bea, "GET", TOKENS).json()["tokens"] == []
    assert send(browser, "DELETE", f"{TOKENS}/mine").status_code == 200


def test_a_new_password_ends_the_other_sessions(platform: Platform) -> None:
    person = a_person(platform, "cleo@example.com")
    here, there = signed_in(platform, person), signed_in(platform, person)
    change = lambda current, new: send(here, "POST", PASSWORD, {"current": current, "new": new})  # noqa: E731

    assert (change("wrong", "a new password").status_code, there.get(SESSIONS).status_code) == (403, 200)
    weak = change(person.password, "short")
    assert (weak.status_code, weak.json()["log"][:4]) == (400, "new:")
    assert change(person.password, "12341234").status_code == 400
    assert change(person.password, "a new password").json()["sessionsEnded"] == 1
    assert (here.get(SESSIONS).status_code, there.get(SESSIONS).status_code) == (200, 401)
    assert Browser(platform.url).sign_in(person.email, person.password).status_code == 401
    signed_in(platform, Person(person.email, "a new password"))
    events = [line["event"] for line in audit(platform) if line.get("user") == person.email]
    assert {"user.password", "user.password.failed"} <= set(events)
    assert "a new password" not in str(audit(platform))


def test_a_kubeconfig_is_the_person_at_the_api(platform: Platform, browser: Browser) -> None:
    answer = send(browser, "GET", "/api/account/kubeconfig?namespace=team-a")
    config = yaml.safe_load(answer.text)

    assert "attachment" in answer.headers["Content-Disposition"]
    assert config["clusters"][0]["cluster"]["server"] == platform.state["url"]
    assert config["contexts"][0]["context"]["namespace"] == "team-a"
    assert "client-key-data" not in answer.text
    refused = platform.api.request("GET", "/api/v1/secrets", token=config["users"][0]["user"]["token"])
    assert (refused.status, "ada@example.com" in refused.json()["message"]) == (403, True)
    assert send(browser, "GET", "/api/account/kubeconfig?namespace=A/b").status_code == 400


def test_a_sign_in_in_a_small_window_ends_at_a_page_that_closes_it(platform: Platform, ada: Person) -> None:
    browser = Browser(platform.url)
    page = browser.get("/oauth2/start?rd=/signed-in")
    done = browser.post(page.url, data={"login": ada.email, "password": ada.password})

    assert done.url == f"{platform.url}/signed-in"
    policy = done.headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "window.close()" in browser.get("/signed-in.js").text
    assert "<script>" not in done.text
