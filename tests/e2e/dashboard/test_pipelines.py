"""Pipelines by the dashboard: uploaded, run, followed to the end, inspected, compared, and found by the SDK's links."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.people import DEMO_NAMESPACE, heading, menu, row

SQUARES = Path(__file__).parents[3] / "examples" / "pipelines" / "squares.yaml"
RUN = re.compile(r"/pipelines/runs/details/([0-9a-f-]+)")

pytestmark = [pytest.mark.timeout(600)]


def graph(page: Page) -> Locator:
    return page.get_by_role("group", name=re.compile("^Graph of"))


def start_run(page: Page, name: str, numbers: str) -> str:
    """Fill in the form of a new run, and answer the run's id once its page is open."""
    form = page.get_by_role("form", name="New run")
    form.get_by_role("textbox", name="Name", exact=True).fill(name)
    form.get_by_role("textbox", name="numbers").fill(numbers)
    form.get_by_role("button", name="Start", exact=True).click()
    heading(page, name)
    match = RUN.search(page.url)
    assert match is not None
    return match.group(1)


def test_a_pipeline_is_uploaded_run_followed_and_compared(tab: Tab) -> None:
    page = tab.page
    menu(page, "Pipelines")
    page.get_by_role("link", name="Upload pipeline").first.click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(SQUARES)
    page.get_by_role("button", name="Upload", exact=True).click()

    heading(page, "squares")
    expect(graph(page).get_by_role("button", name=re.compile("^add"))).to_be_visible()

    page.get_by_role("link", name="New run").first.click()
    form = page.get_by_role("form", name="New run")
    form.get_by_role("textbox", name="numbers").fill("[3, ")
    form.get_by_role("button", name="Start", exact=True).click()
    expect(form.get_by_text("A list in JSON")).to_be_visible()

    first = start_run(page, "three and four", "[3, 4]")
    expect(page.locator("[data-state=succeeded]").first).to_contain_text("Succeeded")
    graph(page).get_by_role("button", name=re.compile("^add")).click()
    expect(page.get_by_role("region", name="Outputs")).to_contain_text("25")
    page.get_by_role("tab", name="Logs").click()
    expect(page.get_by_text("25", exact=True).last).to_be_visible()

    page.goto(f"/pipelines/runs/new?from={first}")
    second = start_clone(page, "five", "[5]")
    expect(page.locator("[data-state=succeeded]").first).to_contain_text("Succeeded")

    page.goto(f"/pipelines/runs/?ns={DEMO_NAMESPACE}")
    for name in ("three and four", "five"):
        row(page, name).get_by_role("checkbox").check()
    page.get_by_role("button", name="Compare 2 runs").click()
    table = page.get_by_role("table", name="Parameter")
    expect(table).to_contain_text("[3,4]")
    expect(table).to_contain_text("[5]")

    executions_are_found(page)

    for place in (f"/pipeline/#/runs/details/{first}", f"/#/runs/details/{second}"):
        page.goto("about:blank")
        page.goto(place)
        heading(page, "three and four" if first in place else "five")
    assert tab.errors == []
    assert tab.outside == []


def executions_are_found(page: Page) -> None:
    """Kubeflow's address leads to the list of all runs' tasks, and from there to one of them."""
    page.goto("about:blank")
    page.goto("/pipeline/#/executions")
    heading(page, "Executions")
    page.get_by_role("searchbox").or_(page.get_by_role("textbox")).first.fill("task:add")
    expect(row(page, "three and four")).to_contain_text("Succeeded")
    row(page, "three and four").get_by_role("link", name="add").click()
    heading(page, "add")
    expect(page.get_by_role("region", name="Outputs")).to_contain_text("25")
    address = page.url.split("?")[0].split("/")[-1]
    page.goto("about:blank")
    page.goto(f"/pipeline/#/executions/{address}")
    heading(page, "add")
    page.get_by_role("tab", name="Lineage").click()
    expect(page.get_by_role("group", name="Lineage of add")).to_be_visible()


def start_clone(page: Page, name: str, numbers: str) -> str:
    heading(page, "Clone three and four")
    return start_run(page, name, numbers)
