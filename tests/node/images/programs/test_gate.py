"""Servers without tokens of their own, behind the gate: who gets through, and how the program ends."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import eventually
from windlass.node.images import shipped
from windlass.node.images.programs.gate import header_of, path_of

TOKEN = "a" * 64
# Answers every request of a connection with its path; after /upgrade it sends back what it gets. Ends with 7.
PROGRAM = """
import signal, socketserver, sys
class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            while self.rfile.readline() != b"\\r\\n": pass
            path = line.split()[1]
            self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%b" % (len(path), path))
            while path == b"/upgrade" and (piece := self.rfile.read1(1000)): self.wfile.write(piece)
class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer): daemon_threads = True
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
Server(sys.argv[1], Handler).serve_forever()
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gate with the module that it imports, as an image has them."""
    folder = tmp_path_factory.mktemp("gate")
    names = ("gate.py", "formats/__init__.py", "formats/server_token.py")
    for target, source in shipped.files(folder, {name: name for name in names}, "").items():
        placed = folder / ("gate.py" if target == "gate.py" else f"lib/windlass/{target}")
        placed.parent.mkdir(parents=True, exist_ok=True)
        placed.write_bytes(Path(source).read_bytes())
    (folder / "program.py").write_text(PROGRAM)
    return folder


def started(place: Path, token: str) -> tuple["subprocess.Popen[bytes]", int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-I", str(place / "gate.py"), str(port), sys.executable, str(place / "program.py")]
    environment = {**os.environ, "WINDLASS_POD_IP": "127.0.0.1", "JUPYTER_TOKEN": token}
    gate = subprocess.Popen([*words, "@SOCKET@"], env=environment)
    eventually(lambda: answered(port, "/healthz").startswith(b"HTTP/1.1 200"), 20, "the program listens")
    return gate, port


def answered(port: int, path: str, *headers: str, then: bytes = b"") -> bytes:
    """What comes on a connection with one request, and with what is sent after it."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            lines = [f"GET {path} HTTP/1.1", "Host: h", *headers, "", ""]
            connection.sendall("\r\n".join(lines).encode() + then)
            received = connection.recv(4000)
            while then and not received.endswith(then.split()[1]):
                received += connection.recv(4000)
            return received
    except ConnectionError:
        return b""


@pytest.fixture(scope="module")
def port(place: Path) -> Iterator[int]:
    gate, port = started(place, TOKEN)
    yield port
    gate.terminate()  # the program behind it ends only with a signal that the gate can pass on
    gate.wait(10)


def test_the_gateway_gets_through_and_its_later_requests_too(port: int) -> None:
    given = answered(port, "/a", f"X-Windlass-Server-Token: {TOKEN}", then=b"GET /b HTTP/1.1\r\nHost: h\r\n\r\n")

    assert given.endswith(b"/b")
    assert b"\r\n\r\n/a" in given


def test_bytes_of_an_upgraded_connection_pass_unread(port: int) -> None:
    assert answered(port, "/upgrade", f"X-Windlass-Server-Token: {TOKEN}", then=b"ping pong").endswith(b"ping pong")


@pytest.mark.parametrize(
    "headers",
    [(), ("X-Windlass-Server-Token: b",), (f"X-Windlass-Server-Token: {TOKEN}", "X-Windlass-Server-Token: b")],
)
def test_others_are_refused(port: int, headers: tuple[str, ...]) -> None:
    assert answered(port, "/a", *headers).startswith(b"HTTP/1.1 403")


def test_a_probe_opens_no_connection_to_the_program(port: int) -> None:
    given = answered(port, "/healthz?x=1")

    assert given.startswith(b"HTTP/1.1 200")
    assert b"/healthz" not in given
    assert given.endswith(b"ok\n")


def test_signals_reach_the_program_and_its_exit_code_is_the_gates(place: Path) -> None:
    gate, port = started(place, "")

    assert answered(port, "/open").endswith(b"/open"), "without a token everybody is admitted"
    gate.send_signal(signal.SIGTERM)
    assert gate.wait(10) == 7


@pytest.mark.parametrize(
    ("head", "path", "value"),
    [
        (b"GET /a?b HTTP/1.1\r\nX-Windlass-Server-Token:  t \r\n\r\n", "/a", "t"),
        (b"GET /a HTTP/1.1\r\nx-windlass-server-token: t\r\nX-WINDLASS-SERVER-TOKEN: t\r\n\r\n", "/a", None),
        (b"GET /a HTTP/1.1\r\nx-windlass-server-token : t\r\n\r\n", "/a", None),
        (b"nonsense\r\n\r\n", "", None),
    ],
)
def test_the_head_of_a_request(head: bytes, path: str, value: str | None) -> None:
    assert path_of(head) == path
    assert header_of(head, "x-windlass-server-token") == value
