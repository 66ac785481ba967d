"""Custom resources in two versions with a real webhook between them: `size: 3` in v1 is `width: "3"` in v2."""

import http.client
import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.apiserver.webhook_server import WebhookServer, serving
from tests.support import Windlass, running

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GROUP = "convert.example.com"


def convert(obj: Any, wanted: str) -> Any:
    spec = dict(obj["spec"])
    if wanted.endswith("/v2"):
        spec["width"] = str(spec.pop("size"))
    else:
        spec["size"] = int(spec.pop("width"))
    return {**obj, "apiVersion": wanted, "spec": spec}


def answer(review: Any) -> Any:
    request = review["request"]
    converted = [convert(obj, request["desiredAPIVersion"]) for obj in request["objects"]]
    response = {"uid": request["uid"], "result": {"status": "Success"}, "convertedObjects": converted}
    return {"apiVersion": review["apiVersion"], "kind": "ConversionReview", "response": response}


def a_version(name: str, field: str, kind: str, *, storage: bool = False) -> Any:
    spec = {"type": "object", "properties": {field: {"type": kind}, "replicas": {"type": "integer"}}}
    status = {"type": "object", "properties": {"done": {"type": "boolean"}, "replicas": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"spec": {**spec, "required": [field]}, "status": status}}
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    columns = [{"name": field.title(), "type": kind, "jsonPath": f".spec.{field}"}]
    return {
        "name": name,
        "served": True,
        "storage": storage,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}, "scale": scale},
        "additionalPrinterColumns": columns,
    }


def a_crd(config: Any) -> Any:
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": config}
    return {
        "metadata": {"name": f"gadgets.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": "gadgets", "kind": "Gadget"},
            "versions": [a_version("v1", "size", "integer", storage=True), a_version("v2", "width", "string")],
            "conversion": {"strategy": "Webhook", "webhook": webhook},
        },
    }


@pytest.fixture(scope="module")
def hook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebhookServer]:
    with serving(tmp_path_factory.mktemp("hook")) as server:
        yield server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, hook: WebhookServer) -> Iterator[Windlass]:
    """A server whose gadgets the webhook converts."""
    with running(tmp_path_factory.mktemp("conversions")) as windlass:
        windlass.create(CRDS, a_crd(hook.on("/convert", answer)))
        yield windlass


@pytest.fixture
def room(server: Windlass) -> str:
    return server.create("/api/v1/namespaces", {"metadata": {"generateName": "room-"}})["metadata"]["name"]


def path(room: str, version: str, name: str = "") -> str:
    return f"/apis/{GROUP}/{version}/namespaces/{room}/gadgets" + (f"/{name}" if name else "")


def in_v1(name: str = "g", size: int = 3, **metadata: Any) -> Any:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Gadget",
        "metadata": {"name": name, **metadata},
        "spec": {"size": size},
    }


def in_v2(name: str = "g", width: str = "3", **metadata: Any) -> Any:
    return {
        "apiVersion": f"{GROUP}/v2",
        "kind": "Gadget",
        "metadata": {"name": name, **metadata},
        "spec": {"width": width},
    }


def test_what_is_written_in_one_version_is_read_in_the_other(server: Windlass, room: str) -> None:
    server.create(path(room, "v1"), in_v1("a", 1))
    made = server.create(path(room, "v2"), in_v2("b", "2"))

    assert (made["apiVersion"], made["spec"]) == (f"{GROUP}/v2", {"width": "2"})
    assert server.get(path(room, "v2", "a"))["spec"] == {"width": "1"}
    assert server.get(path(room, "v1", "b"))["spec"] == {"size": 2}
    stored = server.get(path(room, "v1", "b"))["metadata"]
    assert {**made["metadata"], "managedFields": None} == {**stored, "managedFields": None}
    assert stored["managedFields"][0]["apiVersion"] == f"{GROUP}/v2"


def test_a_list_takes_one_question_and_its_answer_is_kept(server: Windlass, room: str, hook: WebhookServer) -> None:
    for number in range(5):
        server.create(path(room, "v1"), in_v1(f"g{number}", number))
    asked = len(hook.reviews)

    found = server.get(path(room, "v2"))
    again = server.get(path(room, "v2"))

    assert found["kind"] == "GadgetList"
    assert [item["spec"]["width"] for item in found["items"]] == ["0", "1", "2", "3", "4"]
    assert again["items"] == found["items"]
    assert [len(review["request"]["objects"]) for _, review in hook.reviews[asked:]] == [5]


def test_pages_and_tables_are_in_the_version_asked_for(server: Windlass, room: str) -> None:
    for number in range(3):
        server.create(path(room, "v1"), in_v1(f"g{number}", number))

    page = server.get(f"{path(room, 'v2')}?limit=2")
    server.create(path(room, "v1"), in_v1("g9", 9))
    rest = server.get(f"{path(room, 'v2')}?limit=2&continue={page['metadata']['continue']}")
    table = server.get(path(room, "v2"), headers={"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"})

    assert [item["spec"]["width"] for item in [*page["items"], *rest["items"]]] == ["0", "1", "2"]
    assert [row["cells"] for row in table["rows"]] == [["g0", "0"], ["g1", "1"], ["g2", "2"], ["g9", "9"]]


def test_updates_and_patches_work_in_either_version(server: Windlass, room: str) -> None:
    server.create(path(room, "v1"), in_v1())

    merged = server.patch(path(room, "v2", "g"), {"spec": {"width": "4"}}).json()
    assert (merged["spec"], merged["metadata"]["generation"]) == ({"width": "4"}, 2)
    assert server.get(path(room, "v1", "g"))["spec"] == {"size": 4}

    changed = {**merged, "spec": {"width": "5"}}
    assert server.request("PUT", path(room, "v2", "g"), changed).json()["spec"] == {"width": "5"}
    assert server.request("PUT", path(room, "v2", "g"), changed).status == 409
    assert server.get(path(room, "v1", "g"))["spec"] == {"size": 5}

    json_patch = [{"op": "test", "path": "/spec/width", "value": "5"}, {"op": "replace", "path": "/spec/width", "value": "6"}]  # fmt: skip # noqa: E501 - one patch
    assert server.patch(path(room, "v2", "g"), json_patch, "json").status == 200
    assert server.get(path(room, "v1", "g"))["spec"] == {"size": 6}

    status = server.patch(path(room, "v2", "g") + "/status", {"status": {"done": True}}).json()
    assert (status["status"], status["spec"]) == ({"done": True}, {"width": "6"})
    unchanged = server.patch(path(room, "v2", "g"), {"spec": {"width": "6"}}).json()
    assert unchanged["metadata"]["resourceVersion"] == status["metadata"]["resourceVersion"]


def test_apply_merges_in_the_version_that_is_applied(server: Windlass, room: str) -> None:
    for width in ("7", "8"):
        answer = server.patch(f"{path(room, 'v2', 'g')}?fieldManager=me", in_v2(width=width), "apply")
        assert answer.status in (200, 201), answer.body

    assert server.get(path(room, "v1", "g"))["spec"] == {"size": 8}


def test_each_version_is_held_to_its_own_schema(server: Windlass, room: str) -> None:
    wrong = {**in_v2(), "spec": {"width": 3}}

    refused = server.request("POST", path(room, "v2"), wrong)

    assert refused.status == 422
    assert "spec.width: Invalid value" in refused.json()["message"]


def test_the_scale_of_either_version_is_the_same(server: Windlass, room: str) -> None:
    server.create(path(room, "v1"), {**in_v1(), "spec": {"size": 3, "replicas": 1}})

    assert server.get(path(room, "v2", "g") + "/scale")["spec"] == {"replicas": 1}
    assert server.patch(path(room, "v2", "g") + "/scale", {"spec": {"replicas": 4}}).status == 200
    assert server.get(path(room, "v1", "g"))["spec"] == {"size": 3, "replicas": 4}


def test_a_deletion_waits_for_finalizers_in_either_version(server: Windlass, room: str) -> None:
    server.create(path(room, "v2"), in_v2(finalizers=["example.com/hold"]))

    held = server.request("DELETE", path(room, "v2", "g")).json()
    assert (held["apiVersion"], held["spec"]) == (f"{GROUP}/v2", {"width": "3"})
    assert held["metadata"]["deletionTimestamp"]
    assert server.patch(path(room, "v2", "g"), {"metadata": {"finalizers": None}}).status == 200
    assert server.request("GET", path(room, "v1", "g")).status == 404

    server.create(path(room, "v1"), in_v1("other"))
    collected = server.request("DELETE", path(room, "v2")).json()
    assert [item["spec"] for item in collected["items"]] == [{"width": "3"}]
    assert server.get(path(room, "v1"))["items"] == []


@contextmanager
def watching(server: Windlass, where: str) -> Iterator[Iterator[Any]]:
    """The events of a watch, one by one."""
    context = ssl.create_default_context(cafile=server.ca)
    connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=60)
    connection.request("GET", where, headers={"authorization": f"Bearer {server.token}"})
    response = connection.getresponse()
    try:
        yield (json.loads(line) for line in iter(response.readline, b""))
    finally:
        response.close()
        connection.close()


def test_a_watch_tells_everything_in_its_own_version(server: Windlass, room: str) -> None:
    server.create(path(room, "v1"), in_v1("old", 1, labels={"on": "yes"}))

    with watching(server, f"{path(room, 'v2')}?watch=1&labelSelector=on%3Dyes&timeoutSeconds=20") as events:
        seen = [next(events)]
        server.patch(path(room, "v1", "old"), {"spec": {"size": 2}})
        seen.append(next(events))
        left = server.patch(path(room, "v1", "old"), {"metadata": {"labels": {"on": None}}}).json()
        seen.append(next(events))
        server.create(path(room, "v1"), in_v1("new", 5, labels={"on": "yes"}))
        seen.append(next(events))

    told = [(event["type"], event["object"]["metadata"]["name"], event["object"]["spec"]) for event in seen]
    assert told == [
        ("ADDED", "old", {"width": "1"}),
        ("MODIFIED", "old", {"width": "2"}),
        ("DELETED", "old", {"width": "2"}),
        ("ADDED", "new", {"width": "5"}),
    ]
    assert seen[2]["object"]["metadata"]["resourceVersion"] == left["metadata"]["resourceVersion"]


def test_a_webhook_that_fails_is_told_and_nothing_is_written(server: Windlass, room: str, hook: WebhookServer) -> None:
    server.create(path(room, "v1"), in_v1())

    def fail(review: Any) -> Any:
        made = answer(review)
        made["response"]["result"] = {"status": "Failed", "message": "not today"}
        return made

    hook.on("/convert", fail)
    try:
        read = server.request("GET", path(room, "v2", "g"))
        written = server.request("POST", path(room, "v2"), in_v2("h"))
        with watching(server, f"{path(room, 'v2')}?watch=1&timeoutSeconds=20") as events:
            told = list(events)
    finally:
        hook.on("/convert", answer)

    failed = f"conversion webhook for {GROUP}/v1, Kind=Gadget failed: not today"
    assert (read.status, read.json()["message"]) == (500, failed)
    assert written.status == 500
    assert [(event["type"], event["object"]["message"]) for event in told] == [("ERROR", failed)]
    assert server.request("GET", path(room, "v1", "h")).status == 404
    assert server.get(path(room, "v2", "g"))["spec"] == {"width": "3"}


def test_objects_in_the_storage_version_need_no_webhook(server: Windlass, room: str, hook: WebhookServer) -> None:
    asked = len(hook.reviews)

    server.create(path(room, "v1"), in_v1())
    server.patch(path(room, "v1", "g"), {"spec": {"size": 4}})
    server.get(path(room, "v1"))
    server.request("DELETE", path(room, "v1", "g"))

    assert len(hook.reviews) == asked


def test_objects_of_an_earlier_storage_version_are_converted_too(server: Windlass, room: str) -> None:
    server.create(path(room, "v1"), in_v1("old", 1))
    versions = server.get(f"{CRDS}/gadgets.{GROUP}")["spec"]["versions"]

    def store_in(wanted: str) -> None:
        changed = [{**version, "storage": version["name"] == wanted} for version in versions]
        assert server.patch(f"{CRDS}/gadgets.{GROUP}", {"spec": {"versions": changed}}).status == 200

    store_in("v2")
    try:
        server.create(path(room, "v2"), in_v2("new", "2"))
        for version, values in (("v1", [2, 1]), ("v2", ["2", "1"])):
            items = server.get(path(room, version))["items"]
            assert {item["apiVersion"] for item in items} == {f"{GROUP}/{version}"}
            assert [value for item in items for value in item["spec"].values()] == values
        assert server.patch(path(room, "v2", "old"), {"spec": {"width": "4"}}).json()["spec"] == {"width": "4"}
        assert server.request("DELETE", path(room, "v2", "old")).status == 200
    finally:
        store_in("v1")
