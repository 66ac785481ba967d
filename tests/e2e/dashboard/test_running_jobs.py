"""A job that runs, by its page: suspended, resumed, restarted, cloned, deleted; its logs; lists and YAML of it."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.gangs import a_gang, path_of, until_running
from tests.e2e.dashboard.people import DEMO_NAMESPACE, heading, row
from tests.e2e.notebooks.desk import Desk
from tests.support import KUBECTL

BEAT = re.compile(r"beat (\d+)")
NOTE = "/api/v1/namespaces/kubeflow-user-example-com/configmaps"

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def steady(desk: Desk) -> Iterator[Desk]:
    """The gang `steady` runs, `asleep` is suspended."""
    desk.apply(a_gang("steady"), a_gang("asleep", is_suspended=True))
    until_running(desk, "steady")
    yield desk
    desk.kubectl("delete", "pytorchjobs", "steady", "asleep", "--wait=false", "--ignore-not-found")


def has_state(page: Page, word: str) -> None:
    expect(page.get_by_role("main").locator("header [data-state]").first).to_have_text(word)


def from_menu(page: Page, action: str) -> None:
    page.get_by_role("button", name="More actions").first.click()
    page.get_by_role("menuitem", name=action).click()


def pods_of(desk: Desk, job: str) -> list[str]:
    return [pod["metadata"]["uid"] for pod in desk.find("pods", **{"training.kubeflow.org/job-name": job})]


def names(desk: Desk) -> list[str]:
    return [one["metadata"]["name"] for one in desk.find("pytorchjobs")]


def test_logs_of_replicas_are_side_by_side_searched_and_followed(tab: Tab, steady: Desk) -> None:
    page = tab.page
    page.goto(f"{path_of('steady')}?tab=logs")
    first, second = (page.get_by_role("log", name=f"Log of {name}") for name in ("worker-0", "worker-1"))
    expect(first).to_contain_text("beat")
    expect(second).to_contain_text("beat")
    left, right = first.bounding_box(), second.bounding_box()
    assert left is not None
    assert right is not None
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] <= right["x"]

    seen = newest(first)
    tab.until(lambda: newest(first) > seen, "new lines come into sight by themselves")

    page.get_by_role("searchbox", name="Search in the logs").fill("needle")
    count = page.get_by_role("toolbar").get_by_role("status")
    expect(count).to_have_text("1 of 2")
    expect(first.locator("mark")).to_have_text("needle")
    expect(first).to_contain_text("needle of rank 0")
    page.get_by_role("button", name="Next match").click()
    expect(count).to_have_text("2 of 2")
    expect(second).to_contain_text("needle of rank 1")
    expect(page.get_by_role("checkbox", name="Follow")).not_to_be_checked()
    page.get_by_role("searchbox", name="Search in the logs").fill("")
    page.get_by_role("button", name="Jump to newest").first.click()
    tab.until(lambda: newest(first) > seen, "the newest line is in sight again")

    page.get_by_role("button", name="worker-1", exact=True).click()
    expect(second).to_have_count(0)
    assert "replicas=worker-0" in page.url
    page.reload()
    expect(first).to_contain_text("beat")
    expect(second).to_have_count(0)
    assert tab.errors == tab.outside == []


def newest(log: Locator) -> int:
    beats = [int(number) for number in BEAT.findall(log.inner_text())]
    return max(beats, default=0)


def test_the_filter_and_the_order_of_a_list_are_in_its_address(tab: Tab, steady: Desk) -> None:
    page = tab.page
    page.goto("/jobs/")
    expect(row(page, "steady")).to_contain_text("Running")

    page.get_by_role("button", name="Name", exact=True).click()
    tab.until(lambda: listed(page) == ["asleep", "steady"], "the list is in order")
    page.get_by_role("button", name="Name", exact=True).click()
    tab.until(lambda: listed(page) == ["steady", "asleep"], "the list is in the other order")
    page.reload()
    tab.until(lambda: listed(page) == ["steady", "asleep"], "the list is in the same order")

    page.get_by_role("group", name="State").get_by_role("button", name="Suspended").click()
    expect(row(page, "steady")).to_have_count(0)
    assert "q=state" in page.url
    row(page, "asleep").get_by_role("link", name="asleep").click()
    heading(page, "asleep")
    page.go_back()

    expect(page.get_by_role("searchbox", name="Filter")).to_have_value(re.compile("state:suspended", re.IGNORECASE))
    expect(row(page, "asleep")).to_be_visible()
    assert listed(page) == ["asleep"]
    page.get_by_role("searchbox", name="Filter").fill("no such job")
    expect(page.get_by_text("Nothing matches the filter.")).to_be_visible()


def listed(page: Page) -> list[str]:
    """The names in the order of the rows."""
    return [
        name for name in page.get_by_role("row").get_by_role("link").all_inner_texts() if name in ("asleep", "steady")
    ]


def test_yaml_is_saved_and_a_change_of_another_user_is_not_lost(tab: Tab, steady: Desk) -> None:
    desk, page = steady, tab.page
    desk.kubectl("create", "configmap", "note", "--from-literal=mine=one", "--from-literal=theirs=one")
    page.goto(f"/objects/core/v1/configmaps/{DEMO_NAMESPACE}/note?tab=yaml")
    save = page.get_by_role("button", name=re.compile("^Save"))
    expect(save).to_have_attribute("aria-label", re.compile("Nothing has been changed yet"))

    desk.kubectl("label", "configmap", "note", "seen=live")
    expect(page.locator(".cm-line").filter(has_text="seen: live")).to_be_visible()  # what is not edited follows
    expect(save).to_have_attribute("aria-label", re.compile("Nothing has been changed yet"))
    rewrite(page, "mine: one", "mine: two")
    desk.kubectl("patch", "configmap", "note", "--type=merge", "-p", '{"data": {"theirs": "two"}}')
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("note was saved.")).to_be_visible()
    assert desk.get("configmap", "note")["data"] == {"mine": "two", "theirs": "two"}

    rewrite(page, "mine: two", "mine: three")
    desk.kubectl("patch", "configmap", "note", "--type=merge", "-p", '{"data": {"mine": "four"}}')
    clash = page.get_by_role("status").filter(has_text="You and someone else have changed the same fields of note.")
    expect(clash).to_contain_text("data.mine")
    clash.get_by_role("button", name="Keep mine").click()
    expect(clash).to_have_count(0)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(save).to_have_attribute("aria-label", re.compile("Nothing has been changed yet"))
    assert desk.get("configmap", "note")["data"]["mine"] == "three"

    def say_conflict(route: Route) -> None:
        if route.request.method != "PUT":
            route.fallback()
            return
        status = {"kind": "Status", "reason": "Conflict", "code": 409, "message": "the object has been modified"}
        route.fulfill(status=409, json=status)

    page.route(f"**/api/k8s{NOTE}/note", say_conflict)
    rewrite(page, "mine: three", "mine: five")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("was changed on the server at the same moment")
    page.unroute(f"**/api/k8s{NOTE}/note")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_have_count(0)
    assert desk.get("configmap", "note")["data"]["mine"] == "five"
    desk.kubectl("delete", "configmap", "note")


def rewrite(page: Page, before: str, after: str) -> None:
    """Type another text into a line of the editor."""
    line = page.locator(".cm-line").filter(has_text=re.compile(rf"^\s*{before}$"))
    line.click()
    page.keyboard.press("End")
    for _ in before:
        page.keyboard.press("Backspace")
    page.keyboard.type(after)


def test_a_job_is_suspended_resumed_restarted_cloned_and_deleted(tab: Tab, steady: Desk) -> None:
    desk, page = steady, tab.page
    page.goto(path_of("steady"))
    has_state(page, "Running")
    before, pods = desk.get("pytorchjob", "steady")["metadata"]["uid"], pods_of(desk, "steady")
    assert len(pods) == 2

    page.get_by_role("button", name="Suspend").click()
    has_state(page, "Suspended")
    assert desk.get("pytorchjob", "steady")["spec"]["runPolicy"]["suspend"] is True
    tab.until(lambda: pods_of(desk, "steady") == [], "its pods are gone")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("resume steady")
    expect(page.get_by_role("menuitem", name="Resume steady")).to_be_visible()
    page.keyboard.press("Enter")
    has_state(page, "Running")
    assert desk.get("pytorchjob", "steady")["metadata"]["uid"] == before
    assert set(pods_of(desk, "steady")).isdisjoint(pods)

    from_menu(page, "Restart")
    question = page.get_by_role("dialog", name="Restart steady?")
    expect(question).to_contain_text("killed at once")
    question.get_by_role("button", name="Restart").click()
    expect(page.get_by_text("steady starts again from the beginning.")).to_be_visible()
    has_state(page, "Running")
    assert desk.get("pytorchjob", "steady")["metadata"]["uid"] != before

    from_menu(page, "Clone")
    heading(page, "Clone of steady")
    name = page.get_by_label("Name", exact=True)
    expect(name).not_to_have_value("steady")
    name.fill("copy")
    page.get_by_role("button", name="Launch").click()
    heading(page, "copy")
    has_state(page, "Running")
    copied, original = (desk.get("pytorchjob", one)["spec"]["pytorchReplicaSpecs"] for one in ("copy", "steady"))
    assert copied == original

    from_menu(page, "Delete")
    expect(page.get_by_text("copy will be deleted.")).to_be_visible()
    assert "copy" in names(desk)
    page.goto("/activity")  # who leaves does not wait for the undo
    tab.until(lambda: "copy" not in names(desk), "the copy is deleted")
    assert "steady" in names(desk)
    assert tab.errors == tab.outside == []
