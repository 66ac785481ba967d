"""A person's own account: tokens for programs, sessions, and the password."""

from collections.abc import Callable

import pytest
import requests
from playwright.sync_api import Page, expect

from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.people import card
from tests.gateway.browser import Person, a_person
from tests.gateway.platform import Platform

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def erin(platform: Platform) -> Person:
    return a_person(platform, "erin@example.com")


def who_asks(platform: Platform, token: str) -> int:
    """What a program with the token is answered."""
    headers = {"Authorization": f"Bearer {token}"}
    return requests.get(f"{platform.url}/api/workgroup/env-info", headers=headers, timeout=60).status_code


def change_password(page: Page, current: str, new: str) -> None:
    password = card(page, "Password")
    password.get_by_label("Current password").fill(current)
    password.get_by_label("New password").fill(new)
    password.get_by_role("button", name="Change the password").click()


def test_a_token_is_shown_once_works_for_programs_and_ends_when_it_is_revoked(
    platform: Platform, erin: Person, new_tab: Callable[..., Tab]
) -> None:
    tab = new_tab()
    tab.sign_in(erin, "/account")
    tokens = card(tab.page, "Access tokens")
    tokens.get_by_label("What it is for").fill("script")
    tokens.get_by_role("button", name="New token").click()
    token = tokens.get_by_role("status").locator("pre").inner_text().strip()
    assert who_asks(platform, token) == 200

    tab.page.reload()
    listed = tokens.get_by_role("row", name="script")
    expect(listed).to_be_visible()
    assert token not in tab.page.content()
    listed.get_by_role("button", name="Revoke").click()
    expect(listed).to_have_count(0)
    assert who_asks(platform, token) == 401


def test_sessions_are_listed_and_a_new_password_ends_all_but_this_one(
    platform: Platform, erin: Person, new_tab: Callable[..., Tab]
) -> None:
    tab, elsewhere = new_tab(), new_tab()
    elsewhere.sign_in(erin, "/account")
    tab.sign_in(erin, "/account")
    page, sessions = tab.page, card(tab.page, "Sessions")
    expect(sessions.get_by_role("row", name="this one")).to_have_count(1)
    ends = sessions.get_by_role("button", name="End")
    while left := ends.count():
        ends.first.click()
        expect(ends).to_have_count(left - 1)

    elsewhere.sign_in(erin, "/account")
    change_password(page, "not the password", "a better password")
    expect(page.get_by_role("alert")).to_be_visible()
    change_password(page, erin.password, "a better password")
    expect(page.get_by_text("The password was changed. Other sessions have ended.")).to_be_visible()

    elsewhere.page.reload()
    elsewhere.fill_in(erin.email, erin.password)
    expect(elsewhere.page.locator("#login-error")).to_be_visible()
    elsewhere.fill_in(erin.email, "a better password")
    expect(card(elsewhere.page, "Sessions")).to_be_visible()
