"""One page's connection: computed values, long lists in pieces, broken watches."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any, Literal, cast

import msgspec
import pytest
from aiohttp import WSMsgType, web
from aiohttp.test_utils import TestClient, TestServer

from tests.gateway.live.page import Page
from tests.gateway.live.test_feeds import MAPS, entry
from windlass.gateway.access.open_tunnels import OpenTunnels
from windlass.gateway.context import GatewayContext
from windlass.gateway.live.connection import SESSION_ENDED
from windlass.gateway.live.feeds import Feed, Form
from windlass.gateway.live.hub import Hub
from windlass.gateway.live.objects import MAX_MESSAGE_BYTES, ObjectsParams, ObjectsSubscription
from windlass.gateway.live.routes import LivePages
from windlass.gateway.live.topics import Publish
from windlass.gateway.request import IDENTITY, Identity
from windlass.kube.errors import Forbidden, ServiceUnavailable
from windlass.kube.kind import Kind

ANN = Identity("ann@example.com")


class CountParams(msgspec.Struct):
    start: int


class Count:
    """Counts on whenever it is asked to."""

    name, params = "count", CountParams

    def __init__(self) -> None:
        self.publish: Publish = lambda _: None
        self.calls = 0
        self.is_allowed = True

    async def subscribe(
        self, context: GatewayContext, identity: Identity, params: CountParams, publish: Publish
    ) -> None:
        self.calls += 1
        if not self.is_allowed:
            raise Forbidden("not any more")
        if params.start < 0:
            raise ZeroDivisionError
        self.publish = publish
        publish({"user": identity.user, "count": params.start})
        await asyncio.Event().wait()


class Reviews:
    async def allows(self, identity: Identity, access: object) -> bool:
        return True


def a_context() -> GatewayContext:
    async def allowed(*_: object) -> bool:
        return True

    proxy = SimpleNamespace(reviews=Reviews(), tunnels=OpenTunnels(allowed), on_rights_changed=[])
    return cast(GatewayContext, SimpleNamespace(client=None, proxy=proxy))


@pytest.fixture
def count() -> Count:
    return Count()


@pytest.fixture
def context() -> GatewayContext:
    return a_context()


@pytest.fixture
async def page(count: Count, context: GatewayContext) -> AsyncIterator[Page]:
    pages = LivePages(context, [count])

    async def serve(request: web.Request) -> web.StreamResponse:
        request[IDENTITY] = ANN
        return await pages.serve(request)

    app = web.Application()
    app.router.add_get("/api/live", serve)
    running = asyncio.create_task(pages.run())
    async with TestClient(TestServer(app)) as client, client.ws_connect("/api/live") as socket:
        page = Page(socket)
        await page.next("hello")
        yield page
    running.cancel()


async def test_of_many_values_the_last_is_sent(page: Page, count: Count) -> None:
    await page.send(op="subscribe", id=4, topic="count", params={"start": 1})
    first = await page.next("value", 4)
    for number in range(2, 100):
        count.publish({"count": number})
    second = await page.next("value", 4)
    count.publish({"count": 99})
    count.publish({"count": 100})

    assert first["value"] == {"user": "ann@example.com", "count": 1}
    assert second["value"] == {"count": 99}
    assert (await page.next("value", 4))["value"] == {"count": 100}


async def test_params_and_failures_of_a_topic_are_answered(page: Page) -> None:
    await page.send(op="subscribe", id=1, topic="count", params={"start": "x"})
    bad = await page.next("error", 1)
    await page.send(op="subscribe", id=2, topic="count", params={"start": -1})
    failed = await page.next("error", 2)

    assert (bad["status"], "start" in bad["message"]) == (400, True)
    assert (failed["status"], "ZeroDivision" in failed["message"]) == (500, False)


async def test_a_topic_is_asked_again_when_rights_change(page: Page, count: Count, context: GatewayContext) -> None:
    await page.send(op="subscribe", id=1, topic="count", params={"start": 1})
    await page.next("value", 1)
    count.is_allowed = False
    for call in context.proxy.on_rights_changed:
        call()
    refused = await page.next("error", 1)

    assert (refused["status"], count.calls) == (403, 2)


async def test_a_page_has_a_bounded_number_of_subscriptions(page: Page) -> None:
    for id in range(65):
        await page.send(op="subscribe", id=id, topic="count", params={"start": id})
    refused = await page.next("error")

    assert (refused["id"], refused["status"]) == (64, 429)


async def test_the_end_of_a_session_closes_the_page(page: Page, context: GatewayContext) -> None:
    context.proxy.tunnels.close_ended(lambda _: False)
    ended = await page.socket.receive()

    assert ended.type is WSMsgType.CLOSE
    assert ended.data == SESSION_ENDED


class OneFeed(Hub):
    """A hub whose feed the test fills."""

    def __init__(self) -> None:
        super().__init__(cast(Any, None))
        self.feed = Feed(MAPS, "n", itertools.count(1))

    async def kind(self, group: str, version: str, resource: str) -> Kind:
        return MAPS

    def follow(self, kind: Kind, namespace: str, *, form: Form = "") -> Feed:
        return self.feed


async def subscribed(hub: OneFeed, version: str = "", form: Literal["", "table"] = "") -> ObjectsSubscription:
    subscription = ObjectsSubscription(a_context(), hub, ANN, 1, lambda: None)
    await subscription.open(ObjectsParams(version="v1", resource="configmaps", namespace="n", form=form), version)
    return subscription


def message(subscription: ObjectsSubscription) -> dict[str, Any] | None:
    sent = subscription.next_message()
    return None if sent is None else json.loads(sent)


async def test_a_long_list_comes_in_pieces_and_only_the_last_can_be_resumed() -> None:
    hub = OneFeed()
    hub.feed.replace([entry(f"o{number}", note="x" * 4000) for number in range(400)])
    hub.feed.reached("1")
    subscription = await subscribed(hub)

    sizes, pieces = list[int](), list[dict[str, Any]]()
    while (sent := subscription.next_message()) is not None:
        sizes.append(len(sent))
        pieces.append(json.loads(sent))
        hub.feed.put(entry("o399", version=len(pieces) + 1))  # the last object changes while they are sent
        if len(pieces) == 4:
            break

    assert [piece["type"] for piece in pieces] == ["snapshot", "changes", "changes", "changes"]
    assert [bool(piece["version"]) for piece in pieces] == [False, False, False, True]
    assert max(sizes) < MAX_MESSAGE_BYTES + 10_000
    assert pieces[3]["changed"][-1]["data"] == {"v": "4"}
    assert len({obj["metadata"]["uid"] for piece in pieces for obj in piece.get("items") or piece["changed"]}) == 400


async def test_who_falls_behind_what_is_remembered_gets_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windlass.gateway.live.feeds.MAX_RECORDS", 10)
    hub = OneFeed()
    hub.feed.reached("1")
    subscription = await subscribed(hub)
    first = message(subscription)
    for number in range(20):
        hub.feed.put(entry(f"o{number}"))
    again = message(subscription)

    assert first is not None
    assert again is not None
    assert (first["type"], first["items"]) == ("snapshot", [])
    assert (again["type"], len(again["items"])) == ("snapshot", 20)


@pytest.mark.parametrize("version", ["", "x", "1.2.3", "....", "a.99999999999999999999999.b"])
async def test_a_version_that_means_nothing_leads_to_a_snapshot(version: str) -> None:
    hub = OneFeed()
    hub.feed.reached("1")

    sent = message(await subscribed(hub, version))

    assert sent is not None
    assert sent["type"] == "snapshot"


async def test_a_broken_watch_is_reported_and_its_recovery_even_without_a_change() -> None:
    hub = OneFeed()
    hub.feed.reached("1")
    subscription = await subscribed(hub)
    message(subscription)
    hub.feed.mark(ServiceUnavailable("the API server does not answer"))
    broken, silent = message(subscription), message(subscription)
    hub.feed.mark(None)
    back, after = message(subscription), message(subscription)

    assert broken is not None
    assert (broken["type"], broken["message"], silent) == ("stale", "the API server does not answer", None)
    assert back is not None
    assert (back["type"], back["changed"], after) == ("changes", [], None)


async def test_rows_are_sent_page_by_page_and_can_be_resumed_once_all_are_there() -> None:
    hub = OneFeed()
    subscription = await subscribed(hub, form="table")
    before = message(subscription)
    hub.feed.fill([entry("a"), entry("b")])
    first, silent = message(subscription), message(subscription)
    hub.feed.fill([entry("c")])
    second = message(subscription)
    hub.feed.replace([entry("a"), entry("b"), entry("c")])
    hub.feed.reached("1")
    last, after = message(subscription), message(subscription)

    assert (before, silent, after) == (None, None, None)
    assert first is not None
    assert (first["type"], len(first["items"]), first["version"]) == ("snapshot", 2, "")
    assert second is not None
    assert (second["type"], len(second["changed"]), second["version"]) == ("changes", 1, "")
    assert last is not None
    assert (last["type"], last["changed"], last["removed"]) == ("changes", [], [])
    resumed = message(await subscribed(hub, last["version"], form="table"))
    assert resumed is not None
    assert (resumed["type"], resumed["changed"]) == ("changes", [])


async def test_objects_are_sent_once_all_are_there() -> None:
    hub = OneFeed()
    subscription = await subscribed(hub)
    hub.feed.fill([entry("a")])
    early = message(subscription)
    hub.feed.reached("1")
    whole = message(subscription)

    assert early is None
    assert whole is not None
    assert (whole["type"], len(whole["items"]), bool(whole["version"])) == ("snapshot", 1, True)
