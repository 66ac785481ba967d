"""The server takes protobuf bodies on its verbs, answers in JSON, and tells a client what was wrong with one."""

from typing import Any

import pytest

from tests.apiserver.protobuf.builders import block, body, encoded
from tests.support import Answer, Windlass, eventually

_PROTOBUF = "application/vnd.kubernetes.protobuf"


def _send(server: Windlass, method: str, path: str, sent: bytes) -> Answer:
    accept = {"accept": f"{_PROTOBUF},application/json"}
    return server.request(method, path, sent, content_type=_PROTOBUF, headers=accept)


def _config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def test_a_client_may_create_update_and_delete_with_protobuf_bodies(server: Windlass, namespace: str) -> None:
    place = f"/api/v1/namespaces/{namespace}/configmaps"
    created = _send(server, "POST", place, encoded(_config_map("words", greeting="hello")))
    assert (created.status, created.headers["content-type"]) == (201, ["application/json"])

    updated = _send(server, "PUT", f"{place}/words", encoded(_config_map("words", greeting="good day")))
    assert updated.json()["data"] == {"greeting": "good day"}

    only_if = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": "another"}}
    assert _send(server, "DELETE", f"{place}/words", encoded(only_if)).status == 409
    for_show = {"apiVersion": "v1", "kind": "DeleteOptions", "dryRun": ["All"]}
    assert _send(server, "DELETE", f"{place}/words", encoded(for_show)).status == 200
    assert server.get(f"{place}/words")["data"] == {"greeting": "good day"}

    in_earnest = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"}
    assert _send(server, "DELETE", f"{place}/words", encoded(in_earnest)).status == 200
    assert server.request("GET", f"{place}/words").status == 404


@pytest.mark.parametrize(
    ("sent", "code", "message"),
    [
        (b"", 400, "does not appear to be a protobuf message"),
        (b"{}", 400, "does not appear to be a protobuf message"),
        (body("v1", "ConfigMap", b"\x0a\x7f"), 400, "cannot be handled as a ConfigMap: unexpected EOF"),
        (
            body("v1", "Secret", b""),
            400,
            'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap)',
        ),
        (body("example.com/v1", "ConfigMap", b""), 415, "unknown format"),
        (body("v1", "ConfigMap", block(1, block(1, "Not A Name"))), 422, 'Invalid value: "Not A Name"'),
    ],
)
def test_a_bad_protobuf_body_is_answered_with_a_status(
    server: Windlass, namespace: str, sent: bytes, code: int, message: str
) -> None:
    answer = _send(server, "POST", f"/api/v1/namespaces/{namespace}/configmaps", sent)
    assert answer.status == code, answer.body
    assert message in answer.json()["message"]


def test_custom_resources_are_json_only(server: Windlass) -> None:
    name = "protowidgets.protobuf.example.com"
    version = {
        "name": "v1", "served": True, "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }  # fmt: skip
    names = {"plural": "protowidgets", "kind": "ProtoWidget"}
    spec = {"group": "protobuf.example.com", "scope": "Cluster", "names": names, "versions": [version]}
    server.create(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": name},
            "spec": spec,
        },
    )
    place = "/apis/protobuf.example.com/v1/protowidgets"
    eventually(lambda: server.request("GET", place).status == 200)

    answer = _send(server, "POST", place, body("protobuf.example.com/v1", "ProtoWidget", block(1, block(1, "one"))))

    assert (answer.status, answer.json()["reason"]) == (415, "UnsupportedMediaType")
    server.request("DELETE", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}")
