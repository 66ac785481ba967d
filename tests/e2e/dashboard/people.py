"""Who uses the dashboard in these tests, and the moves that every test makes."""

from playwright.sync_api import Locator, Page, expect

from tests.gateway.browser import Person

DEMO = Person("user@example.com", "12341234")
DEMO_NAMESPACE = "kubeflow-user-example-com"


def menu(page: Page, entry: str) -> None:
    """Go to a page by the menu."""
    page.get_by_role("navigation", name="Menu").get_by_role("link", name=entry, exact=True).click()


def card(page: Page, title: str) -> Locator:
    return page.get_by_role("region", name=title, exact=True)


def choose(page: Page | Locator, label: str, option: str) -> None:
    """Choose from a list that opens."""
    page.get_by_role("button", name=label).first.click()
    root = page if isinstance(page, Page) else page.page
    root.get_by_role("listbox").get_by_role("option", name=option).first.click()


def row(page: Page, name: str) -> Locator:
    """The row of a table that has this name as its link."""
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def heading(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
