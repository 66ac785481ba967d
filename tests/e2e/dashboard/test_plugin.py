"""A package that pip has installed beside Windlass adds an entry to the menu, and a page."""

import pytest
from playwright.sync_api import expect

from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.people import DEMO_NAMESPACE, menu

pytestmark = pytest.mark.timeout(600)


def test_the_page_of_an_installed_package_is_in_the_menu_and_follows_the_namespace(tab: Tab) -> None:
    page = tab.page
    menu(page, "Team costs")

    frame = page.frame_locator("main iframe")
    expect(frame.get_by_role("heading", name="Costs")).to_be_visible()
    expect(frame.locator("#asked")).to_have_text(DEMO_NAMESPACE)
    expect(frame.locator("#namespace")).to_contain_text(f"{DEMO_NAMESPACE}: ")
    expect(frame.locator("#namespace")).to_contain_text("kube-root-ca.crt")
    assert page.url.startswith(f"{tab.url}/_/plugins/costs/index.html")
    expect(page.get_by_role("navigation", name="Menu")).to_be_visible()

    page.keyboard.press("Control+k")
    page.keyboard.type("team costs")
    expect(page.get_by_role("menuitem", name="Team costs")).to_be_visible()
    assert tab.errors == tab.outside == []
