"""What a page sees over its stream: with its user's rights, once for each change, and after a break."""

import asyncio
from typing import Any

import aiohttp
import pytest

from tests.gateway.browser import Person, a_person, signed_in
from tests.gateway.live.conftest import ONE, TWO
from tests.gateway.live.page import a_page, names
from tests.gateway.platform import Platform
from tests.gateway.webapps.app_client import RBAC, make_namespace


def maps(namespace: str, name: str = "") -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps" + (f"/{name}" if name else "")


async def make(platform: Platform, namespace: str, name: str, **metadata: Any) -> dict[str, Any]:
    body = {"metadata": {"name": name, **metadata}, "data": {"a": "1"}}
    return await asyncio.to_thread(platform.api.create, maps(namespace), body)


async def change(platform: Platform, namespace: str, name: str, patch: dict[str, Any]) -> None:
    answer = await asyncio.to_thread(platform.api.patch, maps(namespace, name), patch)
    assert answer.status == 200, answer.body


async def delete(platform: Platform, namespace: str, name: str) -> None:
    await asyncio.to_thread(platform.api.request, "DELETE", maps(namespace, name))


async def test_a_page_follows_the_objects_of_a_namespace(platform: Platform, follower: Person) -> None:
    made = await make(platform, ONE, "followed", annotations={"kubectl.kubernetes.io/last-applied-configuration": "{}"})
    async with a_page(platform, follower) as page:
        await page.follow(1, "configmaps", ONE)
        first = await page.next("snapshot", 1)
        seen = next(obj for obj in first["items"] if obj["metadata"]["name"] == "followed")
        await change(platform, ONE, "followed", {"data": {"a": "2"}})
        changed = await page.change_of(1, "followed")
        await delete(platform, ONE, "followed")
        await page.removal_of(1, made["metadata"]["uid"])

    assert (seen["apiVersion"], seen["kind"], seen["data"]) == ("v1", "ConfigMap", {"a": "1"})
    assert not {"managedFields", "annotations"} & seen["metadata"].keys()
    assert changed["data"] == {"a": "2"}
    assert first["version"]


async def test_all_namespaces_are_those_that_the_user_may_list(platform: Platform, follower: Person) -> None:
    await make(platform, ONE, "in-one")
    await make(platform, TWO, "in-two")
    async with a_page(platform, follower) as page:
        await page.follow(1, "configmaps")
        first = await page.next("snapshot", 1)
        await make(platform, TWO, "later-in-two")
        await page.change_of(1, "later-in-two")

    assert {"in-one", "in-two"} <= names(first)
    assert {obj["metadata"]["namespace"] for obj in first["items"]} == {ONE, TWO}


async def test_a_user_without_rights_is_refused_and_sees_nothing_in_all_namespaces(
    platform: Platform, outsider: Person
) -> None:
    async with a_page(platform, outsider) as page:
        await page.follow(1, "configmaps", ONE)
        refused = await page.next("error", 1)
        await page.follow(2, "configmaps")
        nothing = await page.next("snapshot", 2)
        await page.follow(3, "nodes")
        nodes = await page.next("error", 3)

    assert (refused["status"], refused["reason"]) == (403, "Forbidden")
    assert 'in the namespace "live-one"' in refused["message"]
    assert nothing["items"] == []
    assert "cluster scope" in nodes["message"]


async def test_selectors_choose_and_an_object_leaves_when_it_no_longer_matches(
    platform: Platform, follower: Person
) -> None:
    chosen = await make(platform, ONE, "chosen", labels={"team": "a"})
    await make(platform, ONE, "other", labels={"team": "b"})
    async with a_page(platform, follower) as page:
        await page.follow(1, "configmaps", ONE, labelSelector="team=a")
        by_label = await page.next("snapshot", 1)
        await page.follow(2, "configmaps", ONE, fieldSelector="metadata.name=other")
        by_field = await page.next("snapshot", 2)
        await page.follow(3, "configmaps", ONE, name="chosen")
        by_name = await page.next("snapshot", 3)
        await change(platform, ONE, "chosen", {"metadata": {"labels": {"team": "b"}}})
        await page.removal_of(1, chosen["metadata"]["uid"])

    assert [names(message) for message in (by_label, by_field, by_name)] == [{"chosen"}, {"other"}, {"chosen"}]


async def test_events_are_selected_by_what_they_are_about(platform: Platform, follower: Person) -> None:
    for about in ("pod-a", "pod-b"):
        event = {
            "metadata": {"name": f"{about}.1", "namespace": ONE},
            "involvedObject": {"kind": "Pod", "name": about, "namespace": ONE},
            "reason": "Tested",
            "message": "m",
            "type": "Normal",
        }
        await asyncio.to_thread(platform.api.create, f"/api/v1/namespaces/{ONE}/events", event)
    async with a_page(platform, follower) as page:
        await page.follow(1, "events", ONE, fieldSelector="involvedObject.kind=Pod,involvedObject.name=pod-a")
        about_a = await page.next("snapshot", 1)

    assert names(about_a) == {"pod-a.1"}


@pytest.mark.parametrize(
    ("params", "status", "says"),
    [
        ({"resource": "nothings"}, 404, "nothings"),
        ({"version": "v9"}, 404, "v9"),
        ({"fieldSelector": "spec.x=1"}, 400, "fieldSelector: spec.x"),
        ({"labelSelector": "a in"}, 400, "parse"),
        ({"namespace": 5}, 400, "namespace"),
        ({"resource": "bindings"}, 405, "watched"),
    ],
)
async def test_what_cannot_be_followed_is_said(
    platform: Platform, follower: Person, params: dict[str, Any], status: int, says: str
) -> None:
    asked = {"group": "", "version": "v1", "resource": "configmaps", "namespace": ONE, **params}
    async with a_page(platform, follower) as page:
        await page.send(op="subscribe", id=1, topic="objects", params=asked)
        error = await page.next("error", 1)

    assert error["status"] == status
    assert says in error["message"]


async def test_messages_that_cannot_be_read_are_answered(platform: Platform, follower: Person) -> None:
    async with a_page(platform, follower) as page:
        for text in ("", "{", "[]", '{"op":"x"}', '{"op":"subscribe","id":-1,"topic":"a"}', '{"op":"subscribe"}'):
            await page.socket.send_str(text)
            assert (await page.next("error"))["status"] == 400
        await page.socket.send_bytes(b"\xff")
        assert (await page.next("error"))["status"] == 400
        await page.send(op="subscribe", id=1, topic="none")
        assert (await page.next("error", 1))["status"] == 404


async def test_a_page_resumes_where_it_was(platform: Platform, follower: Person) -> None:
    async with a_page(platform, follower) as page:
        await page.follow(1, "configmaps", ONE)
        version = (await page.next("snapshot", 1))["version"]
    await make(platform, ONE, "while-away")
    async with a_page(platform, follower) as page:
        await page.follow(1, "configmaps", ONE, version=version)
        resumed = await page.receive()
        await page.follow(2, "configmaps", TWO, version=version)
        another = await page.next("snapshot", 2)

    assert resumed["type"] == "changes"
    assert [obj["metadata"]["name"] for obj in resumed["changed"]] == ["while-away"]
    assert another["type"] == "snapshot"


async def test_many_changes_come_together(platform: Platform, follower: Person) -> None:
    await make(platform, ONE, "busy")
    async with a_page(platform, follower) as page:
        await page.follow(1, "configmaps", ONE, name="busy")
        await page.next("snapshot", 1)
        for number in range(40):
            await change(platform, ONE, "busy", {"data": {"a": str(number)}})
        received = []
        while not received or received[-1] != "39":
            received += [obj["data"]["a"] for obj in (await page.next("changes", 1))["changed"]]

    assert received == sorted(set(received), key=int)


async def test_rights_that_are_withdrawn_end_the_subscription(platform: Platform) -> None:
    person = await asyncio.to_thread(a_person, platform, "live-former@example.com")
    await asyncio.to_thread(make_namespace, platform, "live-former", person)
    async with a_page(platform, person) as page:
        await page.follow(1, "configmaps", "live-former")
        await page.follow(2, "configmaps")
        await page.next("snapshot", 1)
        for binding in ("kubeflow-edit", "web-apps"):
            path = f"{RBAC}/namespaces/live-former/rolebindings/{binding}"
            await asyncio.to_thread(platform.api.request, "DELETE", path)
        ended = await page.next("error", 1)
        await page.follow(2, "configmaps")
        emptied = await page.next("snapshot", 2)

    assert ended["status"] == 403
    assert emptied["items"] == []


async def test_a_namespace_that_is_shared_later_appears(platform: Platform) -> None:
    person = await asyncio.to_thread(a_person, platform, "live-newcomer@example.com")
    async with a_page(platform, person) as page:
        await page.follow(1, "serviceaccounts")
        before = await page.next("snapshot", 1)
        await asyncio.to_thread(make_namespace, platform, "live-newcomer", person)
        after = await page.next("snapshot", 1)
        while "default-editor" not in names(after):
            after = await page.next("snapshot", 1)

    assert before["items"] == []


async def test_the_connection_ends_with_the_session(platform: Platform, follower: Person) -> None:
    browser = await asyncio.to_thread(signed_in, platform, follower)
    async with (
        aiohttp.ClientSession(cookies=browser.cookies) as session,
        session.ws_connect(f"{platform.url}/api/live") as socket,
    ):
        await socket.receive()
        await asyncio.to_thread(browser.get, "/oauth2/sign_out", allow_redirects=False)
        await asyncio.wait_for(socket.receive(), 20)

        assert socket.close_code == 4401


async def test_other_sites_and_plain_requests_get_no_stream(platform: Platform, follower: Person) -> None:
    browser = await asyncio.to_thread(signed_in, platform, follower)
    plain = await asyncio.to_thread(browser.get, "/api/live")
    async with aiohttp.ClientSession(cookies=browser.cookies) as session:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(f"{platform.url}/api/live", headers={"Origin": "https://evil.example"})
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.WSServerHandshakeError) as unknown:
            await session.ws_connect(f"{platform.url}/api/live")

    assert (plain.status_code, refused.value.status, unknown.value.status) == (400, 403, 401)
