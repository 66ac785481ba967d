"""What a page shows while its server is slow, gone or back: it waits, says so, and goes on by itself."""

import os
import re
import signal
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.people import DEMO_NAMESPACE, card, heading, menu
from tests.gateway.platform import Platform

PODS = f"/api/v1/namespaces/{DEMO_NAMESPACE}/pods"

ACTIVITY_CHUNKS = re.compile(r"/assets/Activity-[^/]+\.(js|css)")

pytestmark = pytest.mark.timeout(600)


def sleeper(name: str) -> dict[str, Any]:
    container = {"name": "main", "image": "python:3.11", "command": ["sleep", "1000"]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [container], "terminationGracePeriodSeconds": 0},
    }


def test_a_page_outlives_a_crash_of_the_gateway(platform: Platform, tab: Tab) -> None:
    page = tab.page
    page.goto("/objects/core/v1/configmaps")
    expect(page.get_by_role("link", name="kube-root-ca.crt")).to_be_visible()
    gateway = platform.pid("gateway")

    os.kill(gateway, signal.SIGKILL)

    expect(page.get_by_text("Reconnecting")).to_be_visible()
    expect(page.get_by_role("link", name="kube-root-ca.crt")).to_be_visible()  # what was known stays
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "made-meanwhile"}}
    platform.api.create(f"/api/v1/namespaces/{DEMO_NAMESPACE}/configmaps", made)
    expect(page.get_by_role("link", name="made-meanwhile")).to_be_visible()
    expect(page.get_by_text("Reconnecting")).to_be_hidden()
    assert platform.pid("gateway") != gateway


def test_a_page_outlives_a_crash_of_everything_and_no_pod_is_doubled(platform: Platform, tab: Tab) -> None:
    page = tab.page
    platform.api.create(PODS, sleeper("sleeper"))
    page.goto("/objects/core/v1/pods")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="sleeper"))
    expect(row).to_contain_text("Running")
    url, state = platform.url, platform.state
    uid = platform.api.get(f"{PODS}/sleeper")["metadata"]["uid"]

    for pid in (state["pid"], *(one["pid"] for one in state["components"])):
        os.kill(pid, signal.SIGKILL)
    expect(page.get_by_text("Reconnecting")).to_be_visible()
    ports = (f"--port={state['url'].rpartition(':')[2]}", f"--gateway-port={url.rpartition(':')[2]}")
    platform.up(*ports)

    expect(page.get_by_text("Reconnecting")).to_be_hidden()
    expect(row).to_have_count(1)
    menu(page, "Home")  # still signed in
    expect(card(page, "Running now")).to_be_visible()
    assert page.get_by_role("dialog").count() == 0
    pods = platform.api.get(PODS)["items"]
    assert [pod["metadata"]["uid"] for pod in pods if pod["metadata"]["name"] == "sleeper"] == [uid]
    platform.api.request("DELETE", f"{PODS}/sleeper")


def test_a_session_that_ended_while_the_gateway_was_away_asks_to_sign_in(platform: Platform, tab: Tab) -> None:
    page = tab.page
    menu(page, "Activity")
    heading(page, "Activity")
    page.context.clear_cookies()  # as when the session's time is over

    os.kill(platform.pid("gateway"), signal.SIGKILL)

    expect(page.get_by_role("dialog", name="Your session has ended")).to_be_visible()


def test_a_slow_answer_shows_the_frame_of_the_page_first(tab: Tab) -> None:
    page, held = tab.page, list[Route]()
    page.route("**/api/account/tokens", lambda route: held.append(route))

    page.goto("/account")

    heading(page, "Account")
    expect(page.get_by_role("navigation", name="Menu")).to_be_visible()
    tab.until(lambda: held, "the request is held back")
    held[0].continue_()
    expect(card(page, "Access tokens")).to_be_visible()


def test_an_answer_that_fails_shows_what_the_server_said(tab: Tab) -> None:
    page = tab.page

    def refuse(route: Route) -> None:
        route.fulfill(status=503, json={"error": "the store is being compacted"})

    page.route("**/api/workgroup/get-contributors/**", refuse)
    page.goto("/manage-users")

    expect(page.get_by_text("the store is being compacted")).to_be_visible()


def test_an_empty_list_says_what_could_be_there(tab: Tab) -> None:
    page = tab.page

    page.goto("/jobs/")

    heading(page, "Training jobs")
    expect(page.get_by_text("windlass run --workers 2 train.py")).to_be_visible()
    assert page.get_by_role("row").count() == 0


def test_a_part_of_the_page_whose_load_is_broken_off_is_loaded_again(tab: Tab) -> None:
    page, broken = tab.page, list[str]()

    def break_once(route: Route) -> None:
        if route.request.url in broken:
            route.fallback()
            return
        broken.append(route.request.url)
        route.abort("connectionreset")

    page.route(ACTIVITY_CHUNKS, break_once)
    menu(page, "Activity")

    heading(page, "Activity")
    assert {url.partition("?")[0].rpartition(".")[2] for url in broken} == {"js", "css"}
    styles = "[...document.styleSheets].filter((sheet) => /Activity/.test(sheet.href ?? '')).length"
    assert page.evaluate(styles) == 1


def test_a_part_of_the_page_that_cannot_be_loaded_says_so_and_offers_to_load_it_again(tab: Tab) -> None:
    page = tab.page
    page.route(ACTIVITY_CHUNKS, lambda route: route.abort("connectionreset"))
    menu(page, "Activity")
    expect(page.get_by_text("This page could not be loaded.")).to_be_visible()
    expect(page.get_by_role("navigation", name="Menu")).to_be_visible()

    page.unroute(ACTIVITY_CHUNKS)
    page.get_by_role("button", name="Load again").click()

    heading(page, "Activity")


def test_a_page_outlives_a_crash_of_the_api_server(platform: Platform, tab: Tab) -> None:
    page = tab.page
    page.goto("/objects/core/v1/configmaps")
    expect(page.get_by_role("link", name="kube-root-ca.crt")).to_be_visible()

    platform.kill("server")

    expect(page.get_by_role("link", name="kube-root-ca.crt")).to_be_visible()  # what was known stays
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "made-after-the-crash"}}
    platform.api.create(f"/api/v1/namespaces/{DEMO_NAMESPACE}/configmaps", made)
    expect(page.get_by_role("link", name="made-after-the-crash")).to_be_visible()
    menu(page, "Training jobs")
    heading(page, "Training jobs")
    expect(page.get_by_text("This could not be loaded")).to_have_count(0)


def test_a_server_that_does_not_answer_is_shown_by_its_reason_beside_the_frame_of_the_page(
    platform: Platform, tab: Tab
) -> None:
    page, server = tab.page, platform.pid("server")
    os.kill(server, signal.SIGSTOP)
    try:
        page.goto("/jobs/")
        heading(page, "Training jobs")
        expect(page.get_by_role("navigation", name="Menu")).to_be_visible()
    finally:
        os.kill(server, signal.SIGCONT)

    expect(page.get_by_text("windlass run --workers 2 train.py")).to_be_visible()
