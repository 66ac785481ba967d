"""Lists of any kind as `kubectl get` prints them: a row for each change, and the list is read once."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, cast

from tests.gateway.browser import Person
from tests.gateway.live.conftest import ONE
from tests.gateway.live.page import a_page
from tests.gateway.live.test_stream import change, delete, make
from tests.gateway.platform import Platform
from windlass.gateway.live.entries import Entry
from windlass.gateway.live.feeds import Feed
from windlass.gateway.live.printed import PrintedReflector, PrintedView
from windlass.kube.api import Listing
from windlass.kube.errors import Gone
from windlass.kube.faults import Faults
from windlass.kube.json import encode
from windlass.kube.kind import Kind

ROWS = {"version": "v1", "resource": "configmaps", "namespace": ONE, "form": "table"}


async def test_a_page_follows_printed_rows(platform: Platform, follower: Person) -> None:
    made = await make(platform, ONE, "printed", labels={"team": "a"})
    async with a_page(platform, follower) as page:
        await page.send(op="subscribe", id=1, topic="objects", params=ROWS)
        first = await page.next("snapshot", 1)
        row = next(one for one in first["items"] if one["metadata"]["name"] == "printed")
        await change(platform, ONE, "printed", {"data": {"b": "2"}})
        changed = await page.change_of(1, "printed")
        await make(platform, ONE, "printed-later")
        added = await page.change_of(1, "printed-later")
        await delete(platform, ONE, "printed")
        await page.removal_of(1, made["metadata"]["uid"])

    assert {*row} == {"metadata", "cells"}
    assert (row["cells"][:2], changed["cells"][:2], added["cells"][:2]) == (
        ["printed", 1],
        ["printed", 2],
        ["printed-later", 1],
    )
    assert row["metadata"]["labels"] == {"team": "a"}
    assert not {"managedFields", "annotations"} & row["metadata"].keys()


async def test_rows_need_the_rights_to_the_objects(platform: Platform, outsider: Person) -> None:
    async with a_page(platform, outsider) as page:
        await page.send(op="subscribe", id=1, topic="objects", params=ROWS)
        assert (await page.next("error", 1))["status"] == 403


async def test_rows_cannot_be_selected_by_fields(platform: Platform, follower: Person) -> None:
    async with a_page(platform, follower) as page:
        for id, more in enumerate(({"fieldSelector": "metadata.name=x"}, {"form": "tree"}), start=1):
            await page.send(op="subscribe", id=id, topic="objects", params={**ROWS, **more})
            assert (await page.next("error", id))["status"] == 400


async def test_rows_and_objects_of_a_namespace_are_followed_apart(platform: Platform, follower: Person) -> None:
    await make(platform, ONE, "both")
    async with a_page(platform, follower) as page:
        await page.send(op="subscribe", id=1, topic="objects", params=ROWS)
        rows = await page.next("snapshot", 1)
        await page.follow(2, "configmaps", ONE)
        objects = await page.next("snapshot", 2)

    assert all("cells" in one for one in rows["items"])
    assert all("data" in one for one in objects["items"] if one["metadata"]["name"] == "both")


MAPS = Kind(group="", version="v1", name="ConfigMap", plural="configmaps")


def printed(*names: str) -> list[Entry]:
    rows = [{"cells": [name], "object": {"metadata": {"name": name, "uid": name, "namespace": ONE}}} for name in names]
    return PrintedView(MAPS).decode_list(encode({"metadata": {}, "rows": rows}))[0]


class PagedClient:
    """Answers a list of three pages; the last one has expired if it `expires`."""

    faults = Faults()

    def __init__(self, feed: Feed, *, expires: bool = False) -> None:
        self._feed, self._expires = feed, expires
        self.seen: list[int] = []
        """How many rows the feed has whenever the client is asked for more."""

    async def pages(self, of: PrintedView, namespace: str) -> AsyncIterator[Listing[Entry]]:
        for page in (printed("a", "b"), printed("c")):
            self.seen.append(len(self._feed))
            yield Listing(page, "7")
        self.seen.append(len(self._feed))
        if self._expires:
            raise Gone("the continue token is too old")
        yield Listing(printed("d"), "7")

    async def list(self, of: PrintedView, namespace: str) -> Listing[Entry]:
        return Listing(printed("b", "c", "d", "e"), "9")

    async def watch(self, *_: object, **asked: Any) -> AsyncIterator[Any]:
        self.seen.append(int(asked["resource_version"]))
        await asyncio.Event().wait()
        yield


async def reflected(feed: Feed, client: PagedClient) -> None:
    watching = asyncio.create_task(PrintedReflector(cast(Any, client), PrintedView(MAPS), feed, namespace=ONE).run())
    async with asyncio.timeout(5):
        while not feed.is_synced:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching


async def test_a_feed_has_each_page_of_its_first_list_before_the_next_is_asked_for() -> None:
    feed = Feed(MAPS, ONE, itertools.count(1), form="table")
    client = PagedClient(feed)

    await reflected(feed, client)

    assert client.seen == [0, 2, 3, 7]  # the last is the version from which the watch continues
    assert len(feed) == 4


async def test_a_list_whose_pages_expire_is_read_at_once() -> None:
    feed = Feed(MAPS, ONE, itertools.count(1), form="table")
    client = PagedClient(feed, expires=True)

    await reflected(feed, client)

    assert client.seen[-1] == 9
    assert len(feed) == 4
