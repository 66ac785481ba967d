"""The page of a pipeline run or a Workflow, as its user sees it: a title with a state, a menu, and a graph of steps."""

import re

from playwright.sync_api import Locator, Page, expect


def graph(page: Page) -> Locator:
    return page.get_by_role("group", name=re.compile("^Graph of"))


def step(page: Page, name: str) -> Locator:
    return graph(page).get_by_role("button", name=re.compile(f"^{name}"))


def state(page: Page, word: str) -> None:
    """Wait for the state beside the title."""
    expect(page.get_by_role("main").locator("[data-state]").first).to_have_text(word)


def act(page: Page, action: str) -> None:
    """Choose from the menu of the page."""
    page.get_by_role("main").get_by_role("button", name="More actions", exact=True).click()
    page.get_by_role("menuitem", name=action, exact=True).click()
