"""Bodies that are small on the wire and large for whoever reads them are refused, and the server goes on."""

import base64
import json
from typing import Any

import pytest

from tests.support import Windlass, eventually

N = 100_000
TOO_DEEP = "nested deeper than 200 levels"
OBJECT = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"x":'
JSON = {
    "lists": "[" * N,
    "closed lists": "[" * N + "]" * N,
    "objects": '{"a":' * N + "1" + "}" * N,
    "a field of lists": OBJECT + "[" * N + "]" * N + "}",
    "a field of 300 lists": OBJECT + "[" * 300 + "]" * 300 + "}",
    "a field of 300 objects": OBJECT + '{"a":' * 300 + "1" + "}" * 301,
}
YAML = {
    **JSON,
    "items": "- " * N,
    "lines": "".join(f"{' ' * depth}a:\n" for depth in range(1_000)),
    "mappings and lists": "[{a: " * N,
    "tags": "!!seq [" * N,
}
PATCHES = ["json-patch", "merge-patch", "strategic-merge-patch"]


@pytest.fixture
def maps(server: Windlass, namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps"


@pytest.mark.parametrize("content_type", ["application/yaml", "application/x-yaml", "text/yaml", "application/json"])
def test_a_nested_body_is_refused_with_the_limit(server: Windlass, maps: str, content_type: str) -> None:
    logged = server.end_of_log()

    for name, body in (JSON if content_type == "application/json" else YAML).items():
        answer = server.request("POST", maps, body.encode(), content_type=content_type)

        assert answer.status == 400, name
        assert TOO_DEEP in answer.json()["message"], name
    assert "Traceback" not in server.log_after(logged)


def test_a_nested_body_of_apply_is_refused(server: Windlass, maps: str) -> None:
    for name, body in YAML.items():
        answer = server.request(
            "PATCH", f"{maps}/a?fieldManager=x", body.encode(), content_type="application/apply-patch+yaml"
        )

        assert (answer.status, TOO_DEEP in answer.json()["message"]) == (400, True), name


@pytest.mark.parametrize("media", PATCHES)
def test_a_nested_patch_is_refused(server: Windlass, maps: str, media: str) -> None:
    server.create(maps, {"metadata": {"name": "a"}})
    for name, body in JSON.items():
        answer = server.request("PATCH", f"{maps}/a", body.encode(), content_type=f"application/{media}+json")

        assert (answer.status, TOO_DEEP in answer.json()["message"]) == (400, True), name


def test_the_place_of_a_limit_in_yaml_is_told(server: Windlass, maps: str) -> None:
    answer = server.request("POST", maps, b"a:\n- " + b"[" * N, content_type="application/yaml")

    assert f"yaml: {TOO_DEEP} (line 2, column 201)" in answer.json()["message"]


@pytest.mark.parametrize(
    ("patch", "status", "message"),
    [
        (
            [{"op": "add", "path": "/metadata/annotations", "value": {"a": "x" * 1000}}]
            + [{"op": "copy", "from": "/metadata", "path": f"/metadata/b{number}"} for number in range(40)],
            413,
            "accumulated size increase of copy operations",
        ),
        ([{"op": "add", "path": f"/metadata/finalizers/{'1' * 5000}", "value": "x"}], 422, "rejected"),
        (
            [{"op": "add", "path": "/data" + "/a" * (100 * n), "value": json.loads('{"a":' * 101 + "1" + "}" * 101)}
             for n in range(4)],
            400,
            f"the result of the patch is {TOO_DEEP}",
        ),
    ],
)  # fmt: skip
def test_a_json_patch_that_makes_something_huge_is_refused(
    server: Windlass, maps: str, patch: Any, status: int, message: str
) -> None:
    server.create(maps, {"metadata": {"name": "a", "finalizers": ["x.io/y"]}})

    answer = server.patch(f"{maps}/a", patch, "json")
    server.patch(f"{maps}/a", {"metadata": {"finalizers": None}})

    assert (answer.status, message in answer.json()["message"]) == (status, True), answer.body[:500]


def test_an_object_of_two_hundred_levels_can_be_stored_and_read(server: Windlass, namespace: str) -> None:
    review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    body = '{"spec":{"resourceAttributes":{}},"x":' + "[" * 199 + "]" * 199 + "}"

    assert server.request("POST", review, body.encode()).status == 201


def test_nested_json_in_a_protobuf_message_is_refused(server: Windlass, namespace: str) -> None:
    revision = field(1, field(1, b"a")) + field(2, field(1, b"[" * 300 + b"]" * 300))
    meta = field(1, b"apps/v1") + field(2, b"ControllerRevision")

    answer = server.request(
        "POST",
        f"/apis/apps/v1/namespaces/{namespace}/controllerrevisions",
        b"k8s\x00" + field(1, meta) + field(2, revision),
        content_type="application/vnd.kubernetes.protobuf",
    )

    assert (answer.status, TOO_DEEP in answer.json()["message"]) == (400, True), answer.body[:300]


def varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def field(number: int, value: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(value)) + value


@pytest.mark.parametrize("pattern", ["(" * 10_000 + ")" * 10_000, "((a{1000}){1000}){1000}"])
def test_a_pattern_that_cannot_be_compiled_is_refused(server: Windlass, pattern: str) -> None:
    version = {"name": "v1", "served": True, "storage": True}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}}
    spec = {"group": "x.io", "scope": "Namespaced", "names": {"plural": "as", "kind": "A"}}
    body = {"metadata": {"name": "as.x.io"}, "spec": {**spec, "versions": [{**version, "schema": schema}]}}

    answer = server.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", body)

    assert answer.status == 422, answer.body[:300]


def test_a_nested_token_is_no_token(server: Windlass) -> None:
    logged = server.end_of_log()
    part = base64.urlsafe_b64encode(b"[" * 5_000).rstrip(b"=").decode()

    answer = server.request("GET", "/api/v1/namespaces", token=f"{part}.{part}.{part}")

    assert answer.status == 401
    assert "Traceback" not in server.log_after(logged)


def test_an_object_at_the_limit_passes_every_verb(server: Windlass, namespace: str) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    spec = {"group": "nested.example.com", "scope": "Namespaced", "names": {"plural": "deeps", "kind": "Deep"}}
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    server.create(
        definitions, {"metadata": {"name": "deeps.nested.example.com"}, "spec": {**spec, "versions": [version]}}
    )
    path = f"/apis/nested.example.com/v1/namespaces/{namespace}/deeps"
    body: dict[str, Any] = {"apiVersion": "nested.example.com/v1", "kind": "Deep", "metadata": {"name": "a"}}
    body |= {"objects": nested("a", 190), "lists": json.loads("[" * 190 + "]" * 190)}
    eventually(lambda: server.request("GET", path).status == 200, 30, "the kind")

    logged = server.end_of_log()
    server.create(path, body)
    answers = [
        server.patch(f"{path}/a?fieldManager=x&force=true", body, "apply"),
        server.patch(f"{path}/a?fieldManager=y&force=true", {**body, "objects": nested("b", 190)}, "apply"),
        server.patch(f"{path}/a", {"objects": nested("c", 190), "lists": None}, "merge"),
        server.patch(f"{path}/a", [{"op": "test", "path": "/objects/c", "value": nested("c", 189)}], "json"),
        server.request("GET", path, headers={"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}),
        server.request("GET", f"{path}/a", headers={"accept": "application/yaml"}),
        server.request("DELETE", f"{path}/a"),
        server.request("DELETE", f"{definitions}/deeps.nested.example.com"),
    ]

    assert [answer.status for answer in answers] == [200] * len(answers), [answer.body[:200] for answer in answers]
    assert "Traceback" not in server.log_after(logged)


def nested(name: str, levels: int) -> Any:
    value: Any = {}
    for _ in range(levels - 1):
        value = {name: value}
    return value
