"""Protobuf bodies become the objects that were written, and no bytes do more harm than a 400."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.apiserver.protobuf.builders import block, body, encoded, number, objects, varint
from windlass.apiserver import protobuf
from windlass.kube.errors import BadRequest, UnsupportedMediaType

_slow_to_draw = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)


def _metadata(name: str) -> bytes:
    return block(1, block(1, name))


@_slow_to_draw
@given(objects())
def test_every_kind_is_read_back_as_it_was_written(obj: dict[str, Any]) -> None:
    assert protobuf.decode(encoded(obj)) == obj


def test_zeros_that_go_writes_for_unset_fields_are_left_out() -> None:
    probe = block(1, block(2, b"")) + number(2, 0) + number(5, 0) + number(6, 0)
    container = block(1, "main") + block(2, "") + block(8, b"") + block(10, probe) + block(14, "") + number(16, 0)
    meta = block(1, "p") + block(2, "") + number(7, 0) + block(8, b"")
    pod = protobuf.decode(
        body("v1", "Pod", block(1, meta) + block(2, block(2, container) + block(3, "")) + block(3, b""))
    )
    assert pod == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {
            "containers": [
                # `resources` is a struct and `httpGet` a pointer: Go's JSON has both though they are empty
                {"name": "main", "resources": {}, "livenessProbe": {"httpGet": {}}},
            ],
        },
        "status": {},
    }


def test_zeros_that_someone_set_are_kept() -> None:
    security = number(2, 0) + number(3, 0)
    spec = block(14, security) + number(4, 0) + number(21, 0)
    deployment = number(1, 0) + block(3, block(2, spec)) + number(5, 0)
    read = protobuf.decode(body("apps/v1", "Deployment", block(2, deployment)))
    assert read["spec"] == {
        "replicas": 0,
        "template": {
            "spec": {
                "securityContext": {"runAsUser": 0, "runAsNonRoot": False},
                "terminationGracePeriodSeconds": 0,
                "automountServiceAccountToken": False,
            }
        },
    }
    assert protobuf.decode(body("scheduling.k8s.io/v1", "PriorityClass", number(2, 0)))["value"] == 0


def test_fields_of_inlined_structs_are_among_their_parents() -> None:
    volume = block(1, "v") + block(2, block(2, b""))
    selector = block(1, block(1, "words")) + block(2, "greeting") + number(3, 0)
    env = block(1, "E") + block(3, block(3, selector))
    spec = block(1, volume) + block(2, block(7, env))
    read = protobuf.decode(body("v1", "Pod", block(2, spec)))["spec"]
    assert read["volumes"] == [{"name": "v", "emptyDir": {}}]
    key = {"name": "words", "key": "greeting", "optional": False}
    assert read["containers"] == [{"env": [{"name": "E", "valueFrom": {"configMapKeyRef": key}}]}]


def test_map_entries_may_leave_out_an_empty_key_or_value() -> None:
    read = protobuf.decode(body("v1", "ConfigMap", block(2, block(1, "a")) + block(2, block(2, "b")) + block(2, b"")))
    assert read["data"] == {"a": "", "": ""}


def test_numbers_of_a_list_may_come_packed() -> None:
    spec = block(14, number(4, 1) + block(4, varint(2) + varint(300)))
    read = protobuf.decode(body("v1", "Pod", block(2, spec)))
    assert read["spec"]["securityContext"]["supplementalGroups"] == [1, 2, 300]


def test_fields_of_a_newer_kubernetes_are_skipped_whatever_their_wire_type() -> None:
    unknown = number(900, 1) + block(901, "x") + varint(902 << 3 | 1) + b"12345678" + varint(903 << 3 | 5) + b"1234"
    assert protobuf.decode(body("v1", "Secret", unknown + block(3, "Opaque")))["type"] == "Opaque"


@pytest.mark.parametrize("api_version", ["v1", "apps/v1", "policy/v1", "example.com/v1"])
def test_delete_options_are_read_for_any_group(api_version: str) -> None:
    options = number(1, 0) + block(2, block(1, "some-uid")) + block(4, "Orphan") + block(5, "All")
    assert protobuf.decode(body(api_version, "DeleteOptions", options)) == {
        "apiVersion": api_version,
        "kind": "DeleteOptions",
        "gracePeriodSeconds": 0,
        "preconditions": {"uid": "some-uid"},
        "propagationPolicy": "Orphan",
        "dryRun": ["All"],
    }


@pytest.mark.parametrize(
    ("api_version", "kind"), [("example.com/v1", "Widget"), ("batch.example.com/v1", "Job"), ("v1", "Container")]
)
def test_kinds_without_a_protobuf_form_must_come_as_json(api_version: str, kind: str) -> None:
    with pytest.raises(UnsupportedMediaType, match="accepted media types include: application/json"):
        protobuf.decode(body(api_version, kind, b""))


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (b"", r"does not appear to be a protobuf message, expected prefix \[107 56 115 0\]"),
        (b'{"kind":"Pod"}', "does not appear to be a protobuf message"),
        (b"k8s\x00", "'Kind' is missing"),
        (b"k8s\x00\x0a\xff", "unexpected EOF"),
        (b"k8s\x00" + number(1, 1), "wrong wireType = 0 for field typeMeta"),
        (body("v1", "Pod", b"\x0a\x05ab"), 'Pod in version "v1" cannot be handled as a Pod: unexpected EOF'),
        (body("v1", "Pod", b"\x0a" + varint(1 << 62)), "unexpected EOF"),
        (body("v1", "Pod", b"\x0a" + b"\xff" * 11), "integer overflow"),
        (body("v1", "Pod", b"\x0b\x0c"), "illegal wireType 3"),
        (body("v1", "Pod", b"\x00"), "illegal tag 0"),
        (body("v1", "Pod", number(1, 1)), "wrong wireType = 0 for field metadata"),
        (body("v1", "Secret", block(1, block(1, b"\xff"))), "invalid UTF-8"),
        (body("v1", "ConfigMap", block(2, number(1, 1))), "wrong wireType = 0 for field data"),
        (body("v1", "Pod", block(1, block(8, number(1, 1 << 60)))), "year outside of range"),
        (body("apps/v1", "ControllerRevision", block(2, block(1, "{"))), "json parse error"),
        (body("apps/v1", "ControllerRevision", block(2, block(1, "[" * 100_000))), "json parse error"),
    ],
)  # fmt: skip
def test_a_malformed_body_is_a_bad_request_that_says_why(sent: bytes, why: str) -> None:
    with pytest.raises(BadRequest, match=why):
        protobuf.decode(sent)


def _read_or_refuse(sent: bytes) -> None:
    with suppress(BadRequest, UnsupportedMediaType):
        assert isinstance(protobuf.decode(sent), dict)


@given(st.binary(max_size=200))
def test_random_bytes_are_read_or_refused(junk: bytes) -> None:
    _read_or_refuse(junk)
    _read_or_refuse(b"k8s\x00" + junk)
    _read_or_refuse(body("v1", "Pod", junk))
    _read_or_refuse(body("v1", "Pod", block(2, block(2, junk))))


@_slow_to_draw
@given(objects(), st.data())
def test_damaged_bodies_are_read_or_refused(obj: dict[str, Any], data: st.DataObject) -> None:
    sent = encoded(obj)
    at = data.draw(st.integers(0, len(sent) - 1))
    _read_or_refuse(sent[:at])
    _read_or_refuse(sent[:at] + bytes([data.draw(st.integers(0, 255))]) + sent[at + 1 :])
    _read_or_refuse(sent[:at] + data.draw(st.binary(max_size=9)) + sent[at:])


def test_deeply_nested_blocks_are_refused_without_recursion() -> None:
    nested = b""
    for _ in range(3000):
        nested = block(2, nested)
    _read_or_refuse(body("v1", "Pod", nested))
    _read_or_refuse(b"k8s\x00" + nested)
