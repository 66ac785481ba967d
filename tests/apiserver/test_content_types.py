"""What clients may send and ask for: JSON, YAML, tables, metadata alone, and what is refused."""

import json
from typing import Any

import pytest
import yaml

from tests.support import Answer, Windlass

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


@pytest.fixture
def secrets(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/secrets"


def ask(server: Windlass, path: str, accept: str) -> Answer:
    return server.request("GET", path, headers={"accept": accept})


def media(answer: Answer) -> str:
    return answer.headers["content-type"][0]


def make(server: Windlass, path: str, name: str = "a", **more: Any) -> Any:
    return server.create(path, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, **more})


# what is sent


@pytest.mark.parametrize("content_type", ["application/yaml", "application/x-yaml", "text/yaml"])
def test_a_body_may_be_yaml(server: Windlass, secrets: str, content_type: str) -> None:
    body = b"apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  when: 2026-01-01\n  many: '1'\n"

    answer = server.request("POST", secrets, body, content_type=content_type)

    assert answer.status == 201, answer.body
    assert set(answer.json()["data"]) == {"when", "many"}


def test_an_update_may_be_yaml(server: Windlass, secrets: str) -> None:
    made = make(server, secrets)
    made["metadata"]["labels"] = {"a": "b"}

    answer = server.request("PUT", f"{secrets}/a", yaml.safe_dump(made).encode(), content_type="application/yaml")

    assert answer.status == 200, answer.body
    assert answer.json()["metadata"]["labels"] == {"a": "b"}


def test_json_may_say_its_character_set(server: Windlass, secrets: str) -> None:
    body = {"metadata": {"name": "a", "annotations": {"greeting": "grüß dich"}}}

    answer = server.request("POST", secrets, body, content_type="application/json; charset=utf-8")

    assert answer.json()["metadata"]["annotations"] == {"greeting": "grüß dich"}


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "application/merge-patch+json"])
def test_a_body_of_another_type_is_unsupported(server: Windlass, secrets: str, content_type: str) -> None:
    answer = server.request("POST", secrets, b"{}", content_type=content_type)

    status = answer.json()
    assert (answer.status, status["code"], status["reason"]) == (415, 415, "UnsupportedMediaType")
    assert status["message"].startswith(
        "the body of the request was in an unknown format - accepted media types include: application/json"
    )


@pytest.mark.parametrize("content_type", ["application/json", "text/plain"])
def test_a_patch_says_which_kind_of_patch_it_is(server: Windlass, secrets: str, content_type: str) -> None:
    make(server, secrets)

    answer = server.request("PATCH", f"{secrets}/a", {"metadata": {}}, content_type=content_type)

    assert answer.status == 415
    assert "application/strategic-merge-patch+json" in answer.json()["message"]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"", "application/json"),
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b'"word"', "application/json"),
        (b"\xff\xfe", "application/json"),
        (b"a: [", "application/yaml"),
        (b"- 1", "application/yaml"),
        (b"a: &x [*x]", "application/yaml"),
    ],
)
def test_a_body_that_is_no_object_is_a_bad_request(
    server: Windlass, secrets: str, body: bytes, content_type: str
) -> None:
    answer = server.request("POST", secrets, body, content_type=content_type)

    assert (answer.status, answer.json()["reason"]) == (400, "BadRequest")


# what is asked for


@pytest.mark.parametrize(
    "accept", ["", "*/*", "application/*", "application/json", "text/html, application/json;q=0.9"]
)
def test_json_is_what_most_clients_get(server: Windlass, secrets: str, accept: str) -> None:
    make(server, secrets)

    answer = ask(server, f"{secrets}/a", accept)

    assert (answer.status, media(answer)) == (200, "application/json")
    assert answer.json()["kind"] == "Secret"


def test_yaml_is_for_those_who_ask(server: Windlass, secrets: str) -> None:
    make(server, secrets)

    one, many = ask(server, f"{secrets}/a", "application/yaml"), ask(server, secrets, "application/yaml")

    assert media(one) == media(many) == "application/yaml"
    assert yaml.safe_load(one.body)["metadata"]["name"] == "a"
    assert [item["metadata"]["name"] for item in yaml.safe_load(many.body)["items"]] == ["a"]


def test_the_first_form_that_the_server_has_is_taken(server: Windlass, secrets: str) -> None:
    make(server, secrets)

    answer = ask(server, f"{secrets}/a", "application/vnd.example, application/yaml, application/json")

    assert media(answer) == "application/yaml"


def test_errors_are_json_too(server: Windlass, secrets: str) -> None:
    answer = ask(server, f"{secrets}/nobody", "application/json")

    assert answer.status == 404
    assert answer.json()["kind"] == "Status"


@pytest.mark.parametrize("path", ["", "/a"])
@pytest.mark.parametrize("accept", ["text/csv", "application/json;as=Novel;v=v1;g=meta.k8s.io", "image/png"])
def test_a_form_that_nobody_knows_is_not_acceptable(server: Windlass, secrets: str, path: str, accept: str) -> None:
    make(server, secrets)

    answer = ask(server, secrets + path, accept)

    status = answer.json()
    assert (answer.status, status["code"], status["reason"]) == (406, 406, "NotAcceptable")
    assert status["message"].startswith("only the following media types are accepted: application/json")


CURL, BROWSER = "curl/8.5.0", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0"
KUBECTL = "kubectl/v1.35.0 (linux/amd64) kubernetes/1234567"


@pytest.mark.parametrize(
    ("query", "headers", "is_indented"),
    [
        ("", {"user-agent": CURL}, True),
        ("", {"user-agent": CURL, "accept": "*/*"}, True),
        ("", {"user-agent": BROWSER, "accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}, True),
        ("", {"user-agent": "Wget/1.21"}, True),
        ("", {"user-agent": CURL, "accept": TABLE}, True),
        ("?pretty", {"user-agent": CURL}, True),
        ("?pretty=false", {"user-agent": CURL}, False),
        ("?pretty=oui", {"user-agent": CURL}, False),
        ("?pretty=true", {}, True),
        ("?pretty=1", {"user-agent": KUBECTL}, True),
        ("?pretty", {}, False),
        ("", {"user-agent": KUBECTL}, False),
        ("", {}, False),
        ("", {"accept": "application/json;pretty=1"}, True),
    ],
)
def test_people_get_line_breaks(
    server: Windlass, secrets: str, query: str, headers: dict[str, str], is_indented: bool
) -> None:
    make(server, secrets)

    for path in (secrets, f"{secrets}/a", f"{secrets}/nobody", "/api", "/api/v1", "/apis"):
        answer = server.request("GET", path + query, headers=headers)
        assert answer.body == (json.dumps(answer.json(), indent=2, ensure_ascii=False).encode()) or not is_indented
        assert answer.body.startswith(b'{\n  "') is is_indented, path


def test_people_get_line_breaks_in_long_lists_too(server: Windlass, secrets: str) -> None:
    for name in ("a", "b"):
        make(server, secrets, name, stringData={"long": "x" * 300_000})

    for accept in ("application/json", PARTIAL_LIST, TABLE):
        answer = server.request("GET", secrets, headers={"user-agent": CURL, "accept": accept})
        assert answer.body.startswith(b'{\n  "')


def test_a_watch_has_an_event_a_line_for_people_too(server: Windlass, secrets: str) -> None:
    make(server, secrets)

    answer = server.request(
        "GET", f"{secrets}?watch=true&timeoutSeconds=1&resourceVersion=0", headers={"user-agent": CURL}
    )

    assert [json.loads(line)["type"] for line in answer.body.splitlines()] == ["ADDED"]


def test_the_version_is_indented_for_all_and_openapi_for_nobody(server: Windlass) -> None:
    assert server.request("GET", "/version").body.startswith(b'{\n  "')
    assert server.request("GET", "/").body.startswith(b'{\n  "')
    assert server.request("GET", "/openapi/v3/version?pretty=true", headers={"user-agent": CURL}).status == 404
    assert server.request("GET", "/openapi/v3", headers={"user-agent": CURL}).body.startswith(b'{"')


def test_a_table_has_columns_and_a_row_an_object(server: Windlass, secrets: str) -> None:
    make(server, secrets, "a", stringData={"x": "1", "y": "2"})
    make(server, secrets, "b", type="example.com/mine")

    table = ask(server, secrets, TABLE).json()

    assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Type", "Data", "Age"]
    assert {"name", "type", "format", "description", "priority"} <= set(table["columnDefinitions"][0])
    assert [row["cells"][:3] for row in table["rows"]] == [["a", "Opaque", 2], ["b", "example.com/mine", 0]]
    assert table["metadata"]["resourceVersion"]
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"
    assert "data" not in table["rows"][0]["object"]


def test_a_table_of_one_object_has_one_row(server: Windlass, secrets: str) -> None:
    make(server, secrets)

    assert [row["cells"][0] for row in ask(server, f"{secrets}/a", TABLE).json()["rows"]] == ["a"]


@pytest.mark.parametrize(
    ("include", "kind"), [("Object", "Secret"), ("Metadata", "PartialObjectMetadata"), ("None", None)]
)
def test_a_table_carries_as_much_of_the_objects_as_is_asked_for(
    server: Windlass, secrets: str, include: str, kind: str | None
) -> None:
    make(server, secrets)

    [row] = ask(server, f"{secrets}?includeObject={include}", TABLE).json()["rows"]

    assert (row.get("object") or {}).get("kind") == kind


def test_a_table_comes_in_pages(server: Windlass, secrets: str) -> None:
    for name in ("a", "b", "c"):
        make(server, secrets, name)

    table = ask(server, f"{secrets}?limit=2", TABLE).json()

    assert len(table["rows"]) == 2
    assert table["metadata"]["continue"]
    assert table["metadata"]["remainingItemCount"] == 1


def test_an_empty_table_still_has_its_columns(server: Windlass, secrets: str) -> None:
    table = ask(server, secrets, TABLE).json()

    assert table["rows"] == []
    assert len(table["columnDefinitions"]) == 4


def test_the_metadata_alone_can_be_had(server: Windlass, secrets: str) -> None:
    made = make(server, secrets, stringData={"x": "1"})

    one, many = ask(server, f"{secrets}/a", PARTIAL).json(), ask(server, secrets, PARTIAL_LIST).json()

    assert (one["kind"], one["apiVersion"]) == ("PartialObjectMetadata", "meta.k8s.io/v1")
    assert one["metadata"] == made["metadata"]
    assert set(one) == {"kind", "apiVersion", "metadata"}
    assert (many["kind"], many["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
    assert [item["metadata"]["uid"] for item in many["items"]] == [made["metadata"]["uid"]]


def test_kubectl_falls_back_from_table_to_json(server: Windlass, secrets: str) -> None:
    accept = f"{TABLE},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"

    assert ask(server, secrets, accept).json()["kind"] == "Table"
    assert ask(server, "/api/v1", accept).json()["kind"] == "APIResourceList"


def test_a_write_may_be_answered_with_metadata(server: Windlass, secrets: str) -> None:
    answer = server.request("POST", secrets, {"metadata": {"name": "a"}}, headers={"accept": PARTIAL})

    assert answer.status == 201
    assert answer.json()["kind"] == "PartialObjectMetadata"


def test_head_is_get_without_a_body(server: Windlass, secrets: str) -> None:
    make(server, secrets)

    answer = server.request("HEAD", f"{secrets}/a")

    assert (answer.status, answer.body) == (200, b"")
    assert int(answer.headers["content-length"][0]) > 100
