"""Every route of the gateway under mutated requests, with and without a session.

No answer is 5xx, nothing is logged as a traceback, no redirect leaves the gateway, and without a session only the open
paths answer.
"""

import random
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from tests.gateway.browser import Person, a_person, signed_in
from tests.gateway.platform import Platform
from windlass.gateway.app import ROUTE_GROUPS
from windlass.gateway.context import open_context
from windlass.gateway.login.paths import OPEN_PATHS
from windlass.gateway.settings import GatewaySettings

ROUNDS = 3  # requests to each route and with each credential
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND")
ENDS_SESSION = ("sign_out", "logout", "revoke", "sessions/")
OPEN = ("/dex/", "/oauth2/", "/healthz")
SEGMENTS = (
    "..",
    ".",
    "%2e%2e",
    "%2F",
    "%5c",
    "%00",
    "%0d%0aX:1",
    "%ff",
    "a" * 2000,
    "A",
    "*",
    "é",
    "//",
    ";a=b",
    "%25",
)
QUERIES = (
    "rd=//evil.example", "rd=https://evil.example/", "rd=/%5cevil.example", "rd=%09//evil.example", "state=x&code=y",
    "client_id=kubeflow-oidc-authservice&redirect_uri=https://evil.example/&response_type=code", "back=//evil.example",
    "token=x", "user=%00", "a=%ff&a=b", "=&=&&", "state=" + "s" * 3000,
)  # fmt: skip
HEADERS = (
    ("Accept", "application/json"), ("Accept", "\x80"), ("Content-Type", "application/json"),
    ("Cookie", "a=b; ;=;\x80"),
    ("Content-Type", "application/x-www-form-urlencoded"), ("Content-Type", "multipart/form-data; boundary="),
    ("Origin", "null"), ("Origin", "https://evil.example"), ("Origin", "http://["), ("X-Forwarded-Uri", "/dex/"),
    ("Authorization", "Bearer "), ("Authorization", "Basic \x80"), ("Authorization", "Bearer a.b.c"),
    ("Kubeflow-Userid", "admin@example.com"), ("X-XSRF-TOKEN", "é"), ("Upgrade", "websocket"), ("Expect", "x"),
    ("Content-Encoding", "gzip"), ("X-Forwarded-Proto", "https,http"), ("Range", "bytes=-1"), ("Forwarded", "for=\x80"),
)  # fmt: skip
BODIES = (b"", b"{}", b"[]", b"null", b"{", b"\xff\xfe", b"a=b&c", b"login=x&password=y", b'{"name":[]}', b"--\r\n\r\n")


@dataclass
class Answer:
    code: int
    location: str
    text: str


def all_routes(folder: Path) -> list[tuple[str, str]]:
    """Method and path of every route of the gateway itself."""
    settings = GatewaySettings(folder=folder, audit_log=folder / "audit.log")
    with open_context(settings, cast(Any, None), {}) as context:
        return sorted({(route.method, route.path) for group in ROUTE_GROUPS for route in group(context)})


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """A platform of its own: failed sign-ins slow down the next ones."""
    running = Platform(tmp_path_factory.mktemp("fuzzed"), ["--no-node"])
    running.up()
    yield running
    running.down()


def send(platform: Platform, method: str, target: str, headers: list[tuple[str, str]], body: bytes) -> Answer:
    """One request as these bytes: no client library corrects it."""
    host, _, port = platform.url.removeprefix("http://").partition(":")
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}:{port}", "Connection: close", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers]
    with socket.create_connection((host, int(port)), timeout=30) as link:
        link.sendall("\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body)
        answer = b""
        while chunk := link.recv(65536):
            answer += chunk
    head, _, rest = answer.partition(b"\r\n\r\n")
    first, *fields = head.decode("latin-1").split("\r\n")
    location = next((line[9:].strip() for line in fields if line.lower().startswith("location:")), "")
    return Answer(int(first.split(" ")[1]), location, rest.decode("latin-1"))


def mutated_path(path: str, choice: random.Random) -> str:
    filled = [
        choice.choice(("kubeflow", "x", *SEGMENTS)) if "{" in part else part
        for part in path.replace(":.*", "").split("/")
    ]
    if choice.random() < 0.3:
        filled[choice.randrange(1, len(filled))] = choice.choice(SEGMENTS)
    target = "/".join(filled)
    return f"{target}?{choice.choice(QUERIES)}" if choice.random() < 0.5 else target


def stays_here(platform: Platform, location: str) -> bool:
    if location.startswith(f"{platform.url}/"):
        return True
    return location.startswith("/") and not location.startswith(("//", "/\\"))


def check(platform: Platform, answer: Answer, request: object) -> None:
    assert answer.code < 500, (request, answer)
    assert not answer.location or stays_here(platform, answer.location), (request, answer)
    assert "Traceback" not in answer.text, (request, answer)


def fuzz(platform: Platform, routes: list[tuple[str, str]], person: Person | None) -> None:
    choice = random.Random(person.email if person else "nobody")
    cookie = cookies(platform, person)
    for route_method, path in routes * ROUNDS:
        method = choice.choice(METHODS) if route_method == "*" or choice.random() < 0.2 else route_method
        target = mutated_path(path, choice)
        headers = [header for header in HEADERS if choice.random() < 0.08]
        body = choice.choice(BODIES)
        answer = send(platform, method, target, [*cookie, *headers], body)
        check(platform, answer, (method, target, headers, body))
        if person is None and not target.startswith(OPEN) and target.partition("?")[0] not in OPEN_PATHS:
            assert answer.code in (302, 400, 401, 404, 405, 417), (method, target, headers, answer)
        if person is not None and any(part in target for part in ENDS_SESSION):
            cookie = cookies(platform, person)
    log = (platform.data_dir / "logs" / "gateway.log").read_text()
    assert "Traceback" not in log, log[-3000:]


def cookies(platform: Platform, person: Person | None) -> list[tuple[str, str]]:
    """The session of a new sign-in, and a token against forged requests."""
    if person is None:
        return []
    session = signed_in(platform, person).cookies["oauth2_proxy_kubeflow"]
    return [("Cookie", f"oauth2_proxy_kubeflow={session}; XSRF-TOKEN=t"), ("X-XSRF-TOKEN", "t")]


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/x-www-form-urlencoded", b"\xff\xfe"),
        ("application/x-www-form-urlencoded; charset=no-such", b"a=b"),
        ("multipart/form-data", b"--x\r\n\r\n"),
        ("multipart/form-data; boundary=x", b"--x\r\n\xff: \xff\r\n\r\n\xff\r\n--x--"),
    ],
)
@pytest.mark.parametrize("path", ["/dex/token", "/dex/token/introspect"])
def test_forms_that_cannot_be_read(fuzzed: Platform, path: str, content_type: str, body: bytes) -> None:
    answer = send(fuzzed, "POST", path, [("Content-Type", content_type)], body)

    assert answer.code in (400, 415), answer


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    found = all_routes(tmp_path_factory.mktemp("routes"))
    assert ("GET", "/oauth2/start") in found
    return found


def test_a_signed_in_user(fuzzed: Platform, routes: list[tuple[str, str]]) -> None:
    fuzz(fuzzed, routes, a_person(fuzzed, "fuzz@example.com"))


def test_nobody(fuzzed: Platform, routes: list[tuple[str, str]]) -> None:
    fuzz(fuzzed, routes, None)
