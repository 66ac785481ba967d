"""Every route of the gateway under hostile requests, as two users and as nobody."""

import asyncio
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fuzz.gateway.running import Run, make_users, watched
from tests.gateway.platform import Platform

SEED, REQUESTS, SECONDS = 20261118, 1500, 15.0


@dataclass
class Answer:
    code: int
    location: str
    text: str


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


def test_no_request_to_any_route_is_a_fault_or_a_leak(fuzzed: Platform, tmp_path: Path) -> None:
    """The short version of `make fuzz`: raises at the first answer, log line or process that says otherwise."""
    run = Run(fuzzed, watched(fuzzed), make_users(fuzzed), SEED, REQUESTS, tmp_path / "routes", SECONDS)
    asyncio.run(run.run())

    assert len(run.sent_to) > 100, "the requests hardly got anywhere"
    assert run.codes[200] > 20, "nothing was accepted: the requests are too wild"
    assert run.codes[400] + run.codes[422] > 20, "nothing was refused: the requests are too tame"
