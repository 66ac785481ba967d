"""Signing in and out in a browser."""

import pytest
from playwright.sync_api import expect

from tests.e2e.browser.tab import Tab
from tests.gateway.browser import a_person
from tests.gateway.platform import Platform


@pytest.mark.timeout(300)
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

    expect(tab.page.get_by_text(person.email)).to_be_visible()
    assert tab.path == "/?ns=here"

    tab.page.get_by_role("button", name="Sign out").click()
    tab.page.wait_for_load_state()
    tab.page.goto("/")
    expect(tab.page).to_have_title("Sign in · Windlass")
    assert not tab.outside
    assert all("401" in error or "403" in error for error in tab.errors), tab.errors
