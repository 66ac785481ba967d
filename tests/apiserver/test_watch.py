"""watch as client libraries use it: from a version, with bookmarks, selectors, timeouts and other forms."""

import time
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.forgetful import forgetful
from tests.apiserver.watching import Watch, watch
from tests.support import Windlass

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
METADATA = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"


@pytest.fixture
def secrets(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/secrets"


def a_secret(name: str, labels: dict[str, str] | None = None) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "labels": labels or {}}}


def version_of(server: Windlass, path: str) -> str:
    return server.get(path)["metadata"]["resourceVersion"]


def test_a_watch_from_a_version_sees_every_later_change_once_in_order(server: Windlass, secrets: str) -> None:
    server.create(secrets, a_secret("before"))
    since = version_of(server, secrets)
    server.create(secrets, a_secret("a"))
    server.patch(f"{secrets}/a", {"stringData": {"x": "1"}})
    server.request("DELETE", f"{secrets}/a")

    with watch(server, secrets, resourceVersion=since) as stream:
        seen = stream.take(3)
        server.create(secrets, a_secret("later"))
        live = stream.take(1)

    assert seen == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]
    assert live == [("ADDED", "later")]


@pytest.mark.parametrize("version", [{}, {"resourceVersion": "0"}])
def test_a_watch_without_a_version_begins_with_what_exists(
    server: Windlass, secrets: str, version: dict[str, str]
) -> None:
    server.create(secrets, a_secret("a"))
    server.create(secrets, a_secret("b"))

    with watch(server, secrets, **version) as stream:
        assert stream.take(2) == [("ADDED", "a"), ("ADDED", "b")]


def test_the_last_state_of_a_deleted_object_has_the_version_of_its_deletion(server: Windlass, secrets: str) -> None:
    made = server.create(secrets, a_secret("a"))
    since = made["metadata"]["resourceVersion"]
    server.request("DELETE", f"{secrets}/a")

    with watch(server, secrets, resourceVersion=since) as stream:
        event = stream.next()

    assert event is not None
    assert event["type"] == "DELETED"
    assert int(event["object"]["metadata"]["resourceVersion"]) > int(since)
    assert event["object"]["metadata"]["uid"] == made["metadata"]["uid"]


def test_a_watch_of_one_object_sees_that_object_only(server: Windlass, secrets: str) -> None:
    since = version_of(server, secrets)
    for name in ("a", "b", "c"):
        server.create(secrets, a_secret(name))

    with watch(server, secrets, resourceVersion=since, fieldSelector="metadata.name=b") as by_field:
        assert by_field.take(1) == [("ADDED", "b")]
    with watch(server, f"{secrets}/c", resourceVersion=since) as by_path:
        assert by_path.take(1) == [("ADDED", "c")]


def test_a_timeout_ends_the_watch(server: Windlass, secrets: str) -> None:
    since = version_of(server, secrets)
    started = time.monotonic()

    with watch(server, secrets, resourceVersion=since, timeoutSeconds="1") as stream:
        assert stream.rest() == []

    assert 0.8 < time.monotonic() - started < 60


def test_a_bookmark_tells_how_far_the_watch_has_come(server: Windlass, secrets: str, namespace: str) -> None:
    since = version_of(server, secrets)
    server.create(f"/api/v1/namespaces/{namespace}/configmaps", {"metadata": {"name": "elsewhere"}})

    with watch(server, secrets, resourceVersion=since, timeoutSeconds="1", allowWatchBookmarks="true") as stream:
        *_, last = stream.rest()

    assert last["type"] == "BOOKMARK"
    assert last["object"]["kind"] == "Secret"
    assert int(last["object"]["metadata"]["resourceVersion"]) > int(since)


def test_initial_events_end_with_a_bookmark_that_says_so(server: Windlass, secrets: str) -> None:
    server.create(secrets, a_secret("a"))
    query = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}

    with watch(server, secrets, **query) as stream:
        first, mark = stream.next(), stream.next()
        server.create(secrets, a_secret("b"))
        later = stream.take(1)

    assert first is not None
    assert mark is not None
    assert (first["type"], first["object"]["metadata"]["name"]) == ("ADDED", "a")
    assert mark["type"] == "BOOKMARK"
    assert mark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert later == [("ADDED", "b")]


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        (
            "sendInitialEvents=true",
            "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        ),
        (
            "resourceVersionMatch=NotOlderThan&resourceVersion=1",
            "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is "
            "provided",
        ),
        ("resourceVersion=abc", 'resourceVersion: Invalid value: "abc"'),
    ],
)
def test_options_that_do_not_fit_a_watch_are_refused(
    server: Windlass, secrets: str, query: str, complaint: str
) -> None:
    answer = server.request("GET", f"{secrets}?watch=true&{query}")

    assert answer.status in (400, 422)
    assert complaint in answer.json()["message"]


def test_an_object_that_comes_to_match_a_selector_is_added_and_one_that_stops_is_deleted(
    server: Windlass, secrets: str
) -> None:
    since = version_of(server, secrets)
    server.create(secrets, a_secret("a"))
    server.patch(f"{secrets}/a", {"metadata": {"labels": {"team": "red"}}})
    server.patch(f"{secrets}/a", {"stringData": {"x": "1"}})
    gone = server.patch(f"{secrets}/a", {"metadata": {"labels": {"team": "blue"}}}).json()
    server.create(secrets, a_secret("b", {"team": "red"}))
    server.request("DELETE", f"{secrets}/b")

    with watch(server, secrets, resourceVersion=since, labelSelector="team=red") as stream:
        added, changed, left = stream.next(), stream.next(), stream.next()
        others = stream.take(2)

    assert added is not None
    assert changed is not None
    assert left is not None
    assert [event["type"] for event in (added, changed, left)] == ["ADDED", "MODIFIED", "DELETED"]
    assert left["object"]["metadata"]["labels"] == {"team": "red"}
    assert left["object"]["metadata"]["resourceVersion"] == gone["metadata"]["resourceVersion"]
    assert others == [("ADDED", "b"), ("DELETED", "b")]


def test_field_selectors_choose_in_a_watch_as_in_a_list(server: Windlass, namespace: str) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    since = version_of(server, pods)
    server.create(
        pods,
        {"metadata": {"name": "a"}, "spec": {"schedulerName": "nobody", "containers": [{"name": "c", "image": "x"}]}},
    )
    server.patch(f"{pods}/a/status", {"status": {"phase": "Running"}})
    server.patch(f"{pods}/a/status", {"status": {"phase": "Succeeded"}})

    with watch(server, pods, resourceVersion=since, fieldSelector="status.phase=Running") as stream:
        assert stream.take(2) == [("ADDED", "a"), ("DELETED", "a")]


def cells(event: dict[str, Any] | None) -> list[Any]:
    assert event is not None
    return [row["cells"][0] for row in event["object"]["rows"]]


def test_a_table_watch_names_its_columns_once(server: Windlass, secrets: str) -> None:
    server.create(secrets, a_secret("a"))
    server.create(secrets, a_secret("b"))

    with watch(server, secrets, TABLE) as stream:
        first, second = stream.next(), stream.next()

    assert first is not None
    assert second is not None
    assert first["object"]["kind"] == "Table"
    assert [column["name"] for column in first["object"]["columnDefinitions"]] == ["Name", "Type", "Data", "Age"]
    assert not second["object"].get("columnDefinitions")
    assert cells(first) + cells(second) == ["a", "b"]
    assert first["object"]["rows"][0]["object"]["kind"] == "PartialObjectMetadata"


def test_a_metadata_watch_has_metadata_only(server: Windlass, secrets: str) -> None:
    server.create(secrets, {**a_secret("a"), "stringData": {"password": "x"}})

    with watch(server, secrets, METADATA) as stream:
        event = stream.next()

    assert event is not None
    assert event["object"]["kind"] == "PartialObjectMetadata"
    assert event["object"]["metadata"]["name"] == "a"
    assert "data" not in event["object"]


def test_many_watchers_see_the_same(server: Windlass, secrets: str, namespace: str) -> None:
    since, mine = version_of(server, secrets), f"of={namespace}"

    with (
        watch(server, secrets, resourceVersion=since) as one,
        watch(server, secrets, resourceVersion=since) as two,
        watch(server, "/api/v1/secrets", resourceVersion=since, labelSelector=mine) as everywhere,
    ):
        server.create(secrets, a_secret("a", {"of": namespace}))
        assert one.take(1) == two.take(1) == everywhere.take(1) == [("ADDED", "a")]


def test_a_watch_from_the_future_is_told_to_wait(server: Windlass, secrets: str) -> None:
    query = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "resourceVersion": "999999999"}

    answer = server.request("GET", f"{secrets}?watch=true&" + "&".join(f"{k}={v}" for k, v in query.items()))

    assert answer.status == 504
    assert answer.json()["reason"] == "Timeout"
    assert "Too large resource version: 999999999" in answer.json()["message"]


def error_of(stream: Watch) -> dict[str, Any]:
    event = stream.next()
    assert event is not None
    assert event["type"] == "ERROR"
    return event["object"]


def test_a_version_that_is_forgotten_is_expired(tmp_path: Path) -> None:
    secrets = "/api/v1/namespaces/default/secrets"
    with forgetful(tmp_path) as server:
        server.create(secrets, a_secret("a"))
        server.patch(f"{secrets}/a", {"stringData": {"x": "1"}})
        server.forget()
        with watch(server, secrets, resourceVersion="2") as stream:
            status = error_of(stream)
            ended = stream.next()

    assert (status["kind"], status["code"], status["reason"]) == ("Status", 410, "Expired")
    assert status["message"].startswith("too old resource version: 2 (")
    assert ended is None
