"""How soon a person sees the first page, and can use it."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser.tab import STATIC_FILES, Tab
from tests.e2e.dashboard.people import card

MOST_PAINT_MS = 1000
MOST_INTERACTIVE_MS = 1500
LOADS = 6
"""Other tests run beside this one: the best of these is what the page itself takes."""
WATCH = """
window.longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((one) => one.startTime + one.duration)))
  .observe({ type: "longtask", buffered: true });
"""
MEASURE = """() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return [paint?.startTime ?? Infinity, Math.max(paint?.startTime ?? 0, window.shownAt, ...window.longTasks)];
}"""
SHOWN = """() => {
  const isShown = document.querySelector("main section h2") !== null && document.querySelector("main a[href]") !== null;
  if (isShown) window.shownAt ??= performance.now();
  return isShown;
}"""

pytestmark = pytest.mark.timeout(600)


def load(page: Page) -> tuple[float, float]:
    """Load the home page into an empty cache; answers first paint, and when it has its data and nothing holds it up."""
    page.goto("/", wait_until="commit")
    page.wait_for_function(SHOWN, polling="raf")
    expect(card(page, "Running now")).to_be_visible()
    painted, interactive = page.evaluate(MEASURE)
    return painted, interactive


def test_the_home_page_is_painted_within_a_second_and_usable_soon_after(tab: Tab) -> None:
    page = tab.page
    page.unroute(STATIC_FILES)  # as a browser loads them
    page.context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.add_init_script(WATCH)
    seen: list[tuple[float, float]] = []
    for _ in range(LOADS):
        seen.append(load(page))
        if seen[-1][0] < MOST_PAINT_MS and seen[-1][1] < MOST_INTERACTIVE_MS:
            return
    raise AssertionError(f"first contentful paint and interactive, in ms: {seen}")
