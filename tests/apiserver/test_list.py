"""list: pages of one state, versions asked for, and what is left to come."""

from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.apiserver.forgetful import Forgetful, forgetful
from tests.support import Windlass


@pytest.fixture
def secrets(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/secrets"


def make(server: Windlass, path: str, *names: str, **labels: str) -> None:
    for name in names:
        server.create(path, {"metadata": {"name": name, "labels": labels}})


def page(server: Windlass, path: str, **query: str) -> Any:
    return server.get(f"{path}?{urlencode(query)}")


def names(found: Any) -> list[str]:
    return [item["metadata"]["name"] for item in found["items"]]


def version(found: Any) -> str:
    return found["metadata"]["resourceVersion"]


def test_a_list_is_sorted_by_name_and_has_no_continue_when_it_is_whole(server: Windlass, secrets: str) -> None:
    make(server, secrets, "c", "a", "b")

    found = page(server, secrets, limit="3")

    assert (found["kind"], found["apiVersion"]) == ("SecretList", "v1")
    assert names(found) == ["a", "b", "c"]
    assert set(found["metadata"]) == {"resourceVersion"}


def test_pages_are_of_one_state_while_objects_change(server: Windlass, secrets: str) -> None:
    make(server, secrets, "a", "b", "c", "d", "e")

    first = page(server, secrets, limit="2")
    server.request("DELETE", f"{secrets}/c")
    server.patch(f"{secrets}/d", {"metadata": {"labels": {"new": "yes"}}})
    make(server, secrets, "cc")
    second = page(server, secrets, limit="2", **{"continue": first["metadata"]["continue"]})
    third = page(server, secrets, limit="2", **{"continue": second["metadata"]["continue"]})

    assert [names(first), names(second), names(third)] == [["a", "b"], ["c", "d"], ["e"]]
    assert version(first) == version(second) == version(third)
    assert "labels" not in second["items"][1]["metadata"]
    assert "continue" not in third["metadata"]
    assert names(page(server, secrets)) == ["a", "b", "cc", "d", "e"]


def test_every_page_says_how_many_are_left(server: Windlass, secrets: str) -> None:
    make(server, secrets, "a", "b", "c", "d", "e")

    first = page(server, secrets, limit="2")
    second = page(server, secrets, limit="2", **{"continue": first["metadata"]["continue"]})

    assert first["metadata"]["remainingItemCount"] == 3
    assert second["metadata"]["remainingItemCount"] == 1


def test_with_a_selector_nobody_counts_what_is_left(server: Windlass, secrets: str) -> None:
    make(server, secrets, "a", "b", "c", "d", team="red")
    make(server, secrets, "aa", "bb")

    first = page(server, secrets, limit="2", labelSelector="team=red")
    rest = page(server, secrets, labelSelector="team=red", **{"continue": first["metadata"]["continue"]})

    assert "remainingItemCount" not in first["metadata"]
    assert names(first) + names(rest) == ["a", "b", "c", "d"]


def test_pages_run_over_all_namespaces(server: Windlass, secrets: str, namespace: str) -> None:
    other = server.create("/api/v1/namespaces", {"metadata": {"generateName": "test-"}})["metadata"]["name"]
    make(server, secrets, "a", "b", over=namespace)
    make(server, f"/api/v1/namespaces/{other}/secrets", "a", "b", over=namespace)

    found: list[tuple[str, str]] = []
    token = ""
    while True:
        here = page(server, "/api/v1/secrets", limit="1", labelSelector=f"over={namespace}", **{"continue": token})
        found += [(item["metadata"]["namespace"], item["metadata"]["name"]) for item in here["items"]]
        token = here["metadata"].get("continue", "")
        if not token:
            break

    assert found == sorted([(namespace, "a"), (namespace, "b"), (other, "a"), (other, "b")])
    server.request("DELETE", f"/api/v1/namespaces/{other}")


def test_an_exact_version_shows_the_past(server: Windlass, secrets: str) -> None:
    make(server, secrets, "a")
    then = version(page(server, secrets))
    make(server, secrets, "b")

    exact = page(server, secrets, resourceVersion=then, resourceVersionMatch="Exact")
    fresh = page(server, secrets, resourceVersion=then, resourceVersionMatch="NotOlderThan")
    paged = page(server, secrets, resourceVersion=then, limit="5")

    assert names(exact) == ["a"]
    assert version(exact) == then
    assert names(fresh) == ["a", "b"]
    assert int(version(fresh)) > int(then)
    assert names(paged) in (["a"], ["a", "b"])


@pytest.mark.parametrize("query", ["resourceVersion=0", "resourceVersion=0&resourceVersionMatch=NotOlderThan", ""])
def test_any_version_and_the_newest_show_what_was_just_written(server: Windlass, secrets: str, query: str) -> None:
    make(server, secrets, "a")

    assert names(server.get(f"{secrets}?{query}")) == ["a"]


@pytest.mark.parametrize("match", ["", "Exact", "NotOlderThan"])
def test_a_version_from_the_future_is_too_large(server: Windlass, secrets: str, match: str) -> None:
    answer = server.request("GET", f"{secrets}?resourceVersion=99999999&resourceVersionMatch={match}".rstrip("="))

    status = answer.json()
    assert answer.status == 504
    assert status["reason"] == "Timeout"
    assert status["message"].startswith("Too large resource version: 99999999, current: ")
    assert status["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("resourceVersionMatch=Exact", "resourceVersionMatch is forbidden unless resourceVersion is provided"),
        ("resourceVersionMatch=Exact&resourceVersion=0", '"exact" is forbidden for resourceVersion "0"'),
        ("resourceVersionMatch=Nearly&resourceVersion=1", '"Nearly": supported values: "Exact", "NotOlderThan"'),
        ("sendInitialEvents=true", "sendInitialEvents is forbidden for list"),
        ("resourceVersion=abc", 'resourceVersion: Invalid value: "abc"'),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    server: Windlass, secrets: str, query: str, complaint: str
) -> None:
    answer = server.request("GET", f"{secrets}?{query}")

    assert answer.status in (400, 422)
    assert complaint in answer.json()["message"]


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("limit=many", 'strconv.ParseInt: parsing "many": invalid syntax'),
        ("continue=rubbish", "continue key is not valid"),
        ("continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ", "continue key is not valid"),
        ("labelSelector=a%20b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("fieldSelector=nonsense", "invalid selector: 'nonsense'; can't understand 'nonsense'"),
        ("fieldSelector=spec.nothing%3D1", "field label not supported: spec.nothing"),
    ],
)
def test_a_query_that_makes_no_sense_is_a_bad_request(
    server: Windlass, secrets: str, query: str, complaint: str
) -> None:
    answer = server.request("GET", f"{secrets}?{query}")

    assert answer.status == 400, answer.body
    assert answer.json()["reason"] == "BadRequest"
    assert complaint in answer.json()["message"]


def test_a_continue_token_goes_with_no_version(server: Windlass, secrets: str) -> None:
    make(server, secrets, "a", "b")
    token = page(server, secrets, limit="1")["metadata"]["continue"]

    answer = server.request("GET", f"{secrets}?continue={quote(token)}&resourceVersion=5")

    assert answer.status == 400
    assert "specifying resource version is not allowed when using continue" in answer.json()["message"]


def test_a_collection_can_be_deleted_by_selector(server: Windlass, secrets: str) -> None:
    make(server, secrets, "a", "b", team="red")
    make(server, secrets, "c")

    gone = server.request("DELETE", f"{secrets}?labelSelector=team%3Dred").json()

    assert gone["kind"] == "SecretList"
    assert names(gone) == ["a", "b"]
    assert names(page(server, secrets)) == ["c"]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path: Path = tmp_path_factory.mktemp("forgetful")
    with forgetful(path) as server:
        yield server


def test_a_page_that_is_too_old_tells_how_to_go_on(old: Forgetful) -> None:
    secrets = "/api/v1/namespaces/default/secrets"
    make(old, secrets, "a", "b", "c", "d")
    token = page(old, secrets, limit="2")["metadata"]["continue"]
    old.request("DELETE", f"{secrets}/c")
    old.forget()

    answer = old.request("GET", f"{secrets}?limit=2&continue={quote(token)}")
    status = answer.json()
    again = page(old, secrets, limit="5", **{"continue": status["metadata"]["continue"]})

    assert (answer.status, status["reason"], status["code"]) == (410, "Expired", 410)
    assert "use the continue token in this response" in status["message"]
    assert names(again) == ["d"]


def test_an_exact_version_that_is_forgotten_is_expired(old: Forgetful) -> None:
    secrets = "/api/v1/namespaces/default/secrets"
    then = version(page(old, secrets))
    make(old, secrets, "later")
    old.patch(f"{secrets}/later", {"stringData": {"x": "1"}})
    old.forget()

    answer = old.request("GET", f"{secrets}?resourceVersion={then}&resourceVersionMatch=Exact")

    assert (answer.status, answer.json()["reason"]) == (410, "Expired")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"fieldSelector": "metadata.name=a"}, 200),
        ({"fieldSelector": "metadata.namespace!=x,metadata.name=a"}, 200),
        ({"fieldSelector": "metadata.name=a", "watch": "true", "timeoutSeconds": "1"}, 200),
        ({"fieldSelector": "metadata.name=b"}, 403),
        ({"fieldSelector": "metadata.name!=a"}, 403),
        ({"fieldSelector": "a word"}, 403),
        ({}, 403),
    ],
)
def test_who_may_see_one_object_may_ask_for_a_list_of_it_by_its_name(
    server: Windlass, namespace: str, secrets: str, query: dict[str, str], code: int
) -> None:
    roles = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    rule = {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["a"], "verbs": ["list", "watch"]}
    server.create(f"{roles}/roles", {"metadata": {"name": "one"}, "rules": [rule]})
    group = "rbac.authorization.k8s.io"
    subject = {"apiGroup": group, "kind": "User", "name": "vera"}
    reference = {"apiGroup": group, "kind": "Role", "name": "one"}
    server.create(f"{roles}/rolebindings", {"metadata": {"name": "v"}, "subjects": [subject], "roleRef": reference})

    asked = server.request("GET", f"{secrets}?{urlencode(query)}", headers={"impersonate-user": "vera"})

    assert asked.status == code
