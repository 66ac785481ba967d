"""Signing in and out in a browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.browser.tab import Tab
from tests.gateway.browser import a_person
from tests.gateway.platform import Platform


@pytest.mark.timeout(600)
def test_a_person_signs_in_where_they_wanted_to_go_and_out_again(platform: Platform, tab: Tab) -> None:
    person = a_person(platform, "grace@example.com")
    tab.page.goto("/?ns=here")
    expect(tab.page).to_have_title("Sign in · Windlass")
    expect(tab.page.locator("#login")).to_be_focused()

    tab.fill_in(person.email, "not the password")

    expect(tab.page.get_by_role("alert")).to_be_visible()
    expect(tab.page.locator("#login")).to_have_value(person.email)
    expect(tab.page.locator("#password")).to_be_focused()

    tab.fill_in(person.email, person.password)

    tab.page.wait_for_url("**/?ns=here")
    assert tab.page.request.get("/oauth2/userinfo").json()["email"] == person.email

    tab.page.goto("/oauth2/sign_out")
    tab.page.goto("/")
    expect(tab.page).to_have_title("Sign in · Windlass")
    assert not tab.outside
    # Signing out ends the live stream of the page that is still open, and its requests are refused from then on.
    unexpected = [error for error in tab.errors if not re.search(r"\b40[13]\b|/api/live", error)]
    assert unexpected == []
