"""Hostile requests to routes of the gateway: request number `n` of a seed is always the same."""

import gzip
import json
import random
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from tests.fuzz.archives import archived, gzip_bomb, protobuf
from tests.fuzz.gateway.targets import METHODS, Target
from tests.fuzz.mutations import ODD_VALUES, mutated

NAMESPACES = ("fuzz-a", "fuzz-b")
WORDS = {
    "namespace": (*NAMESPACES, *NAMESPACES, "kubeflow", "default"),
    "name": ("fz-0", "fz-1", "lab", "data"),
    "topic": ("jobs", "job", "queues", "timeline", "home", "cluster", "notebooks", "tensorboards", "volumes", "tree"),
    "connector": ("local", "x"),
    "kind": ("Job", "PyTorchJob", "TFJob", "TrainJob", "MPIJob", "JobSet"),
    "verb": ("suspend", "resume", "retry", "stop", "terminate", "set", "x"),
    "method": ("GetArtifacts", "GetContexts", "GetExecutions", "PutArtifacts", "GetEventsByExecutionIDs", "X"),
    "side": ("inputs", "outputs"),
    "series": ("podcpu", "node", "podmem"),
}
IDS = ("fz-0", "00000000-0000-0000-0000-000000000000", "1", "-1", "x")
HOSTILE = (
    "..", ".", "%2e%2e", "%2F", "%5c", "%00", "%0d%0aX:1", "%ff", "%ed%a0%80", "a" * 2000, "A", "*", "é", "", ";a=b",
    "%25", "%7f", "%1b%5b2J", "\udcff", "{name}", "%E2%80%AE", "a:b", "a%20b", "-", "%22", "%27%20or%201=1--",
)  # fmt: skip
PARAMETERS = (
    "namespace", "page_size", "page_token", "sort_by", "filter", "view", "experiment_id", "pipeline_id", "name", "id",
    "resource_reference_key.type", "resource_reference_key.id", "pipelineid", "display_name", "url", "source", "key",
    "bucket", "peek", "podname", "podnamespace", "runid", "state", "code", "client_id", "redirect_uri", "scope", "rd",
    "response_type", "nonce", "token", "error", "labelSelector", "fieldSelector", "limit", "continue", "dryRun",
    "listOptions.labelSelector", "listOptions.limit", "logOptions.container", "logOptions.tailLines", "selector",
    "user", "role", "period", "job", "metric", "since", "kind", "uid", "container", "tailLines", "createdAt", "back",
    "logOptions.sinceTime", "grep", "interval", "nameFilter", "fields", "resourceVersion", "tags", "window",
)  # fmt: skip
VALUES = (
    "", "x", "fuzz-a", "fuzz-b", "0", "-1", "1", "99999999999999999999", "1.5", "NaN", "1e999", "%00", "%0d%0aX:%201",
    "%ff", "%ed%a0%80", "é", "%1b%5b2J", "//evil.example", "https://evil.example/", "/%5cevil.example", "%09//a",
    "a" * 3000, "kubeflow-oidc-authservice", "/oauth2/callback", "code", "openid", "NAMESPACE", "EXPERIMENT",
    "!a,b in (", "a%3Db", "created_at%20desc", "name%20asc,%20id",
    "%7B%22predicates%22:%5B%7B%22key%22:%22name%22%7D%5D%7D", "%7B",
    "%5B" * 500, "true", "false", "2026-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999999999999", "%22", "%27--", "*",
    "minio", "mlpipeline", "../../../etc/passwd", "file:///etc/passwd", "http://169.254.169.254/", "All", "(a%2B)%2B$",
)  # fmt: skip
HEADERS = (
    ("Accept", "application/json"), ("Accept", "\udc80"), ("Accept", "text/html"), ("Accept-Language", "de,*;q=zz"),
    ("Cookie", "a=b; ;=;\udc80"), ("Cookie", "XSRF-TOKEN"), ("Cookie", 'a="\\000\\""; b'), ("Origin", "null"),
    ("Origin", "http://["), ("X-Forwarded-Uri", "/dex/"), ("X-Forwarded-For", "%00," * 50), ("Range", "bytes=-1"),
    ("Authorization", "Basic \udc80"), ("Authorization", "Basic eDp5"), ("Authorization", "Bearer a.b.c"),
    ("Authorization", "token x"), ("Kubeflow-Userid", "admin@example.com"), ("X-XSRF-TOKEN", "é"), ("Expect", "x"),
    ("Upgrade", "websocket"), ("X-Forwarded-Proto", "https,http"), ("Forwarded", "for=\udc80"), ("If-None-Match", '"'),
    ("Sec-Fetch-Dest", "document"), ("Sec-Fetch-Mode", "cors"), ("X-Requested-With", "XMLHttpRequest"),
    ("If-Modified-Since", "yesterday"), ("X-HTTP-Method-Override", "DELETE"),
    ("Connection", "close, Upgrade, Content-Length"),
    ("Content-Encoding", "br"), ("Te", "trailers"), ("User-Agent", "\x1b[2J" * 40), ("Grpc-Timeout", "x"),
)  # fmt: skip
DEEP = 60_000
DISPOSITIONS = (
    'name="uploadfile"; filename="a.yaml"', 'name="uploadfile"; filename="a.yaml"',
    'name="uploadfile"; filename="a.zip"', 'name="uploadfile"; filename="a.tar.gz"', 'name="a"', "", 'filename="\x00"',
)  # fmt: skip
TYPES = (
    "application/json", "application/json", "application/json", "application/x-www-form-urlencoded", "text/plain",
    "multipart/form-data; boundary=x", "multipart/form-data; boundary=x", "multipart/form-data",
    "application/yaml", "application/merge-patch+json", "",
    "application/json-patch+json", "application/apply-patch+yaml", "application/grpc-web+proto", "a/b; charset=utf-7",
    "application/x-www-form-urlencoded; charset=unicode_escape", "application/grpc-web-text",
    "application/octet-stream",
    "application/vnd.kubernetes.protobuf", "image/\udcff", "application/json; charset=no-such",
)  # fmt: skip
SAMPLES: tuple[dict[str, Any], ...] = (
    {"name": "fz-0", "image": "x", "cpu": "0.5", "memory": "1Gi", "workspace": None, "datavols": [],
     "configurations": []},
    {"name": "fz-0", "logspath": "pvc://data/x", "configurations": ["a"]},
    {"name": "fz-0", "type": "empty", "mode": "ReadWriteOnce", "class": "{none}", "size": "1", "snapshot": ""},
    {"stopped": True},
    {"size": "2Gi"},
    {"name": "fz-token", "scopes": ["gateway"], "days": 1},
    {"contributor": "x@example.com"},
    {"namespace": "fuzz-a", "user": "x@example.com"},
    {"user": {"kind": "User", "name": "x@example.com"}, "referredNamespace": "fuzz-a",
     "roleRef": {"kind": "ClusterRole", "name": "edit"}},
    {"display_name": "fz-0", "namespace": "fuzz-a", "description": "x", "experiment_id": "x", "pipeline_spec": {},
     "runtime_config": {"parameters": {"a": 1}}, "pipeline_version_reference": {"pipeline_id": "x"}},
    {"name": "fz-0", "resource_references": [{"key": {"type": "NAMESPACE", "id": "fuzz-a"}, "relationship": "OWNER"}]},
    {"workflow": {"metadata": {"name": "fz-0"}, "spec": {"entrypoint": "a", "templates": [
        {"name": "a", "container": {"image": "busybox", "command": ["true"]}, "inputs": {"parameters": [{"name": "b"}]}}
    ]}}},
    {"resourceKind": "WorkflowTemplate", "resourceName": "fz-0", "submitOptions": {"parameters": ["a=b"]}},
    {"kind": "PyTorchJob", "namespace": "fuzz-a", "queue": "default", "workers": 2, "cpu": "1", "manifest": "a: b"},
    {"current": "a", "new": "b"},
    {"metadata": {"name": "fz-0", "labels": {"a": "b"}}, "spec": {"a": [1, {"b": None}]}, "data": {"a": "b"}},
)  # fmt: skip


@dataclass
class Hit:
    """A request as its bytes, and who sends it."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    user: int | None
    """0 or 1; None for nobody."""
    by_token: bool = False
    is_broken: bool = False
    """Whether its chunked body is malformed."""
    route: Target = field(default=Target("", ""))

    def words(self) -> str:
        lines = "\n".join(f"{name}: {value!r}" for name, value in self.headers)
        how = " by token" if self.by_token else ""
        return f"user {self.user}{how}: {self.method} {self.target!r}\n{lines}\n{self.body[:600]!r}"


def hit(seed: int, number: int, known: list[Target]) -> Hit:
    dice = random.Random(f"{seed}/gateway/{number}")
    route = known[number % len(known)] if dice.random() < 0.7 else dice.choice(known)
    user = dice.choice((0, 1, 0, 1, None))
    if route.is_for_nobody:
        user = None
    method = dice.choice(METHODS) if route.method == "*" or dice.random() < 0.1 else route.method
    target = _query(dice, _filled(dice, route.path))
    headers = [dice.choice(HEADERS) for _ in range(dice.choice((0, 0, 0, 1, 1, 2, 4)))]
    made = Hit(method, target, headers, b"", user, user is not None and dice.random() < 0.5, route=route)
    if method not in ("GET", "HEAD") or dice.random() < 0.05:
        _add_body(dice, made)
    return made


def _filled(dice: random.Random, path: str) -> str:
    def value(found: re.Match[str]) -> str:
        if dice.random() < 0.2:
            return dice.choice(HOSTILE)
        return dice.choice(WORDS.get(found[1], IDS))

    filled = re.sub(r"\{(\w+)\}", value, path)
    if dice.random() < 0.08:
        parts = filled.split("/")
        parts[dice.randrange(1, len(parts))] = dice.choice(HOSTILE)
        filled = "/".join(parts)
    return filled


def _query(dice: random.Random, path: str) -> str:
    if dice.random() < 0.4:
        return path
    pairs = [f"{dice.choice(PARAMETERS)}={_value(dice)}" for _ in range(dice.choice((1, 1, 2, 3, 8)))]
    return f"{path}?{'&'.join(pairs)}"


def _value(dice: random.Random) -> str:
    if dice.random() < 0.15:
        return quote(json.dumps(mutated(dice, {"predicates": [{"key": "name", "operation": "EQUALS"}]}, 0.3)))
    return dice.choice(VALUES)


def _add_body(dice: random.Random, hit: Hit) -> None:
    content_type = dice.choice(TYPES)
    if "upload" in hit.target and dice.random() < 0.7:
        content_type = "multipart/form-data; boundary=x"
    if content_type:
        hit.headers.append(("Content-Type", content_type))
    hit.body = _body(dice, content_type)
    if dice.random() < 0.08:
        hit.body = gzip.compress(hit.body, 1) if dice.random() < 0.5 else gzip_bomb()
        hit.body = hit.body[: len(hit.body) // 2] if dice.random() < 0.3 else hit.body
        hit.headers.append(("Content-Encoding", "gzip"))
    if dice.random() < 0.05:
        hit.is_broken = True
        hit.headers.append(("Transfer-Encoding", "chunked"))
        hit.body = dice.choice((b"zz\r\n", b"5\r\nab", b"-1\r\n\r\n", b"2\r\nab\r\n0\r\n\r\n", b""))


def _body(dice: random.Random, content_type: str) -> bytes:
    sample = mutated(dice, dice.choice(SAMPLES), dice.choice((0, 0.05, 0.2)))
    content = json.dumps(sample).encode()
    if content_type.startswith("application/x-www-form-urlencoded"):
        pairs = [f"{dice.choice((*PARAMETERS, 'login', 'password', 'grant_type'))}={_value(dice)}" for _ in range(4)]
        content = "&".join(pairs).encode()
    if "proto" in content_type and dice.random() < 0.7:
        content = dice.choice((b"", b"k8s\x00")) + protobuf(dice)
    elif dice.random() < 0.4:
        content = dice.choice((_small, _small, _small, _large))(dice, content)
    if dice.random() < (0.4 if content_type.startswith("multipart/") else 0.03):
        content = archived(dice, content)
    return _framed(dice, content_type, content) if dice.random() < 0.9 else content


def _framed(dice: random.Random, content_type: str, content: bytes) -> bytes:
    """The content as a body of the type: the file of a form, or the message of a call."""
    if content_type.startswith("multipart/"):
        disposition = dice.choice(DISPOSITIONS).encode()
        return b"--x\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n--x--\r\n" % (disposition, content)
    if "grpc-web" in content_type:
        return bytes([dice.choice((0, 0, 1, 0x80))]) + dice.choice((len(content), 2**32 - 1, 0)).to_bytes(4) + content
    return content


def _small(dice: random.Random, text: bytes) -> bytes:
    return dice.choice(
        (
            b"", b"{", b"null", b"[]", b'""', b"1", b"-" * 50, text[: len(text) // 2], text + b"\x00",
            b"\xff\xfe" + text, b'{"name": "\\ud800"}', b'{"name": 1e999, "size": -0}',
            b'{"name": ' + b"9" * 5000 + b"}",
            b'{"name":"a\\u0000b\\r\\n\\u001b[2J"}', b"\x1b[2J\r\nforged: line", bytes(dice.choices(range(256), k=200)),
            json.dumps({"name": dice.choice(ODD_VALUES), "namespace": dice.choice(ODD_VALUES)}).encode(),
        )
    )  # fmt: skip


def _large(dice: random.Random, text: bytes) -> bytes:
    return dice.choice(
        (
            b"[" * DEEP, b'{"a":' * DEEP, b"[" * DEEP + b"]" * DEEP, b"- " * DEEP,
            b"{" + b'"a":1,' * 20_000 + b'"b":2}',
            b'{"name": "' + b"x" * (2 << 20) + b'"}', b"[" + b",".join([text] * 100) + b"]",
        )
    )  # fmt: skip
