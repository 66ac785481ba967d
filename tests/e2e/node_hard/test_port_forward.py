"""kubectl port-forward leads to a pod's localhost, as kubelet's does."""

import os
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.e2e.node_hard.platform import Platform, python
from tests.support import KUBECTL, eventually

pytestmark = pytest.mark.kubectl
_SERVE = """
from http.server import BaseHTTPRequestHandler, HTTPServer
class Hello(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b"from " + self.client_address[0].encode())
server = HTTPServer(("127.0.0.1", 8080), Hello)
print("ready", flush=True)
server.serve_forever()
"""


@contextmanager
def forwarding(windlass: Platform, name: str, port: int) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The port of this machine that leads there, and the command."""
    environment = {**os.environ, "KUBECONFIG": str(windlass.kubeconfig)}
    argv = [KUBECTL or "kubectl", "port-forward", f"pod/{name}", f":{port}", "--address", "127.0.0.1"]
    process = subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.search(r"127\.0\.0\.1:(\d+) -> ", said)
        assert found, said
        yield int(found[1]), process
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.fixture(scope="module")
def served(windlass: Platform) -> Platform:
    windlass.run(python("local", _SERVE))
    windlass.phase("local", "Running")
    eventually(lambda: "ready" in windlass.logs("local"), 60, "the server")
    return windlass


def test_a_server_on_the_pods_loopback_alone_is_reached(served: Platform) -> None:
    with forwarding(served, "local", 8080) as (port, _):
        for _ in range(3):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
                assert answer.read() == b"from 127.0.0.1"


def test_a_port_that_nobody_listens_on_is_told_of(served: Platform) -> None:
    with forwarding(served, "local", 81) as (port, process):
        with pytest.raises(OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60)
        assert process.stderr is not None
        assert "dial tcp4 127.0.0.1:81: connect: connection refused" in process.stderr.readline()
