"""The tree of an object: owners above it, children below it, and nothing that the user may not list."""

import asyncio
from typing import Any

import pytest

from tests.gateway.browser import Person, signed_in
from tests.gateway.live.page import Page, a_page
from tests.gateway.platform import Platform
from tests.gateway.shared_platforms import OWN, SECRET
from windlass.gateway.views.object_tree import MAX_DEPTH, MAX_NODES, Found, descendants, listing_of, owners_of
from windlass.kube.kind import Kind
from windlass.kube.meta import ObjectMeta, OwnerReference

KIND = Kind(group="", version="v1", name="Pod", plural="pods")
CONFIG_MAPS = f"/api/v1/namespaces/{OWN}/configmaps"
CLAIMS = f"/api/v1/namespaces/{OWN}/persistentvolumeclaims"


def an_object(uid: str, *owners: str) -> Found:
    references = [OwnerReference(api_version="v1", kind="Pod", name=owner, uid=owner) for owner in owners]
    return Found(KIND, ObjectMeta(name=uid, uid=uid, owner_references=references))


def below(root: str, *objects: Found) -> list[tuple[str, int]]:
    listing = listing_of(objects)
    return [(one.uid, depth) for one, depth in descendants(listing.by_uid[root], listing)[0]]


def test_children_follow_their_owner() -> None:
    objects = [an_object("a"), an_object("b", "a"), an_object("d", "a"), an_object("c", "b"), an_object("x", "gone")]

    assert below("a", *objects) == [("a", 0), ("b", 1), ("c", 2), ("d", 1)]
    assert [one.uid for one in owners_of(objects[3], listing_of(objects))] == ["a", "b"]


def test_owners_in_a_circle_end() -> None:
    objects = [an_object("a", "b"), an_object("b", "a"), an_object("c", "c")]

    assert below("a", *objects) == [("a", 0), ("b", 1)]
    assert below("c", *objects) == [("c", 0)]
    assert [one.uid for one in owners_of(objects[0], listing_of(objects))] == ["b"]


def test_a_large_tree_is_cut_and_says_so() -> None:
    many = listing_of([an_object("a"), *(an_object(f"b{number}", "a") for number in range(MAX_NODES + 10))])
    shown, hidden = descendants(many.by_uid["a"], many)
    assert (len(shown), hidden) == (MAX_NODES, 11)

    deep = listing_of([an_object("0"), *(an_object(str(number), str(number - 1)) for number in range(1, 100))])
    assert len(descendants(deep.by_uid["0"], deep)[0]) == MAX_DEPTH + 1


@pytest.fixture(scope="module")
def family(platform: Platform, owner: Person) -> dict[str, Any]:
    """A claim that owns a ConfigMap that owns another."""
    job = platform.api.get(f"/api/v1/namespaces/{OWN}/persistentvolumeclaims/{OWN}-claim")
    owners = [
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": f"{OWN}-claim", "uid": job["metadata"]["uid"]}
    ]
    middle = platform.api.create(CONFIG_MAPS, {"metadata": {"name": "tree-middle", "ownerReferences": owners}})
    owners = [{"apiVersion": "v1", "kind": "ConfigMap", "name": "tree-middle", "uid": middle["metadata"]["uid"]}]
    return platform.api.create(CONFIG_MAPS, {"metadata": {"name": "tree-leaf", "ownerReferences": owners}})


def test_a_tree_has_owners_children_and_states(platform: Platform, owner: Person, family: dict[str, Any]) -> None:
    browser = signed_in(platform, owner)
    path = f"/api/views/tree?version=v1&namespace={OWN}"

    tree = browser.get(f"{path}&resource=persistentvolumeclaims&name={OWN}-claim").json()
    names = [(one["object"]["name"], one["depth"]) for one in tree["nodes"]]
    assert names == [(f"{OWN}-claim", 0), ("tree-middle", 1), ("tree-leaf", 2)]
    assert tree["nodes"][0]["status"]["phase"] == "Pending"
    assert tree["nodes"][2]["link"] == f"/objects/core/v1/configmaps/{OWN}/tree-leaf"

    leaf = browser.get(f"{path}&resource=configmaps&name=tree-leaf").json()
    assert [(one["object"]["kind"], one["depth"]) for one in leaf["owners"]] == [
        ("PersistentVolumeClaim", -2),
        ("ConfigMap", -1),
    ]


async def test_a_page_is_sent_children_as_they_come_and_go(platform: Platform, owner: Person) -> None:
    parent = await asyncio.to_thread(platform.api.create, CONFIG_MAPS, {"metadata": {"name": "tree-parent"}})
    uid = parent["metadata"]["uid"]
    owners = [{"apiVersion": "v1", "kind": "ConfigMap", "name": "tree-parent", "uid": uid}]
    asked = {"version": "v1", "resource": "configmaps", "namespace": OWN, "name": "tree-parent"}

    async with a_page(platform, owner) as page:
        await page.send(op="subscribe", id=1, topic="tree", params=asked)
        await names_become(page, ["tree-parent"])
        claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        child = {"metadata": {"name": "tree-child", "ownerReferences": owners}, "spec": claim}
        await asyncio.to_thread(platform.api.create, CLAIMS, child)
        tree = await names_become(page, ["tree-parent", "tree-child"])
        assert tree["nodes"][1]["status"]["phase"] == "Pending"
        await asyncio.to_thread(platform.api.patch, f"{CLAIMS}/tree-child", {"metadata": {"ownerReferences": None}})
        await names_become(page, ["tree-parent"])
        await asyncio.to_thread(platform.api.request, "DELETE", f"{CONFIG_MAPS}/tree-parent")
        assert (await page.next("error", 1))["status"] == 404


async def names_become(page: Page, names: list[str]) -> dict[str, Any]:
    while True:
        tree = (await page.next("value", 1))["value"]
        if [one["object"]["name"] for one in tree["nodes"]] == names:
            return tree


@pytest.mark.parametrize(
    ("query", "code"),
    [
        (f"version=v1&resource=configmaps&namespace={SECRET}&name=x", 403),
        (f"version=v1&resource=configmaps&namespace={OWN}&name=nothing", 404),
        (f"version=v1&resource=nothings&namespace={OWN}&name=x", 404),
        ("version=v1&resource=nodes&name=x", 403),
        ("version=v1&resource=configmaps&name=x", 400),
        ("version=v1&resource=configmaps&namespace=A_B&name=x", 400),
        (f"version=v1&resource=configmaps&namespace={OWN}&name=a/b", 400),
        (f"version=v1&resource=configmaps&namespace={OWN}", 400),
    ],
)
def test_a_tree_is_refused_with_a_reason(platform: Platform, owner: Person, query: str, code: int) -> None:
    answer = signed_in(platform, owner).get(f"/api/views/tree?{query}")

    assert (answer.status_code, bool(answer.json()["error"])) == (code, True), answer.text
