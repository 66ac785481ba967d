"""The only user of a machine sees all of it, until a second user comes or the view is withdrawn."""

import asyncio
import re

import aiohttp
import pytest

from tests.gateway.browser import Browser, Person, a_person
from tests.gateway.live.page import Page
from tests.gateway.platform import Platform
from tests.support import eventually

FIRST = "user@example.com"
CLUSTER, NODES = "/api/views/cluster", "/api/k8s/api/v1/nodes"
SYSTEM = "/api/k8s/api/v1/namespaces/kube-system"
RIGHTS_CHANGED = 4403


def opened(platform: Platform) -> Browser:
    """A browser that `windlass open` has opened."""
    browser = Browser(platform.url)
    link = platform.windlass("open", "--print", "--user", FIRST).stdout.strip()
    assert browser.get(link).status_code == 200
    return browser


def codes(browser: Browser, **more: object) -> tuple[int, ...]:
    return tuple(browser.get(path, **more).status_code for path in (CLUSTER, NODES, f"{SYSTEM}/pods"))


def has_view(browser: Browser) -> bool:
    return browser.get("/api/workgroup/env-info").json()["hasMachineView"]


def test_the_only_user_reads_the_whole_machine_and_changes_nothing(lone_platform: Platform) -> None:
    browser = opened(lone_platform)

    assert codes(browser) == (200, 200, 200)
    assert has_view(browser)
    assert browser.get("/api/workgroup/env-info").json()["isClusterAdmin"] is False
    assert browser.get(f"{SYSTEM}/secrets").status_code == 403
    token = {"X-XSRF-TOKEN": browser.cookies["XSRF-TOKEN"]}
    made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "mine"}}
    assert browser.post("/api/k8s/api/v1/namespaces", json=made, headers=token).status_code == 403
    assert browser.post("/api/cluster/backup", headers=token).status_code == 403


def test_a_token_or_a_proxy_has_no_part_in_it(lone_platform: Platform) -> None:
    token = lone_platform.windlass("user", "token", FIRST).stdout.strip()
    by_token = Browser(lone_platform.url)
    by_token.session.headers["Authorization"] = f"Bearer {token}"

    assert codes(by_token) == (403, 403, 403)
    assert codes(opened(lone_platform), headers={"X-Forwarded-For": "10.0.0.1"}) == (403, 403, 403)


async def test_a_second_user_ends_it_also_for_what_is_open(lone_platform: Platform) -> None:
    browser = await asyncio.to_thread(opened, lone_platform)
    other: Person | None = None
    async with (
        aiohttp.ClientSession(cookies=browser.cookies) as session,
        session.ws_connect(f"{lone_platform.url}/api/live", max_msg_size=0) as socket,
        session.get(f"{lone_platform.url}{NODES}?watch=true&allowWatchBookmarks=true") as watch,
    ):
        page = Page(socket)
        await page.next("hello")
        await page.send(op="subscribe", id=1, topic="cluster", params={})
        await page.follow(2, "namespaces")
        await page.next("value", 1)
        await page.next("snapshot", 2)
        assert watch.status == 200
        try:
            other = await asyncio.to_thread(a_person, lone_platform, "second@example.com")

            assert await asyncio.to_thread(codes, browser) == (403, 403, 403)
            with pytest.raises(aiohttp.ClientError):
                async with asyncio.timeout(10):
                    await watch.read()
            async with asyncio.timeout(10):
                while (message := await socket.receive()).type is aiohttp.WSMsgType.TEXT:
                    pass
            # Not `close_code`: the gateway does not wait for a client that answers late, and aborts the connection.
            assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, RIGHTS_CHANGED)
            lone_platform.kill_gateway()
            assert await asyncio.to_thread(codes, browser) == (403, 403, 403)
        finally:
            if other is not None:
                await asyncio.to_thread(lone_platform.windlass, "user", "rm", other.email)
    eventually(lambda: codes(browser) == (200, 200, 200), 10, "the view of who is alone again")


def test_it_is_withdrawn_by_the_page_and_allowed_again_by_a_command_alone(lone_platform: Platform) -> None:
    browser = opened(lone_platform)
    token = {"X-XSRF-TOKEN": browser.cookies["XSRF-TOKEN"]}

    assert browser.session.delete(f"{lone_platform.url}/api/account/machine-view", headers=token).status_code == 200
    try:
        assert codes(browser) == (403, 403, 403)
        assert not has_view(browser)
        lone_platform.kill_gateway()
        assert codes(browser) == (403, 403, 403)
        again = browser.session.delete(f"{lone_platform.url}/api/account/machine-view", headers=token)
        assert again.status_code == 403
        assert "The machine view is off." in lone_platform.windlass("user", "machine-view").stdout
    finally:
        lone_platform.windlass("user", "machine-view", "on")
    assert codes(browser) == (200, 200, 200)
    audit = (lone_platform.data_dir / "logs" / "audit.log").read_text()
    assert re.findall(r'"machine-view\.\w+"', audit)[-2:] == ['"machine-view.withdrawn"', '"machine-view.allowed"']
