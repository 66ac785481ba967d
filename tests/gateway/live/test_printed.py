"""Lists of any kind as `kubectl get` prints them: a row for each change, and the list is read once."""

from tests.gateway.browser import Person
from tests.gateway.live.conftest import ONE
from tests.gateway.live.page import a_page
from tests.gateway.live.test_stream import change, delete, make
from tests.gateway.platform import Platform

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
