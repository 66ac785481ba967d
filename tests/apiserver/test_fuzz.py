"""Whatever is sent, the server answers with a Status that blames the sender, keeps serving, and shows no traceback."""

import json
import random
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import Windlass, running

SEED = 20261115
ROUNDS = 2000

PATHS = [
    "/api/v1/namespaces/default/pods",
    "/api/v1/namespaces/default/pods/a",
    "/api/v1/namespaces/default/pods/a/status",
    "/api/v1/namespaces/default/pods/a/binding",
    "/api/v1/namespaces/default/pods/a/eviction",
    "/api/v1/namespaces/default/pods/a/log",
    "/api/v1/namespaces/default/pods/a/exec",
    "/api/v1/namespaces/default/pods/a/ephemeralcontainers",
    "/api/v1/namespaces/default/services",
    "/api/v1/namespaces/default/services/s/proxy/x",
    "/api/v1/namespaces/default/secrets",
    "/api/v1/namespaces/default/configmaps/c",
    "/api/v1/namespaces/default/serviceaccounts/default/token",
    "/api/v1/namespaces",
    "/api/v1/namespaces/default",
    "/api/v1/namespaces/default/finalize",
    "/api/v1/nodes",
    "/apis/apps/v1/namespaces/default/deployments",
    "/apis/apps/v1/namespaces/default/deployments/d",
    "/apis/apps/v1/namespaces/default/deployments/d/scale",
    "/apis/batch/v1/namespaces/default/jobs",
    "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers",
    "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
    "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
    "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    "/apis/authentication.k8s.io/v1/tokenreviews",
    "/apis/events.k8s.io/v1/namespaces/default/events",
    "/apis/scheduling.windlass.dev/v1/namespaces/default/gangbindings",
    "/apis/fuzz.example.com/v1/namespaces/default/things",
    "/apis/fuzz.example.com/v1/namespaces/default/things/t",
]
KINDS = [
    "Pod",
    "Service",
    "Secret",
    "Deployment",
    "Job",
    "ClusterRole",
    "CustomResourceDefinition",
    "Thing",
    "Event",
    7,
]
MEDIA = [
    "application/json",
    "application/yaml",
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/vnd.kubernetes.protobuf",
    "text/plain",
    "",
]
QUERIES = [
    "watch=true&timeoutSeconds=1",
    "limit=-1",
    "limit=99999999999999999999",
    "continue=%00%ff",
    "resourceVersion=abc",
    "resourceVersion=99999999",
    "resourceVersionMatch=Exact",
    "labelSelector=a in (",
    "labelSelector=a%3Db,,%3D",
    "fieldSelector=%3D%3D",
    "fieldSelector=spec.nope=1",
    "dryRun=Some",
    "fieldValidation=Perhaps",
    "fieldManager=%00",
    "force=maybe&fieldManager=x",
    "gracePeriodSeconds=-5",
    "propagationPolicy=Sideways",
    "sendInitialEvents=true&watch=1&timeoutSeconds=1",
    "includeObject=All",
    "pretty=oui",
]
WORDS = ["metadata", "name", "spec", "status", "containers", "ports", "labels", "ownerReferences", "data", "finalizers"]
WORDS += ["managedFields", "rules", "subjects", "template", "selector", "versions", "schema", "env", "x"]


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    """A server that may be left in ruins: among the requests are deletions of whole collections."""
    with running(tmp_path_factory.mktemp("fuzz")) as windlass:
        furnish(windlass)
        yield windlass


@pytest.fixture(scope="module")
def tidy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("tidy")) as windlass:
        furnish(windlass)
        yield windlass


def furnish(windlass: Windlass) -> None:
    """What the requests need to get far: a service account for pods, and a custom resource."""
    names = {"plural": "things", "kind": "Thing"}
    spec: dict[str, Any] = {"type": "object", "properties": {"size": {"type": "integer", "maximum": 9}}}
    schema = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    windlass.create("/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "default"}})
    windlass.create(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "things.fuzz.example.com"},
            "spec": {"group": "fuzz.example.com", "scope": "Namespaced", "names": names, "versions": [version]},
        },
    )


def some_json(dice: random.Random, depth: int = 0) -> Any:
    choice = dice.randrange(10 if depth < 5 else 7)
    if choice >= 7:
        count = dice.randrange(4)
        if choice == 7:
            return [some_json(dice, depth + 1) for _ in range(count)]
        return {dice.choice(WORDS): some_json(dice, depth + 1) for _ in range(count + 1)}
    return dice.choice(
        [None, True, -1, 2**70, 1.5e308, "", "a", "é\u0000", "-" * 300, "{{", "10Gi", "default", "2026-01-01T00:00:00Z"]
    )


def some_body(dice: random.Random) -> bytes:
    kind = dice.randrange(8)
    if kind == 0:
        return dice.randbytes(dice.randrange(200))
    if kind == 1:
        return b"[" * 5000 + b"]" * dice.randrange(5000)
    if kind == 2:
        return b"k8s\x00" + dice.randbytes(dice.randrange(80))
    if kind == 3:
        operation, where = (
            dice.choice(["add", "remove", "test", "move", "zap"]),
            dice.choice(["/metadata", "/spec/x/0", "a"]),
        )
        return json.dumps([{"op": operation, "path": where, "value": some_json(dice)}]).encode()
    document = some_json(dice)
    if isinstance(document, dict) and dice.random() < 0.8:
        document.setdefault("kind", dice.choice(KINDS))
        document.setdefault("apiVersion", dice.choice(["v1", "apps/v1", "", None]))
        if dice.random() < 0.7:
            document["metadata"] = {"name": dice.choice(["a", "d", "t", "c", "A!", ""]), **document}
    text = json.dumps(document).encode()
    return text[: dice.randrange(len(text) + 1)] if kind == 4 else text


def assert_civil(answer: Any, asked: str) -> None:
    assert answer.status < 500 or answer.status in (501, 503, 504, 507), (asked, answer.status, answer.body[:500])
    assert b"Traceback" not in answer.body, asked
    if answer.status >= 400 and not asked.startswith("HEAD"):
        assert json.loads(answer.body)["kind"] == "Status", asked


@pytest.mark.parametrize("part", range(4))
def test_malformed_requests_get_a_status_and_never_a_500(target: Windlass, part: int) -> None:
    dice, logged = random.Random(SEED + part), target.end_of_log()
    for _ in range(ROUNDS // 4):
        method = dice.choice(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW"])
        path = dice.choice(PATHS)
        if dice.random() < 0.15:
            path += dice.choice(["/", "//", "/%00", "/..", "/%2e%2e/x", "/a/b/c/d", "/" + "z" * 3000])
        if dice.random() < 0.4:
            path += "?" + dice.choice(QUERIES).replace(" ", "%20")
        body = some_body(dice) if method in ("POST", "PUT", "PATCH", "DELETE") else None
        asked = f"{method} {path} {body!r}"
        answer = target.request(method, path, body, content_type=dice.choice(MEDIA))
        assert_civil(answer, asked[:1000])
    assert "Traceback" not in target.log_after(logged)
    assert target.request("GET", "/readyz").status == 200


MANIFESTS: list[dict[str, Any]] = list(yaml.safe_load_all((Path(__file__).parent / "fuzz_manifests.yaml").read_text()))
ODD_VALUES = [
    None,
    "",
    "A B",
    "x" * 300,
    -1,
    0,
    2**31,
    2**63,
    1.5,
    True,
    [],
    {},
    [None],
    {"": ""},
    "10Gi",
    "-5",
    "250%",
    "a/b/c",
    "$(X)",
    "../..",
]


def mutated(dice: random.Random, value: Any) -> Any:
    """A copy in which a few places hold something else."""
    if dice.random() < 0.06:
        return dice.choice(ODD_VALUES)
    if isinstance(value, dict):
        return {key: mutated(dice, item) for key, item in value.items() if dice.random() > 0.02}
    if isinstance(value, list):
        return [mutated(dice, item) for item in value for _ in range(2 if dice.random() < 0.05 else 1)]
    return value


@pytest.mark.parametrize("row", MANIFESTS, ids=[row["manifest"]["kind"] for row in MANIFESTS])
def test_almost_right_manifests_are_stored_or_refused_by_field(tidy: Windlass, row: dict[str, Any]) -> None:
    path, manifest = row["path"], row["manifest"]
    kind = manifest["kind"]
    dice, logged = random.Random(f"{SEED}{kind}"), tidy.end_of_log()
    codes: set[int] = set()
    for number in range(30):
        name = "zs.z.io" if kind == "CustomResourceDefinition" else f"fuzz-{kind.lower()}-{number}"
        body = {key: mutated(dice, value) for key, value in manifest.items()}
        given = body.get("metadata")
        metadata = {**(given if isinstance(given, dict) else {}), "name": name}
        body.update(apiVersion=manifest["apiVersion"], kind=kind, metadata=metadata)
        answer = tidy.request("POST", path, body)
        assert_civil(answer, json.dumps(body))
        codes.add(answer.status)
        if answer.status == 422:
            assert answer.json()["details"].get("causes"), answer.body
        for verb in ("PUT", "PATCH"):
            change = mutated(dice, body)
            media = "application/json" if verb == "PUT" else "application/merge-patch+json"
            assert_civil(tidy.request(verb, f"{path}/{name}", change, content_type=media), json.dumps(change))
        assert_civil(
            tidy.request("GET", path, headers={"accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}), path
        )
        if answer.status == 201 and kind == "CustomResourceDefinition":
            tidy.request("DELETE", f"{path}/{name}")
    assert "Traceback" not in tidy.log_after(logged)
    assert codes & {400, 422}, "nothing was refused: the mutations are too tame"


@pytest.mark.parametrize(
    "headers",
    [
        {"accept": "application/xml"},
        {"accept": ";;;,,,"},
        {"accept": "application/json;as=Table;g=meta.k8s.io;v=v9"},
        {"content-type": "\x80"},
        {"impersonate-user": ""},
        {"impersonate-group": "x"},
        {"impersonate-extra-%ff": "x"},
        {"authorization": "Basic eDp5"},
        {"authorization": "Bearer"},
        {"authorization": "Bearer a.b.c"},
        {"user-agent": "/" * 5000},
        {"upgrade": "SPDY/3.1", "connection": "Upgrade"},
        {"upgrade": "websocket", "connection": "Upgrade", "sec-websocket-key": "x"},
        {"range": "bytes=0-1"},
        {"x": "y" * 100_000},
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/namespaces/default/pods", "/api", "/openapi/v3", "/nope"])
def test_odd_headers_are_answered(target: Windlass, headers: dict[str, str], path: str) -> None:
    answer = target.request("GET", path, headers=headers)

    assert answer.status < 500, answer.body
    assert b"Traceback" not in answer.body


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\x01\x02\x03\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api/v1/namespaces HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /api/v1/namespaces HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /api/v1/namespaces HTTP/1.1\r\nContent-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET http:// HTTP/1.1\r\n\r\n",
        b"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_broken_http_closes_the_connection_and_nothing_else(target: Windlass, sent: bytes) -> None:
    context = ssl.create_default_context(cafile=target.ca)
    with (
        socket.create_connection(("127.0.0.1", target.port), timeout=60) as raw,
        context.wrap_socket(raw, server_hostname="127.0.0.1") as connection,
    ):
        connection.sendall(sent)
        answer = connection.recv(65536)

    assert answer == b"" or answer.split()[1] in (b"400", b"401", b"413", b"431"), answer
    assert target.request("GET", "/readyz").status == 200


def test_a_body_over_the_limit_is_refused_by_name(target: Windlass) -> None:
    answer = target.request("POST", "/api/v1/namespaces/default/configmaps", b'"' + b"x" * (3 * 1024 * 1024) + b'"')

    assert answer.status == 413
    assert "too large" in answer.json()["message"]


def test_pipelined_requests_are_answered_in_order(target: Windlass) -> None:
    context = ssl.create_default_context(cafile=target.ca)
    with (
        socket.create_connection(("127.0.0.1", target.port), timeout=60) as raw,
        context.wrap_socket(raw, server_hostname="127.0.0.1") as connection,
    ):
        paths = ["/version", "/livez", "/version", "/nope"]
        connection.sendall(b"".join(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() for path in paths))
        received = b""
        while received.count(b"HTTP/1.1 ") < 4 or not received.endswith(b"}"):
            piece = connection.recv(65536)
            assert piece
            received += piece

    statuses = [part.split(b" ", 1)[0] for part in received.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [b"200", b"200", b"200", b"401"]
