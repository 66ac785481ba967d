"""Training jobs by the dashboard: a gang that does not fit says what is short; one that fits is followed."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.people import DEMO_NAMESPACE, card, choose, heading, menu
from tests.e2e.notebooks.desk import Desk
from tests.support import KUBECTL

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]


def owner_of(obj: dict[str, Any]) -> str:
    return next((one["name"] for one in obj["metadata"].get("ownerReferences", [])), "")


def test_a_gang_that_is_too_large_says_which_resource_is_short_and_by_how_much(tab: Tab, desk: Desk) -> None:
    page = tab.page
    cores = int(desk.kubectl("get", "nodes", "-o", "jsonpath={.items[0].status.allocatable.cpu}"))
    menu(page, "Training jobs")
    page.get_by_role("link", name="New job").first.click()
    choose(page, "Framework", "TensorFlow")
    page.get_by_label("Name", exact=True).fill("too-large")
    for role, replicas in (("PS", 2), ("Worker", 4)):
        fields = page.get_by_role("group", name=role, exact=True)
        fields.get_by_label("Replicas").fill(str(replicas))
        fields.get_by_label("Replicas").blur()
        fields.get_by_label("CPU").fill(str(cores))

    forecast = page.get_by_text("Would wait.")
    expect(forecast).to_be_visible()
    expect(page.get_by_text(f"cpu: {cores * 5}", exact=False)).to_contain_text(f"{cores * 6} asked")
    page.get_by_role("button", name="Launch").click()

    heading(page, "too-large")
    needs = page.get_by_role("table", name="What it needs")
    expect(needs.get_by_role("row", name="cpu")).to_contain_text(str(cores * 6))
    expect(needs.get_by_role("row", name="cpu")).to_contain_text(str(cores * 5))
    expect(page.get_by_role("main")).to_contain_text("all 6 pods start together")
    (group,) = [one for one in desk.find("podgroups.scheduling.volcano.sh") if owner_of(one) == "too-large"]
    assert (group["spec"]["minMember"], group["status"]["phase"]) in ((6, "Pending"), (6, "Inqueue"))
    menu(page, "Training jobs")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="too-large"))
    expect(row).to_contain_text("Waiting")
    desk.kubectl("delete", "tfjob", "too-large")
    menu(page, "Home")
    expect(card(page, "Running now")).to_be_visible()
    expect(page.get_by_text("too-large")).to_have_count(0)  # what is gone needs no attention


def test_a_job_is_launched_followed_and_deleted_with_a_way_back(tab: Tab, desk: Desk) -> None:
    page = tab.page
    page.goto("/jobs/new?kind=PyTorchJob")
    page.get_by_label("Name", exact=True).fill("quick")
    expect(page.get_by_text("Fits now.")).to_be_visible()
    page.get_by_role("button", name="Launch").click()

    heading(page, "quick")
    expect(page.get_by_role("main").get_by_text("Running", exact=True).first).to_be_visible()
    page.get_by_role("tab", name="Logs").click()
    expect(page.get_by_text("loss=").first).to_be_visible()
    page.get_by_role("button", name="More actions").first.click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("button", name="Undo").click()

    assert desk.get("pytorchjob", "quick")["metadata"].get("deletionTimestamp") is None
    desk.kubectl("delete", "pytorchjob", "quick", "--wait=false")
    menu(page, "Training jobs")
    expect(page.get_by_role("link", name="quick", exact=True)).to_have_count(0)
    assert DEMO_NAMESPACE in page.get_by_role("banner").inner_text()
