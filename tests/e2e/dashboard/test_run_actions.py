"""What one does with runs by the dashboard: started by a typed form, followed, ended, retried, archived, repeated."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.apps.pipelines.wire.people import PipelinesUser, ok
from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.graph_page import act, graph, state, step
from tests.e2e.dashboard.people import DEMO, DEMO_NAMESPACE, choose, heading, row
from tests.e2e.notebooks.desk import Desk
from tests.gateway.platform import Platform
from tests.support import KUBECTL

REVIEW = Path(__file__).parent / "review.yaml"
OPEN_GATE = """
apiVersion: v1
kind: ConfigMap
metadata: {name: review}
data: {gate: open}
"""

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
]


@pytest.fixture(scope="module")
def review(platform: Platform) -> str:
    """The id of a pipeline whose parameters have all shapes of the form."""
    token = platform.windlass("user", "token", DEMO.email, "--name", "review").stdout.strip()
    user = PipelinesUser(platform.url, token, DEMO_NAMESPACE, DEMO.email)
    return ok(user.upload(REVIEW.read_bytes(), "review.yaml", name="review", namespace=user.namespace))["pipeline_id"]


def start(page: Page, name: str, **values: str) -> None:
    """Fill in the form of a new run: a parameter with an option is chosen, any other is typed."""
    form = page.get_by_role("form", name="New run")
    form.get_by_role("textbox", name="Name", exact=True).fill(name)
    for parameter, value in values.items():
        box = form.get_by_role("textbox", name=parameter)
        if box.count():
            box.fill(value)
        else:
            choose(form, parameter, value)
    form.get_by_role("button", name="Start", exact=True).click()


def test_a_run_is_started_by_a_typed_form_followed_and_terminated(tab: Tab, review: str) -> None:
    page = tab.page
    page.goto(f"/pipelines/runs/new?pipeline={review}")
    start(page, "without end", rate="often")
    form = page.get_by_role("form", name="New run")
    expect(form.get_by_text("A number, such as 0.1.")).to_be_visible()
    expect(form.get_by_text("A value is required.")).to_be_visible()

    start(page, "without end", rate="0.1", endless="true", level="high", names='["ada", "bob"]')
    heading(page, "without end")
    state(page, "Running")
    step(page, "count").click()
    inputs = page.get_by_role("region", name="Inputs")
    for value in ("0.1", "true", "high"):
        expect(inputs).to_contain_text(value)
    page.get_by_role("tab", name="Logs").click()
    expect(page.get_by_text("line 5", exact=True)).to_be_visible()
    expect(page.get_by_text("line 15", exact=True)).to_be_visible()
    page.get_by_role("tab", name="Events").click()
    expect(page.get_by_role("tabpanel", name="Events")).to_contain_text("Started")

    page.get_by_role("button", name="Terminate").click()
    expect(page.get_by_text("without end is being terminated.")).to_be_visible()
    state(page, "Failed")
    assert tab.errors == []


def test_a_clone_fails_is_retried_and_looked_into(tab: Tab, review: str, desk: Desk) -> None:
    page = tab.page
    page.goto(f"/pipelines/runs/new?pipeline={review}")
    start(page, "first", rate="0", level="low", names='["ada", "bob"]')
    heading(page, "first")
    state(page, "Failed")
    act(page, "Clone")
    heading(page, "Clone first")
    start(page, "second", level="high")
    heading(page, "second")
    state(page, "Failed")
    expect(page.get_by_text("The task gate failed.")).to_be_visible()
    page.get_by_role("button", name="Open its logs").click()
    expect(page.get_by_text("the gate is closed").last).to_be_visible()

    desk.apply(OPEN_GATE)
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_text("second runs again; tasks that succeeded are kept.")).to_be_visible()
    state(page, "Succeeded")

    groups_unfold(page)
    artifacts_are_drawn(page)
    assert tab.errors == []


def groups_unfold(page: Page) -> None:
    """When the page is opened, a sub-pipeline is unfolded and the iterations of a loop are not; each has its task."""
    page.reload()
    expect(step(page, "gate")).to_be_visible()
    graph(page).get_by_role("button", name="Unfold for each name").click()
    graph(page).get_by_role("button", name="Unfold 1").click()
    step(page, "greet").click()
    page.get_by_role("tab", name="Input/Output").click()
    expect(page.get_by_role("region", name="Inputs")).to_contain_text("bob")


def artifacts_are_drawn(page: Page) -> None:
    step(page, "draw").click()
    outputs = page.get_by_role("region", name="draw")
    expect(outputs.get_by_role("row", name=re.compile("^accuracy"))).to_contain_text("0.92")
    expect(outputs.get_by_text("ROC curve")).to_be_visible()
    expect(outputs.get_by_role("cell", name="47")).to_be_visible()
    expect(outputs.get_by_role("heading", name="Notes")).to_be_visible()
    expect(outputs.get_by_role("row", name="cat 0.6")).to_be_visible()
    frame = outputs.locator("iframe")
    expect(frame).to_have_attribute("sandbox", "")
    expect(frame.content_frame.get_by_role("heading", name="A page")).to_be_visible()
    graph(page).get_by_role("button", name="page", exact=True).click()
    expect(page.get_by_text("minio://", exact=False).first).to_be_visible()


def test_runs_are_archived_and_restored(tab: Tab, review: str) -> None:
    page = tab.page
    page.goto(f"/pipelines/runs/new?pipeline={review}")
    start(page, "kept", rate="0", level="low")
    heading(page, "kept")
    act(page, "Archive")
    expect(page.get_by_text("kept was archived.")).to_be_visible()
    page.goto(f"/pipelines/runs/?ns={DEMO_NAMESPACE}")
    heading(page, "Runs")
    expect(row(page, "kept")).to_have_count(0)
    page.get_by_text("Archived", exact=True).click()
    expect(row(page, "kept")).to_be_visible()
    row(page, "kept").get_by_role("button", name=re.compile("^More actions")).click()
    page.get_by_role("menuitem", name="Restore").click()
    expect(page.get_by_text("kept was restored.")).to_be_visible()
    page.get_by_text("Active", exact=True).click()
    expect(row(page, "kept")).to_be_visible()
    assert tab.errors == []


def test_a_recurring_run_is_created_disabled_and_deleted(tab: Tab, review: str) -> None:
    page = tab.page
    page.goto(f"/pipelines/runs/new?pipeline={review}&recurring=yes")
    form = page.get_by_role("form", name="New run")
    form.get_by_role("textbox", name="Name", exact=True).fill("every night")
    form.get_by_role("textbox", name="rate").fill("0")
    choose(form, "level", "low")
    form.get_by_role("textbox", name="Cron").fill("0 0 3 * * *")
    form.get_by_role("button", name="Create schedule").click()
    heading(page, "every night")
    expect(page.get_by_text("0 0 3 * * *")).to_be_visible()

    page.get_by_role("button", name="Disable").click()
    expect(page.get_by_text("every night was disabled", exact=False)).to_be_visible()
    state(page, "Disabled")
    act(page, "Delete")
    heading(page, "Recurring runs")
    expect(row(page, "every night")).to_have_count(0)
    assert tab.errors == []
