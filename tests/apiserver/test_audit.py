"""The audit log: what the policy asks for is written, secrets never are, and nobody waits for the disk."""

import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from windlass.apiserver.audit import QUEUE_LIMIT, REDACTED, AuditLog, Entry, event_of, redacted, safe_uri
from windlass.apiserver.auth.attributes import Attributes, Decision
from windlass.apiserver.auth.audit_policy import (
    BadPolicy,
    Level,
    Policy,
    Verdict,
    compile_policy,
    metadata_of_everything,
    read_policy,
)
from windlass.apiserver.auth.user import User
from windlass.kube.json import Object, decode, encode

JANE = User("jane", groups=("devs",))
PODS = Attributes("create", "", "pods", "", "ml", "a")
SECRETS = Attributes("update", "", "secrets", "", "ml", "a")
ALL = Verdict(Level.REQUEST_RESPONSE)


def a_policy(*rules: Object, **more: object) -> Policy:
    return compile_policy({"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": list(rules), **more})


def an_entry(**changes: Any) -> Entry:
    fields: dict[str, Any] = {
        "audit_id": "id-1",
        "uri": "/api/v1/namespaces/ml/pods",
        "user": JANE,
        "attributes": PODS,
        "version": "v1",
        "source_ips": ("127.0.0.1",),
        "user_agent": "kubectl/v1.33",
        "code": 201,
        "received": datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
    }
    return Entry(**{**fields, **changes})


def written(path: Path) -> list[Object]:
    return [decode(line) for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize(
    ("rule", "user", "asked", "matches"),
    [
        ({}, JANE, PODS, True),
        ({"users": ["jane"]}, JANE, PODS, True),
        ({"users": ["bob"]}, JANE, PODS, False),
        ({"userGroups": ["ops", "devs"]}, JANE, PODS, True),
        ({"userGroups": ["ops"]}, JANE, PODS, False),
        ({"verbs": ["create"]}, JANE, PODS, True),
        ({"verbs": ["get"]}, JANE, PODS, False),
        ({"namespaces": ["ml"]}, JANE, PODS, True),
        ({"namespaces": ["other"]}, JANE, PODS, False),
        ({"namespaces": [""]}, JANE, Attributes("list", "", "nodes"), True),
        ({"resources": [{"group": ""}]}, JANE, PODS, True),
        ({"resources": [{"group": "apps"}]}, JANE, PODS, False),
        ({"resources": [{"group": "", "resources": ["pods"]}]}, JANE, PODS, True),
        ({"resources": [{"group": "", "resources": ["pods"]}]}, JANE, Attributes("get", "", "pods", "log"), False),
        ({"resources": [{"group": "", "resources": ["pods/*"]}]}, JANE, Attributes("get", "", "pods", "log"), True),
        ({"resources": [{"group": "", "resources": ["*/log"]}]}, JANE, Attributes("get", "", "pods", "log"), True),
        ({"resources": [{"group": "", "resources": ["*"]}]}, JANE, PODS, True),
        ({"resources": [{"group": "", "resources": ["pods"], "resourceNames": ["a"]}]}, JANE, PODS, True),
        ({"resources": [{"group": "", "resources": ["pods"], "resourceNames": ["b"]}]}, JANE, PODS, False),
        ({"nonResourceURLs": ["/healthz*"]}, JANE, Attributes("get", path="/healthz/ping"), True),
        ({"nonResourceURLs": ["/healthz*"]}, JANE, PODS, False),
        ({"resources": [{"group": ""}]}, JANE, Attributes("get", path="/healthz"), False),
    ],
)
def test_a_rule_matches_when_all_it_names_does(rule: Object, user: User, asked: Attributes, matches: bool) -> None:
    verdict = a_policy({"level": "Metadata", **rule}).verdict(user, asked)

    assert (verdict.level is Level.METADATA) is matches


def test_the_first_rule_that_matches_decides() -> None:
    policy = a_policy(
        {"level": "None", "users": ["jane"]},
        {"level": "Request", "omitStages": ["RequestReceived"]},
        omitStages=["Panic"],
        omitManagedFields=True,
    )

    assert policy.verdict(JANE, PODS).level is Level.NONE
    assert policy.verdict(User("bob"), PODS) == Verdict(
        Level.REQUEST, frozenset({"RequestReceived", "Panic"}), omit_managed_fields=True
    )


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ([], "kind Policy"),
        ({"kind": "Policy", "apiVersion": "audit.k8s.io/v1beta1"}, "apiVersion"),
        ({"kind": "Policy", "apiVersion": "audit.k8s.io/v1"}, "rules"),
        ({"kind": "Policy", "apiVersion": "audit.k8s.io/v1", "rules": [{"level": "All"}]}, "rules[0].level"),
        (
            {"kind": "Policy", "apiVersion": "audit.k8s.io/v1", "rules": [{"level": "None", "omitStages": ["x"]}]},
            "rules[0].omitStages",
        ),
        (
            {"kind": "Policy", "apiVersion": "audit.k8s.io/v1", "rules": [{"level": "None", "users": "jane"}]},
            "rules[0].users: must be a list",
        ),
        (
            {
                "kind": "Policy",
                "apiVersion": "audit.k8s.io/v1",
                "rules": [{"level": "None", "namespaces": ["a"], "nonResourceURLs": ["/a"]}],
            },
            "rules[0].nonResourceURLs",
        ),
    ],
)
def test_a_bad_policy_is_refused_by_field(tmp_path: Path, document: object, complaint: str) -> None:
    (tmp_path / "policy.yaml").write_bytes(encode(document))

    with pytest.raises(BadPolicy) as refused:
        read_policy(tmp_path / "policy.yaml")

    assert complaint in str(refused.value)
    assert "policy.yaml" in str(refused.value)


def test_an_event_has_the_fields_of_kubernetes() -> None:
    entry = an_entry(impersonated=User("bob"), decision=Decision(True, "because"))

    event = event_of(entry, Verdict(Level.METADATA))

    del event["stageTimestamp"]
    assert event == {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": "Metadata",
        "auditID": "id-1",
        "stage": "ResponseComplete",
        "requestURI": "/api/v1/namespaces/ml/pods",
        "verb": "create",
        "user": {"username": "jane", "groups": ["devs"]},
        "impersonatedUser": {"username": "bob"},
        "sourceIPs": ["127.0.0.1"],
        "userAgent": "kubectl/v1.33",
        "objectRef": {"resource": "pods", "namespace": "ml", "name": "a", "apiVersion": "v1"},
        "responseStatus": {"metadata": {}, "code": 201},
        "requestReceivedTimestamp": "2026-01-02T03:04:05.000006Z",
        "annotations": {"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "because"},
    }


@pytest.mark.parametrize(
    ("level", "kept"),
    [
        (Level.METADATA, set[str]()),
        (Level.REQUEST, {"requestObject"}),
        (Level.REQUEST_RESPONSE, {"requestObject", "responseObject"}),
    ],
)
def test_the_level_says_which_bodies_are_kept(level: Level, kept: set[str]) -> None:
    event = event_of(an_entry(request_body=b'{"a":1}', response_body=b'{"a":2}'), Verdict(level))

    assert {"requestObject", "responseObject"} & set(event) == kept


SECRET: Object = {
    "kind": "Secret",
    "metadata": {
        "name": "a",
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "hunter2", "team": "ml"},
    },
    "data": {"password": "hunter2"},
    "stringData": {"password": "hunter2"},
}


@pytest.mark.parametrize(
    ("asked", "document"),
    [
        (SECRETS, SECRET),
        (SECRETS, {"kind": "SecretList", "items": [SECRET, SECRET]}),
        (SECRETS, {"kind": "SecretList", "items": [{k: v for k, v in SECRET.items() if k != "kind"}]}),
        (PODS, {"kind": "List", "items": [SECRET]}),
        (SECRETS, {"kind": "Table", "rows": [{"cells": ["a"], "object": {**SECRET, "kind": "PartialObjectMetadata"}}]}),
        (SECRETS, {"type": "ADDED", "object": SECRET}),
        (SECRETS, {"data": {"password": "hunter2"}}),
        (SECRETS, {"stringData": "hunter2"}),
        (SECRETS, [{"op": "replace", "path": "/data/password", "value": "hunter2"}]),
        (Attributes("create", "authentication.k8s.io", "tokenreviews"), {"spec": {"token": "hunter2"}}),
        (Attributes("create", "", "serviceaccounts", "token", "ml", "a"), {"status": {"token": "hunter2"}}),
        (PODS, {"kind": "TokenRequest", "status": {"token": "hunter2"}}),
    ],
)
def test_secret_values_are_never_kept(asked: Attributes, document: object) -> None:
    before = encode(document)

    hidden = encode(redacted(document, asked))

    assert b"hunter2" not in hidden
    assert REDACTED.encode() in hidden
    assert encode(document) == before


def test_the_names_of_keys_and_other_annotations_stay() -> None:
    hidden = redacted(SECRET, SECRETS)

    assert set(hidden["data"]) == {"password"}
    assert hidden["metadata"]["annotations"]["team"] == "ml"


def test_managed_fields_are_left_out_when_asked() -> None:
    pod = {"kind": "Pod", "metadata": {"name": "a", "managedFields": [{}]}}

    assert redacted(pod, PODS, omit_managed_fields=True)["metadata"] == {"name": "a"}


@pytest.mark.parametrize("body", [b"kind: Secret\nstringData: {a: hunter2}", b"\xff", b'{"a":1}\n{"b":2}', b"[" * 5000])
def test_a_body_that_cannot_be_read_is_not_kept(body: bytes) -> None:
    event = event_of(an_entry(attributes=SECRETS, request_body=body), ALL)

    assert event["requestObject"] == {"omitted": "not one JSON document", "bytes": len(body)}


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("/api/v1/pods?limit=5&watch", "/api/v1/pods?limit=5&watch"),
        ("/api?Token=abc&a=b", "/api?Token=[redacted]&a=b"),
        ("/api?access_token=abc=", "/api?access_token=[redacted]"),
    ],
)
def test_tokens_in_the_uri_are_not_kept(uri: str, shown: str) -> None:
    assert safe_uri(uri) == shown


def a_log(path: Path, **options: int) -> AuditLog:
    return AuditLog(str(path), metadata_of_everything(), **options)


def test_entries_are_written_in_order_and_only_for_the_owner(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "audit.log"
    log = a_log(path)
    for number in range(500):
        log.record(an_entry(audit_id=str(number)), Verdict(Level.METADATA))
    log.close()

    assert [event["auditID"] for event in written(path)] == [str(number) for number in range(500)]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_the_verdict_leaves_out_is_not_written(tmp_path: Path) -> None:
    log = a_log(tmp_path / "audit.log")
    log.record(an_entry(), Verdict(Level.NONE))
    log.record(an_entry(stage="RequestReceived"), Verdict(Level.METADATA, frozenset({"RequestReceived"})))
    log.record(an_entry(audit_id="kept"), log.verdict(JANE, PODS))
    log.close()

    assert [event["auditID"] for event in written(tmp_path / "audit.log")] == ["kept"]


def test_a_restart_goes_on_in_the_same_file(tmp_path: Path) -> None:
    for number in range(2):
        log = a_log(tmp_path / "audit.log")
        log.record(an_entry(audit_id=str(number)), ALL)
        log.close()

    assert len(written(tmp_path / "audit.log")) == 2


def test_a_full_file_is_put_aside_and_the_oldest_dropped(tmp_path: Path) -> None:
    log = a_log(tmp_path / "audit.log", max_bytes=2000, backups=3)
    for number in range(50):
        log.record(an_entry(audit_id=str(number)), ALL)
    log.close()

    files = sorted(tmp_path.iterdir())
    assert len(files) == 4
    assert all(0 < file.stat().st_size <= 2000 for file in files)
    ids = [event["auditID"] for file in files[:-1] for event in written(file)]
    assert [*ids, *(event["auditID"] for event in written(tmp_path / "audit.log"))][-1] == "49"


def test_a_disk_that_cannot_keep_up_drops_lines_and_holds_up_nobody(tmp_path: Path) -> None:
    log = a_log(tmp_path / "audit.log")
    log.close()  # nobody empties the queue any more
    for _ in range(QUEUE_LIMIT + 7):
        log.record(an_entry(), ALL)

    assert log.dropped == 7


def test_a_disk_that_refuses_is_counted_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = a_log(tmp_path / "audit.log", max_bytes=1)
    log.record(an_entry(audit_id="first"), ALL)
    _until(lambda: (tmp_path / "audit.log").stat().st_size > 0)
    with monkeypatch.context() as broken:
        broken.setattr(Path, "rename", _refuse)
        log.record(an_entry(audit_id="lost"), ALL)
        _until(lambda: log.dropped == 1)
    log.record(an_entry(audit_id="after"), ALL)
    log.close()

    assert [event["auditID"] for event in written(tmp_path / "audit.log")] == ["after"]


def _refuse(*_: object) -> None:
    raise OSError(28, "No space left on device")


def _until(condition: Callable[[], bool]) -> None:
    deadline = datetime.now(UTC).timestamp() + 10
    while not condition():
        assert datetime.now(UTC).timestamp() < deadline
