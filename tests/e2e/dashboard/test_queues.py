"""Queues by the dashboard: what waits and why, the nodes over time, what if, and what only an administrator may do."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.gangs import a_gang, free_cores, path_of, until_running
from tests.e2e.dashboard.people import DEMO_NAMESPACE, card, heading, menu
from tests.e2e.notebooks.desk import Desk
from tests.gateway.browser import a_person
from tests.gateway.platform import Platform
from tests.support import KUBECTL

HOUR = 3600
WEIGHT = "jsonpath={.spec.weight}"

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def contended(desk: Desk) -> Iterator[Desk]:
    """`holder` runs for at most an hour; `waiter` needs what it holds."""
    share = f"{int(free_cores(desk) * 1000 * 0.4)}m"
    desk.apply(a_gang("holder", share, activeDeadlineSeconds=HOUR))
    until_running(desk, "holder")
    desk.apply(a_gang("waiter", share))
    yield desk
    desk.kubectl("delete", "pytorchjobs", "holder", "waiter", "--wait=false")


def test_what_waits_is_drawn_forecast_and_helped_by_another_node(tab: Tab, contended: Desk) -> None:
    page = tab.page
    menu(page, "Queues")
    waiting = page.get_by_role("table", name="Waiting in default").get_by_role("row", name=re.compile("waiter"))
    expect(waiting).to_contain_text("cpu")

    chart = page.get_by_role("group", name="Nodes and gangs over time")
    expect(chart.get_by_role("link", name=re.compile("^holder, "))).to_be_visible()
    foretold = chart.get_by_role("link", name=re.compile("^waiter, .*forecast"))
    expect(foretold).to_be_visible()
    expect(card(page, "Nodes and gangs over time")).to_contain_text("2 pods end at their activeDeadlineSeconds")

    what_if = card(page, "What if")
    what_if.get_by_role("textbox", name="More nodes").fill("1")
    what_if.get_by_role("textbox", name="More nodes").press("Tab")
    what_if.get_by_role("button", name="Simulate").click()
    outcome = what_if.get_by_role("status")
    expect(outcome).to_contain_text(re.compile(rf"Start of {DEMO_NAMESPACE}/waiter\s*in .*at once", re.DOTALL))
    nodes = contended.kubectl("get", "nodes", "-o", "name").split()
    assert len(nodes) == 1  # nothing was changed

    foretold.focus()
    page.keyboard.press("Enter")
    heading(page, "waiter")
    assert path_of("waiter") in page.url
    why = page.get_by_role("main")
    expect(why).to_contain_text("held by")
    expect(why).to_contain_text(f"{DEMO_NAMESPACE}/holder")
    expect(page.get_by_role("table", name="What it needs").get_by_role("row", name="cpu")).to_be_visible()
    assert tab.errors == tab.outside == []


def test_a_weight_is_changed_by_an_administrator_alone(
    tab: Tab, platform: Platform, contended: Desk, new_tab: Callable[..., Tab]
) -> None:
    page, desk = tab.page, contended
    page.goto("/queues/default")
    heading(page, "default")
    right = "You lack the right “patch queues.scheduling.volcano.sh”"
    refused = page.get_by_role("button", name=f"Edit the weight: {right}")
    expect(refused).to_have_attribute("aria-disabled", "true")
    refused.click(force=True)
    assert page.get_by_role("dialog").count() == 0

    admin = a_person(platform, "queues-admin@example.com")
    desk.kubectl("create", "clusterrolebinding", "queues-admin", "--clusterrole=cluster-admin", f"--user={admin.email}")
    other = new_tab()
    other.sign_in(admin, "/queues/default")
    other.page.get_by_role("button", name="Edit the weight").click()
    dialog = other.page.get_by_role("dialog", name="Weight of default")
    dialog.get_by_role("textbox").fill("3")
    dialog.get_by_role("textbox").press("Tab")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    assert desk.kubectl("get", "queue", "default", "-o", WEIGHT) == "3"
    expect(page.get_by_role("main").get_by_text("3", exact=True).first).to_be_visible()  # the other page follows
    desk.kubectl("patch", "queue", "default", "--type=merge", "-p", '{"spec": {"weight": 1}}')
